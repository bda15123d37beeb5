"""Shards of an experiment: which tasks, at the same time, gathered, failed."""
import os

from program import check_has, lacp, start
from smoke import DIVERGING, many_tasks, outputs_of, quick_run, quick_words


def planned(results, *more, **how):
    """What `--dry-run` lists, without its last line, the total."""
    return quick_run(results, *more, "--dry-run", **how).output.splitlines()[:-1]


def variables(**values):
    """For programs that Slurm starts."""
    return {**os.environ, **{f"SLURM_{name}": str(value) for name, value in values.items()}}


def array(number, count, first, last):
    return variables(ARRAY_TASK_ID=number, ARRAY_TASK_COUNT=count, ARRAY_TASK_MIN=first, ARRAY_TASK_MAX=last)


def test_a_shard_is_written_i_n_from_1_to_n(tmp_path):
    for wrong in "0/8", "9/8", "3", "-1/8", "a/b", "1/9999999999":
        quick_run(tmp_path, f"--shard={wrong}", "--dry-run", status=2, says="--shard")
    shards = [planned(tmp_path, "--shard", f"{i}/8") for i in range(1, 9)]
    assert sorted(sum(shards, [])) == sorted(planned(tmp_path))
    assert all(shards)


def test_slurms_variables_name_the_shard_wherever_an_array_begins_to_count(tmp_path):
    for of_array, shard in [((3, 8, 1, 8), "3/8"), ((0, 8, 0, 7), "1/8"), ((12, 3, 10, 12), "3/3")]:
        assert planned(tmp_path, env=array(*of_array)) == planned(tmp_path, "--shard", shard)
    for number, part in [(7, "with gaps between 3 and 7"), ("x", "SLURM_ARRAY_TASK_ID=x: ")]:  # --array=3,7
        quick_run(tmp_path, "--dry-run", env=array(number, 2, 3, 7), status=2, says=part)
    # What is said explicitly goes first.
    second = variables(ARRAY_TASK_ID=2, ARRAY_TASK_COUNT=3)
    assert planned(tmp_path, env=second) == planned(tmp_path, "--shard", "2/3")
    assert planned(tmp_path, "--shard", "7/8", env=second) == planned(tmp_path, "--shard", "7/8")


def test_slurm_says_how_many_threads_there_are_but_not_more_than_tasks_or_another_number_than_asked_for(tmp_path):
    for more, threads in [("--runs 4", 4), ("--runs 3 --datasets cos", 3), ("--jobs 5 --runs 4", 5)]:
        quick_run(tmp_path, "--force", "--methods", "fixed", *more.split(), env=variables(CPUS_PER_TASK=4),
                  says=f", with {threads} threads\n")
    quick_run(tmp_path, "--shard", "7/8", env=variables(CPUS_PER_TASK=1), says=", with 1 thread\n")


def test_shards_on_one_folder_at_the_same_time_one_of_them_twice_leave_the_bytes_of_a_single_run(undisturbed, tmp_path):
    workers = [start(*quick_words(tmp_path, "--shard", shard, "--jobs", "1")) for shard in ("1/3", "2/3", "2/3")]
    assert [worker.wait() for worker in workers] == [0, 0, 0]
    missing = quick_run(tmp_path, "--shards", "3", command="gather", status=1).output.splitlines()
    assert missing[0] == "shard,dataset,run,method,reason"
    assert len(missing) == len(planned(tmp_path, "--shard", "3/3")) + 1
    for line in missing[1:]:
        assert line.startswith("3,") and line.endswith(",not done")
    quick_run(tmp_path, "--shard", "3/3")
    for shards in "2", "3":  # as another number than there were, too
        assert quick_run(tmp_path, "--shards", shards, command="gather").output == ""
    folder = tmp_path / "smoke"
    assert {file.name for file in folder.glob("cells/**/*.csv")} == {"concrete.csv", "cos.csv"}
    check_has((folder / "manifest.yaml").read_text(), "\nshard: 3/3\n", "\nfinished: true\n")
    quick_run(tmp_path, says="28 tasks, 28 done before")
    assert outputs_of(tmp_path) == undisturbed.outputs


def test_gathering_again_and_again_beside_a_shard_at_work_loses_none_of_its_failures(tmp_path):
    words = [*many_tasks(tmp_path), "--results", tmp_path, "--runs", "120", "--methods", "exp", "--set", "network.hidden=[4]", *DIVERGING]
    shard = start("run", *words, "--shard", "1/2")
    gathered = 0
    while shard.poll() is None:
        lacp("gather", *words, "--shards", "2", status=1)
        gathered += 1
    assert shard.returncode == 1
    assert gathered > 1
    lacp("gather", *words, "--shards", "2", status=1, prints=',exp,"failed: ')
    lacp("status", *words, prints="120 tasks, 0 done, 60 to run, 60 failed\n")
