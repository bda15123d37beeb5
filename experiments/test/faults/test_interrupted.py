"""A run that is ended, and a system that gives fewer threads than are asked for."""
import signal

import pytest
from program import SANITIZER, SMOKE, houses, lacp, shell, start, wait_until
from smoke import cells_in, quick_run, quick_words


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_kills_a_run_in_the_middle_of_an_epoch_and_keeps_what_was_done(place, number):
    for name, samples in [("quick", 500), ("endless", 100000)]:
        place.write(f"{name}.yaml", "{title: t, citation: c, licence: l, synthetic: {profile: cos, samples: %d}}" % samples)
    words = [SMOKE, "--datasets-folder", place.folder, "--results", place / "results", "--runs", "1",
             "--datasets", "endless,quick", "--methods", "exp,fixed",
             "--set", "training.epochs=1", "evaluation.pool=1000", "network.hidden=[2000, 2000]"]
    # A shell that starts tests in the background has SIGINT ignored.
    child = start("run", *words, "--jobs", "2", preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
    folder = place / "results/smoke"
    # Once all the rest is done, the endless task is all that is left.
    wait_until(lambda: len(cells_in(folder)) >= 3, child)
    done = cells_in(folder)
    child.send_signal(number)
    assert child.wait() == -number
    assert cells_in(folder) == done
    assert "\nfinished: false\n" in (folder / "manifest.yaml").read_text()
    lacp("status", *words, prints="4 tasks, 3 done, 1 to run")


# 900 MB hold two stacks of 256 that threads ask for, and none of 1000.
@pytest.mark.skipif(SANITIZER != "", reason="it takes more address space than any limit that would show something")
@pytest.mark.parametrize("stack", [256, 1000])
def test_predict_evaluate_run_and_verify_go_on_with_the_threads_that_could_be_started(fitted, stack):
    limited = f'ulimit -Ss {stack * 1024} && ulimit -Sv {900 * 1024} && exec "$0" "$@"'
    table = fitted.write("new.csv", houses(5000, 3))
    for command in ["predict", "evaluate"]:
        words = [command, fitted.model, table, "--jobs", "64"]
        assert shell(limited, *words).output == lacp(*words).output
    quick_run(fitted / "usual", "--datasets", "cos", "--jobs", "2")
    shell(limited, *quick_words(fitted / "limited", "--datasets", "cos", "--jobs", "64"))
    assert cells_in(fitted / "limited/smoke") == cells_in(fitted / "usual/smoke")
    shell(limited, "verify", fitted / "limited/smoke", "--jobs", "64")
