"""What no line of the sources may do: include a room above its own, make a number that another machine would not make, or name a
type as another one is named. lib: base <- data, base <- model, {data, model} <- conformal <- table. The driver: main -> commands ->
{tool | report -> experiment} -> datasets -> common -> lib; tool and experiment never meet."""
import re

from program import SOURCE

METHOD = ("lacp/base lacp/data lacp/model lacp/model/kernels lacp/model/trees lacp/conformal lacp/conformal/paper/classes "
          "lacp/conformal/paper/training")
LIB = f"{METHOD} lacp/conformal/predictor lacp lacp/table common"
EXPERIMENT = f"{LIB} common/settings datasets experiment experiment/settings experiment/store"
# For each room the others that it may use. `lacp` is the front door lacp/lacp.hpp.
MAY_USE = {
    "lacp": f"{METHOD} lacp/conformal/predictor",
    "lacp/table": f"{METHOD} lacp/conformal/predictor",
    "lacp/base": "",
    "lacp/data": "lacp/base",
    "lacp/model": "lacp/base lacp/model/kernels lacp/model/trees",
    "lacp/model/kernels": "lacp/base",
    "lacp/model/trees": "lacp/base",
    "lacp/conformal": f"{METHOD} lacp/conformal/baselines",
    "lacp/conformal/paper/classes": "lacp/base lacp/model lacp/conformal",
    "lacp/conformal/paper/training": "lacp/base lacp/model lacp/conformal lacp/conformal/paper/classes",
    "lacp/conformal/predictor": METHOD,
    "lacp/conformal/baselines": METHOD,
    "common": LIB,
    "common/settings": LIB,
    "datasets": "lacp/base lacp/data lacp/table common",
    "tool": f"{LIB} common/settings datasets",
    "experiment": LIB,  # its metrics
    "experiment/settings": f"{LIB} common/settings",
    "experiment/store": f"{LIB} datasets experiment/settings",
    "experiment/engine": EXPERIMENT,
    "experiment/run": f"{EXPERIMENT} experiment/engine",
    "report/analysis": EXPERIMENT,
    "report": f"{EXPERIMENT} report/analysis",
    "commands": f"{EXPERIMENT} experiment/engine experiment/run report report/analysis tool",
    "main": f"{LIB} commands",
    "bench": f"{EXPERIMENT} experiment/engine report/analysis",
}
# Libraries that few files may include, by how the include begins.
RESERVED = {
    "mlpack/": "lib/lacp/model/knn.cpp lib/lacp/base/version.cpp",
    "mlpack/core.hpp": "no file",  # it brings stb's image code, which defines variables for the whole program
    "CLI/": "experiments/driver/commands/commands.hpp experiments/bench/bench.cpp",
    "pugixml.hpp": "experiments/driver/datasets/xlsx.cpp",
    "zlib.h": "experiments/driver/datasets/zip.cpp",
}
SOURCES = ("lib/lacp", "experiments/driver", "experiments/bench")
# Functions of the mathematics library that IEEE 754 does not define, and sums whose order is a library's own affair.
FOREIGN = re.compile(r"\b(std::(exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|erf|"
                     r"erfc|lgamma|tgamma|reduce|transform_reduce)|arma::(exp|log|log1p|pow|trunc_exp|trunc_log|mean|median|stddev|var|"
                     r"cov|cor|sum|accu|dot|norm|cumsum|trapz))\s*\(")


def lines_of(root, folders):
    """(file, number, line) of the sources."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            for number, line in enumerate(path.read_text().split("\n"), 1):
                yield path.relative_to(root).as_posix(), number, line


def room_of(file):
    """Its folder, or the nearest above it that is a room."""
    if file.startswith("experiments/bench/"):
        return "bench"
    folder = file.removeprefix("experiments/driver/").removeprefix("lib/").rpartition("/")[0]
    room = folder
    while room and room not in MAY_USE:
        room = room.rpartition("/")[0]
    return room or folder or "main"


def why_not(file, name, own):
    room = room_of(file)
    if room not in MAY_USE:
        return f"{room} is a room that this test does not know"
    used = room_of(("lib/" if name.startswith("lacp/") else "experiments/driver/") + name)
    if own and "/" in name and used not in (room, *MAY_USE[room].split()):
        return f"{room} may use {MAY_USE[room] or 'no other room'}"
    for beginning, files in RESERVED.items():
        if name.startswith(beginning) and file not in files.split():
            return f"only {files} may"
    return "headers do not include yaml-cpp" if file.endswith(".hpp") and name.startswith("yaml-cpp/") else ""


def violations(root):
    """Every include that runs against the rule."""
    wrong = []
    for file, number, line in lines_of(root, SOURCES):
        found = re.match(r'\s*#\s*include\s*(["<])([^">]+)', line)
        if found and (reason := why_not(file, found[2], found[1] == '"')):
            wrong.append(f"{file}:{number}: includes {found[2]}; {reason}")
    return wrong


def types_named_twice(root):
    """Types of one namespace that are defined in two places: the linker keeps one destructor for both. Not those of unnamed namespaces."""
    places, spaces, file_before = {}, [], ""
    for file, number, line in lines_of(root, SOURCES[:2]):
        spaces = spaces if file == file_before else []
        file_before = file
        if found := re.match(r"namespace ?([\w:]*) \{", line):
            spaces.append(found[1])
        elif re.match(r"\}  // namespace", line) and spaces:
            spaces.pop()
        elif found := re.match(r"(?:struct|class|enum class|enum|union) ([\w:]+)(?: [^;<(]*)?\{", line):
            if "" not in spaces:
                places.setdefault("::".join([*spaces, found[1]]), []).append(f"{file}:{number}")
    return [f"{name} is defined in {' and '.join(where)}" for name, where in places.items() if len(where) > 1]


def test_no_include_runs_against_the_order_of_the_rooms(tmp_path):
    assert violations(SOURCE) == []
    (tmp_path / "lib/lacp/base").mkdir(parents=True)
    (tmp_path / "lib/lacp/base/text.hpp").write_text('#include <string>\n#include "lacp/table/csv.hpp"')
    assert ["lacp/base may use no other room" in wrong for wrong in violations(tmp_path)] == [True]


def test_no_number_depends_on_a_library(tmp_path):
    uses = lambda root: [f"{file}:{number}" for file, number, line in lines_of(root, SOURCES[:2]) if FOREIGN.search(line)]
    assert uses(SOURCE) == []
    (tmp_path / "lib/lacp").mkdir(parents=True)
    (tmp_path / "lib/lacp/a.cpp").write_text("double f(double x) {\n  return std::exp (x);\n}\nx = math::exp(1) + std::exponential;\n")
    assert uses(tmp_path) == ["lib/lacp/a.cpp:2"]


def test_no_type_has_its_name_twice(tmp_path):
    assert types_named_twice(SOURCE) == []
    (tmp_path / "lib/lacp").mkdir(parents=True)
    here = "namespace lacp {\nstruct A;\nstruct A final : B {\n};\nnamespace {\nstruct C {\n}  // namespace\n}  // namespace lacp\n"
    for name, text in (("a", here), ("b", here), ("c", here.replace("lacp {", "lacp::other {"))):
        (tmp_path / f"lib/lacp/{name}.cpp").write_text(text)
    assert types_named_twice(tmp_path) == ["lacp::A is defined in lib/lacp/a.cpp:3 and lib/lacp/b.cpp:3"]
