"""Experiments on data sets of one's own: described, missing, refused, with gaps."""
import shutil

import pytest
from program import check_has, check_lacks, drawn, lacp
from smoke import cells_in, run_own, write_dataset


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
    run_own(root, "away,mine", says="missing: away\nTo get them: lacp datasets fetch away")
    assert len(cells_in(root / "results/smoke")) == 4
    run_own(root, "away,mine", "--strict", status=1)
    file = root / "datasets/mine.csv"
    file.unlink()
    run_own(root, "away,mine", "--force", says=[
        f"mine: {file} is not there; put it there", "To get them: lacp datasets fetch away"])


def test_a_file_that_an_experiment_refuses_fails_once_and_again_only_when_it_has_changed(root):
    file = root / "datasets/mine.csv"
    good = file.read_text()
    file.write_text(good[:len(good) // 20])
    failed = "4 of 4 tasks failed:\n  data set mine, run 0, method fixed: "
    run_own(root, "mine", status=1, says=[failed, " (and 3 more "])
    run_own(root, "mine", status=1, says="--retry-failed", lacks="failed: data set mine")  # told of, not tried
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
