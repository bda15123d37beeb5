"""`lacp datasets`: lists, fetches and checks; experiments on data sets of one's own; `lacp export`."""
import collections
import hashlib
import shutil

import pytest
from program import SMOKE, SOURCE, check_has, check_lacks, drawn, frame, lacp, table_of
from smoke import cells_in, run_own, write_dataset

DATASETS = SOURCE / "datasets"


def datasets(folder, *arguments, **expected):
    return lacp("datasets", "--datasets-folder", folder, *arguments, **expected).output


def describe(folder, name, keys):
    (folder / f"{name}.yaml").write_text(f"title: T\ncitation: C\nlicence: L\n{keys}")


def test_fetch_gets_the_data_sets_of_an_experiment_and_no_others():
    assert datasets(DATASETS, "fetch", "--for", SMOKE, prints=["concrete: ", "cos: "]).count("\n") == 2


def test_the_list_shows_every_data_set_its_size_and_whether_its_file_is_there(tmp_path):
    write_dataset(tmp_path, "mine", "u,v,y\n1,2,3\n2,1,4\n3,3,5\n")
    wide, more = "a" * 60, "b" * 30  # a title that takes two lines
    (tmp_path / "words.yaml").write_text(f"title: {wide} {more}\nlicence: L\nsynthetic: {{profile: cos}}\n")
    describe(tmp_path, "gone", "target: y\nrows: 12\nattributes: 3\nsource:\n  file: a.csv\n")
    datasets(tmp_path, lacks="`lacp datasets fetch`", prints=[
        "mine                        ?          ?  local        L\n    T\n",
        f"words                    1000          3  generated    L\n    {wide}\n    {more}\n",
        "gone                       12          3  missing      L\n    T\n",
        f"\ngone: {tmp_path / 'a.csv'} is missing; put it there, or name a source.url"])
    write_dataset(tmp_path, "away", "", f"  url: https://e.org/a.csv\n  sha256: {'a' * 64}\ntarget: y\n")
    datasets(tmp_path, prints="`lacp datasets fetch`")
    describe(tmp_path, "broken", "soruce: 1\n")
    datasets(tmp_path, status=2, says="broken.yaml", prints="mine ")


def test_the_projects_own_list_holds_its_data_sets_and_those_that_it_has_files_of_can_be_read():
    listed = datasets(DATASETS)
    check_has(listed, *(f"\n{file.stem} " for file in DATASETS.glob("*.yaml")))
    assert max(len(line) for line in listed.splitlines()) <= 80
    for name in ["concrete", "cos", "squared", "inverse", "linear"]:
        datasets(DATASETS, "check", name)


def test_a_wrong_name_exits_with_2_and_the_nearest_name():
    datasets(DATASETS / "none", status=2)
    for words, part in [("check concret", "'concret' in "), ("fetch concret", "'concret' in "), ("check", ""),
                        ("check none.yaml", ""), ("fetch --mirror /nonexistent", "")]:
        datasets(DATASETS, *words.split(), status=2, says=part)


def test_fetch_gets_what_it_can_exits_with_1_if_something_failed_and_check_then_reads_it(tmp_path):
    table = table_of("x,y", 100, lambda i: f"{i},{i * i}")
    right, wrong = (hashlib.sha256(text.encode()).hexdigest() for text in (table, "something else"))
    for name, checksum in [("absent", right), ("good", right), ("wrong", wrong)]:
        url = f"file://{tmp_path}/server/{name}.csv"
        describe(tmp_path, name, f"target: y\nsource:\n  url: {url}\n  sha256: {checksum}\n")
    for file in ["server/good.csv", "mirror/wrong.csv"]:
        (tmp_path / file).parent.mkdir()
        (tmp_path / file).write_text(table)
    datasets(tmp_path, "check", "good", status=2)
    datasets(tmp_path, "fetch", "--mirror", tmp_path / "mirror", status=1, says=["absent: file://", right, wrong],
             prints=f"good: {len(table)} bytes from file://")
    datasets(tmp_path, "check", "good", prints="rows            100\n")
    datasets(tmp_path, "fetch", "good")
    datasets(tmp_path, "check", tmp_path / "good.yaml")
    # What an experiment would refuse.
    write_dataset(tmp_path, "gap", table_of("x,y", 100, lambda i: f"{i},{'' if i == 50 else '1.5'}"))
    datasets(tmp_path, "check", "gap", status=2, says="gap.csv:52: column 2 'y': the cell is empty")


