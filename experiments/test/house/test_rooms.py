"""What no line of the sources may do: include a room to the right of its own, make a number that another machine would not make, or
name a type as another one is named. The rooms: lacp <- models <- table <- common <- datasets <- tool <- driver."""
import re

from program import SOURCE

# From left to right: a room may include those before it, and itself.
ORDER = """lib/lacp/base lib/lacp/data lib/lacp/knn lib/lacp/network/kernels lib/lacp/network lib/lacp/conformal lib/lacp/classes
    lib/lacp/training lib/lacp
    lib/models/trees lib/models/stack lib/models/methods lib/models/predictor lib/models
    lib/table lib/table/sheets
    lib/common lib/common/settings
    lib/datasets
    lib/tool lib/python
    experiments/driver/experiment experiments/driver/experiment/settings experiments/driver/experiment/store
    experiments/driver/experiment/engine experiments/driver/experiment/run
    experiments/driver/report/analysis experiments/driver/report experiments/driver/commands experiments/driver experiments/bench""".split()
# The tool and the experiments never meet: commands alone may include both.
APART = re.compile(r"experiments/driver/(experiment|report)|experiments/bench")
# Libraries that few files may include, by how the include begins.
RESERVED = {
    "mlpack/": "lib/lacp/knn/knn.cpp lib/lacp/base/version.cpp",
    "mlpack/core.hpp": "no file",  # it brings stb's image code, which defines variables for the whole program
    "CLI/": "experiments/driver/commands/commands.hpp experiments/bench/bench.cpp",
    "pugixml.hpp": "lib/table/sheets/xlsx.cpp",
    "zlib.h": "lib/table/sheets/zip.cpp",
}
SOURCES = ("lib/lacp", "lib/models", "lib/table", "lib/common", "lib/datasets", "lib/tool", "lib/python", "experiments/driver")
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
    room = file.rpartition("/")[0]
    while room and room not in ORDER:
        room = room.rpartition("/")[0]
    return room


def room_included(root, name):
    """The room of `#include "name"`: below lib, or below the driver."""
    return room_of(f"lib/{name}") if (root / "lib" / name.partition("/")[0]).is_dir() else room_of(f"experiments/driver/{name}")


def why_not(root, file, name, own):
    room = room_of(file)
    if not room:
        return f"{file.rpartition('/')[0]} is a room that this test does not know"
    if own and "/" in name:
        used = room_included(root, name)
        if not used or ORDER.index(used) > ORDER.index(room):
            return f"{used or name} is not to the left of {room}"
        if APART.match(room) and used == "lib/tool":
            return "the tool and the experiments never meet"
    for beginning, files in RESERVED.items():
        if name.startswith(beginning) and file not in files.split():
            return f"only {files} may"
    return "headers do not include yaml-cpp" if file.endswith(".hpp") and name.startswith("yaml-cpp/") else ""


def violations(root):
    """Every include that runs against the rule."""
    wrong = []
    for file, number, line in lines_of(root, (*SOURCES, "experiments/bench")):
        found = re.match(r'\s*#\s*include\s*(["<])([^">]+)', line)
        if found and (reason := why_not(root, file, found[2], found[1] == '"')):
            wrong.append(f"{file}:{number}: includes {found[2]}; {reason}")
    return wrong


def types_named_twice(root):
    """Types of one namespace that are defined in two places: the linker keeps one destructor for both. Not those of unnamed namespaces."""
    places, spaces, file_before = {}, [], ""
    for file, number, line in lines_of(root, SOURCES):
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
    for folder, include in (("lib/lacp/base", "table/csv.hpp"), ("lib/lacp/conformal", "lacp/classes/roots.hpp"),
                            ("lib/table", "common/frame.hpp"), ("experiments/driver/report", "tool/tool.hpp"),
                            ("lib/tool", "report/report.hpp")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.cpp").write_text(f'#include <string>\n#include "{include}"\n')
    (tmp_path / "lib/common").mkdir()
    wrong = violations(tmp_path)
    assert [line.partition(":")[0] for line in wrong] == [
        "lib/lacp/base/a.cpp", "lib/lacp/conformal/a.cpp", "lib/table/a.cpp", "lib/tool/a.cpp", "experiments/driver/report/a.cpp"]
    assert "lib/table is not to the left of lib/lacp/base" in wrong[0]
    assert {f"lib/{path.name}" for path in (SOURCE / "lib").iterdir() if any(path.rglob("*.[ch]pp"))} <= {*SOURCES, "lib/test"}


def test_no_number_depends_on_a_library(tmp_path):
    uses = lambda root: [f"{file}:{number}" for file, number, line in lines_of(root, SOURCES) if FOREIGN.search(line)]
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