def test_exported_rows_are_those_of_the_run_its_parts_scaled_every_row_once(tmp_path):
    def exported(*more, **expected):
        lacp("export", SOURCE / "experiments/full.yaml", "--output", tmp_path, "--datasets-folder", DATASETS,
             "--datasets", *more, **expected)
        return (tmp_path / "concrete.csv").read_text()
    text = exported("concrete", "--run", "1")
    rows = frame(text)
    names = list(rows[0])
    assert (names[0], names[8], names[-1]) == ("part", "x8", "y")
    # As the cells of results/full say: rows_proper, rows_train, calibration_points, scored_points.
    parts = collections.Counter(row["part"] for row in rows)
    assert parts == {"proper": 412, "train": 412, "calibration": 103, "test": 103}
    # y in units of mean |y| of the first part
    assert sum(float(row["y"]) for row in rows[:412]) / 412 == pytest.approx(1, rel=1e-9)
    assert exported("concrete", "--run", "1") == text
    assert exported("concrete", "--run", "2") != text
    exported("concrete", "--run", "20", status=2, says="--run: found 20; ")
    exported("nowhere", status=2, says="nowhere")


@pytest.fixture
def root(tmp_path):
    """Descriptions of one data set whose file is there, and of one whose file is missing."""
    def row(_, draws):
        a, b = draws.uniform(-1, 1), draws.uniform(-1, 1)
        return f"{a},{b},{3 + a * b + (0.1 + 0.5 * a * a) * draws.gauss(0, 1)}"
    write_dataset(tmp_path / "datasets", "mine", drawn("a,b,y", 300, row))
    write_dataset(tmp_path / "datasets", "away", "",
                  f"  url: https://example.org/away.csv\n  sha256: {'0' * 64}\ntarget: y\n")
    return tmp_path


def test_a_new_data_set_is_one_yaml_and_a_changed_description_or_file_does_it_again(root):
    folder = root / "results/smoke"

    def run(done):
        run_own(root, "mine", says=done)
        return {task: cells[-1] for task, cells in cells_in(folder).items()}
    before = run("0 done before, 4 done now")
    assert len(before) == 4
    check_has((folder / "manifest.yaml").read_text(), "\n  datasets: [mine]\n")
    run("4 done before, 0 done now")
    for file, more in [("mine.yaml", "columns: {drop: [b]}\n"), ("mine.csv", "0,0,3\n")]:
        path = root / "datasets" / file
        text = path.read_text()
        path.write_text(text + more)
        assert run("4 tasks done with other settings or data: done again") != before
        path.write_text(text)
    run("4 done before, 0 done now")
    lacp("pack", folder)  # without the cells of other data
    assert cells_in(folder) == {task: [cell] for task, cell in before.items()}


def test_a_data_set_whose_file_is_missing_is_left_out_and_named_with_the_command_that_gets_it(root):
    run_own(root, "away,mine", says="is missing; run `lacp datasets fetch away`\n")
    assert len(cells_in(root / "results/smoke")) == 4
    run_own(root, "away,mine", "--strict", status=1)
    file = root / "datasets/mine.csv"
    file.unlink()
    run_own(root, "away,mine", "--force", says=[
        f"mine: left out, {file} is missing; put it there", "run `lacp datasets fetch away`"])


def test_a_file_that_an_experiment_refuses_fails_in_every_run_until_it_is_changed(root):
    file = root / "datasets/mine.csv"
    good = file.read_text()
    file.write_text(good[:len(good) // 20])
    failed = "4 of 4 tasks failed:\n  data set mine, run 0, method fixed: "
    for _ in range(2):
        run_own(root, "mine", status=1, says=[failed, " (and 3 more)"])
    file.write_text(good)
    run_own(root, "mine")


def test_a_run_counts_filled_cells_in_its_manifest_and_a_changed_description_does_it_again(tmp_path):
    def row(i, draws):
        return f"{'a' if i % 3 == 0 else 'b'},{'?' if i % 10 == 0 else draws.gauss(0, 1)},{1 + draws.random() + i % 3}"

    def run(missing, *more, **expected):
        keys = f"target: {{column: y, log: true}}\ncolumns: {{categories: [kind]}}\nmissing: {{do: {missing}}}\n"
        write_dataset(tmp_path / "datasets", "mine", drawn("kind,x,y", 300, row), keys)
        run_own(tmp_path, "mine", *more, **expected)
        return (tmp_path / "results/smoke/manifest.yaml").read_text().split("\n  mine: ")[1].split("\n")[0]
    check_has(run("fill"), ", filled: 30", ", log_target: true")
    check_has(run("fill", says="4 done before, 0 done now"), ", filled: 30")  # still known, though nothing was read
    check_lacks(run("drop_rows", says="0 done before, 4 done now"), "filled")
    shutil.rmtree(tmp_path / "results")
    for shard in "1/2", "2/2":
        run("fill", "--shard", shard)
    check_has(run("fill", "--shards", "2", command="gather"), ", filled: 30")
