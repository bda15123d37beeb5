"""Every advice that the program gives is taken out of what it printed, and followed: it has to work."""
import os
import re

from program import SOURCE, check_has, check_lacks, drawn, frame, houses, lacp, refused, shell
from smoke import DIVERGING, quick_words
from xlsx import xlsx_of


def advice(said, option, nth=0):
    """"--group patient" out of a text that advises it; `nth`: the option may stand there before."""
    text = " ".join(said.split()) + " "
    places = [found.start() for found in re.finditer(re.escape(option), text)]
    assert len(places) > nth, f"{option} is not advised: {text}"
    behind = text[places[nth]:]
    # Up to where a shell would end the word, or a sentence goes on.
    advised = re.match(re.escape(option) + r".('[^']*'|\\.|[^ ,;)`'\\])*", behind).group()
    full_stop = advised[-1] in ".:" and behind[len(advised):].startswith(" ")
    return advised[:-1] if full_stop else advised


def follow(place, csv, options):
    """A fit of `fixed` with what was advised, as a shell reads it."""
    return shell(f"\"$0\" fit \"$1\" --model \"$2\" --method fixed {options}", csv, place / "followed.lacp")


def said_by(place, csv, *options):
    """What a fit said, whether it was refused or not."""
    ran = shell("\"$0\" fit \"$1\" --model \"$2\" --method fixed \"${@:3}\"; exit 0", csv, place.model, *options)
    return f"{ran.messages}\n{ran.output}"


def test_what_fit_advises_for_smaller_and_safer_intervals_works(place):
    csv = place.write("t.csv", houses(300, 1))
    for folds, safer in [("0", "(--set"), ("5", "--calibration-folds")]:
        said = said_by(place, csv, "--calibration-folds", folds)
        for option in [advice(said, "--coverage"), advice(said, "--coverage", 1), advice(said, safer).lstrip("(")]:
            follow(place, csv, option)
    # Ten models take longer than one: it is said why, and how to have one.
    slow = lacp("fit", csv, "--model", place.model, "--set", "predictor.rounds=2",
                says=["with fewer than 1,000 rows ", "10 models are fitted"])
    check_lacks(follow(place, csv, advice(slow.messages, "--calibration-folds")).messages, "models are fitted")


def test_the_settings_that_fit_prints_work_and_one_share_that_is_given_adapts_the_others(place):
    csv = place.write("t.csv", houses(300, 1))
    halves = ["--set", "predictor.cross_fit=0"]
    for share, parts in [("split.test=0.4", "90 for the prediction, 90 for the sizes, 120 to calibrate"),
                         ("split.proper=0.7", "210 for the prediction, 60 for the sizes, 30 to calibrate")]:
        place.fit_fixed(csv, *halves, share, prints=parts)
    refused("three shares", "fit", csv, "--model", place.model, "--set", "split.test=0.4", "split.proper=0.8")
    said = place.fit_fixed(csv).output
    model = place.model.read_bytes()
    place.fit_fixed(csv, "--set", *said.split("\n  --set")[1].split("(")[0].split())
    assert place.model.read_bytes() == model


def test_what_fit_advises_about_columns_works(place):
    def before_two(first):
        """Rows of this cell and two numbers. Some rows have the cell of -1."""
        def row(i, draws):
            return f"{first(-1 if i % 50 == 7 else i)},{draws.uniform(0, 100)},{draws.uniform(0, 100)}"
        return row
    for header, row, options in [
            ("patient,b,y", before_two(lambda i: f"P{i % 80:03}"), ["--group"]),
            # A name that a shell would take apart, and no column that is surely one of numbers.
            ("owner's age (years),b,y", before_two(lambda i: "can't say" if i < 0 else f"{i * 37 % 101}.5"),
             ["--missing", "--drop", "--categories"]),
            ("kind,zip", lambda i, _: f"{'flat' if i % 3 == 0 else 'house'},{1000 + i % 40:05}", ["--target"]),
            ("agent,b,y", before_two(lambda i: f"{1 + i % 5 * 47}"), ["--categories"]),
            ("load,b,y", before_two(lambda i: "-999.0" if i < 0 else f"{i % 50}.5"), ["--missing"]),
            ("lead,b,y", before_two(lambda i: "<0.5" if i < 0 else f"0.{5 + i % 5}"), ["--below-limit"]),
            ("zip,b,y", before_two(lambda i: f"{1001 + i % 40:05}"), ["--numbers"]),
            ("day,b,y", before_two(lambda i: f"{2 + i % 11:02}/{2 + i % 7:02}/2020"), ["--date"]),
            ("a;b;y", lambda i, _: f"{1 + i % 9},{i:03};{i % 17};{3 * (i % 17)}", ["--decimal"])]:
        csv = place.write("t.csv", drawn(header, 300, row))
        said = said_by(place, csv)
        for option in options:
            follow(place, csv, advice(said, option))


def test_what_fit_advises_about_copies_and_sheets_works(place):
    header, *rows = houses(200, 1).splitlines(True)
    twice = place.write("twice.csv", "".join([header, *rows, *rows]))
    some = place.write("some.csv", "".join([header, *rows, rows[0]]))
    for csv, copies in [(twice, ["--copies keep"]), (some, ["--copies drop", "--copies keep"])]:
        for nth, expected in enumerate(copies):
            option = advice(said_by(place, csv), "--copies", nth)
            assert option == expected
            check_lacks(follow(place, csv, option).messages, "--copies")  # it is decided
    xlsx = place.write("two.xlsx", xlsx_of("about\n", second=twice.read_text()))
    follow(place, xlsx, advice(said_by(place, xlsx), "--sheet"))
    place.write("two.xlsx", xlsx_of(twice.read_text(), second=some.read_text()))
    check_lacks(follow(place, xlsx, advice(said_by(place, xlsx), "--sheet")).messages, "others hold data")


def test_what_fit_advises_about_infinite_intervals_works(place):
    small = place.write("small.csv", houses(100, 1))
    infinite = "all intervals are infinite"
    for sides in ["both", "each"]:
        few = f"--coverage 0.92 --sides {sides}"
        said = follow(place, small, f"{few} --set split.test=0.1").output
        option = advice(said.split(f"At level 0.08 {infinite}")[1], "--set")
        check_lacks(follow(place, small, f"{few} {option}").output, infinite)


def test_what_a_refusal_of_fit_advises_works(place):
    csv = place.write("t.csv", houses(300, 1))

    def refusal(*options):
        return place.fit_fixed(csv, *options, status=2).messages
    follow(place, csv, advice(refusal("--coverage", "0.1"), "--coverage", 1))
    for words in [["predictor.grid=[3,5]"], ["predictor.kind=knn", "predictor.rounds=20"]]:
        follow(place, csv, f"--set {words[-1]} {advice(refusal('--set', *words), '--set', 1)}")
    follow(place, csv, f"{advice(refusal('--set', 'seed=3'), '--seed')} 3")
    check_has(refusal("--calibration-folds", "5", "--set", "split.test=0.3"), "leave out --set split")
    follow(place, csv, "--calibration-folds 5")
    lacp("fit", csv, "--model", place.model, "--method", "exp", *DIVERGING, status=1, says="(fixed trains nothing)")
    follow(place, csv, " ".join(DIVERGING))


def test_what_fit_advises_about_a_model_of_the_default_name_works(place):
    place.write("t.csv", houses(300, 1))

    def fit(more="", **expected):
        return shell(f"\"$0\" fit t.csv --method fixed {more}", cwd=place.folder, **expected)
    fit()
    assert (place / "t.lacp").exists()
    fit(advice(fit(status=2).messages, "--model"))


def test_what_fit_advises_about_whole_numbers_works(place):
    counts = place.write("counts.csv", drawn("a,y", 300, lambda i, draws: f"{draws.uniform(0, 9)},{i % 7}"))
    said = said_by(place, counts)
    check_has(said, "whole numbers")
    check_lacks(follow(place, counts, advice(said, "--no-whole-ends")).output, "whole numbers")


def test_what_predict_and_evaluate_advise_works(place):
    csv = place.write("t.csv", houses(300, 1))
    place.fit_fixed(csv)
    unseen = place.write("unseen.csv", "area,kind,built,price\n50,boat,1999-06-01,150\n60,flat,1999-06-01,200\n")
    place.predict(unseen, *advice(place.predict(unseen, status=2).messages, "--unseen").split())
    lacp("predict", place.model, unseen, "--skip-bad", status=2, says="name one with --output")
    place.predict(unseen, "--skip-bad")

    def misses_above(i, draws):
        area = draws.uniform(20, 200)
        return f"{area},house,{1990 + i % 30}-06-01,{3 * area + 0.45 * area * max(draws.gauss(0, 1), 0)}"
    lopsided = place.write("l.csv", drawn("area,kind,built,price", 900, misses_above))
    follow(place, csv, advice(place.evaluate(lopsided).messages, "--sides"))


def test_what_evaluate_advises_about_rows_that_differ_restores_coverage(place):
    def sensor(count, seed, shift=0.0, move=0.0, slope=2.0):
        def row(i, draws):
            x = draws.uniform(-3, 3)
            return f"{x},{10 + slope * x + shift + move * i / count + draws.gauss(0, 1)}"
        return drawn("x,y", count, row, seed)
    csv = place.write("fit.csv", sensor(1200, 1))
    fit = ["fit", csv, "--model", place.model, "--calibration-folds", "0", "--coverage", "0.9", "--set", "predictor.kind=boosted"]
    lacp(*fit)

    def covered(model, table):
        return float(frame(lacp("evaluate", model, table, "--csv").output)[0]["coverage"])

    def advised(table):
        said = " ".join(place.evaluate(table).output.split())
        return said.split("advice: ")[1]
    # Rows that came, what is advised, and the rows that come next.
    for came, option, next_ones in [
            (sensor(600, 2, shift=3), "--instead", sensor(1000, 3, shift=3)),
            (sensor(2000, 4, shift=1, move=2), "--window 200", sensor(1000, 5, shift=3))]:
        table, later = place.write("came.csv", came), place.write("next.csv", next_ones)
        command = re.search("`lacp (update .*?)`", advised(table))[1]
        assert command.endswith(option)
        assert covered(place.model, later) < 0.4
        shell(f"\"$0\" {command.replace('FILE', str(place / 'newer.lacp'))}")
        assert covered(place / "newer.lacp", later) > (0.86 if option == "--instead" else 0.84)
    # The slope is another: no calibration makes the prediction any better.
    stale = place.write("stale.csv", sensor(600, 6, slope=-2))
    said = advised(stale)
    check_has(said, "the prediction itself is stale (R² -", "at the fit)", "--target y --coverage 0.9 --model FILE`")
    again = run_advised(said, place / "again.lacp", "--calibration-folds 0 --set predictor.kind=boosted")
    later = place.write("next.csv", sensor(1000, 7, slope=-2))
    assert covered(again, later) > 0.86
    assert float(frame(lacp("evaluate", again, later, "--csv").output)[0]["r2"]) > 0.8


def run_advised(said, file, more=""):
    """Runs the command of an advice, whose FILE this one is."""
    command = re.search("`lacp (.*?)`", said)[1]
    assert command.count("FILE") == 1, command
    shell(f"\"$0\" {command.replace('FILE', str(file))} {more}")
    return file


def advised_by(ran):
    return " ".join(ran.output.split()).split("advice: ")[1]


QUICK = ["--method", "fixed", "--quiet", "--set", "predictor.kind=boosted", "predictor.rounds=40"]


def test_a_new_fit_is_advised_with_all_that_the_model_knows(place):
    def visits(count, seed, slope, name, gaps=0.2):
        """The target stands first, and its name needs quotes."""
        def row(i, draws):
            x, z = draws.gauss(0, 1), draws.gauss(0, 1)
            y = min(max(10 + slope * x + z + draws.gauss(0, 1), -50), 70)
            return f"{y:.5f},{name}{i // 3},{'' if draws.random() < gaps else f'{z:.5f}'},{x:.5f}"
        return drawn("it's y,patient,z,x", count, row, seed)
    known, new = place.write("known.csv", visits(3000, 1, 5, "a")), place.write("it's new.csv", visits(900, 2, -5, "b"))
    lacp("fit", known, "--target", "it's y", "--model", place.model, *QUICK, "--group", "patient", "--by", "missing",
         "--coverage", "0.9,0.8", "--clip=-50,70")
    said = advised_by(place.evaluate(new))
    check_has(said, "stale", "new.csv' --target 'it'\\''s y' --method fixed --coverage 0.9,0.8 --group patient --by missing",
              "--clip=-50,70 --model FILE`")
    again = run_advised(said, place / "again.lacp", "--set predictor.kind=boosted --set predictor.rounds=40")
    lacp("info", again, prints=["predicts it's y", "patient; one row", "intervals end at -50 and 70", "by missing"])
    # Where no cell is missing, `fit` would refuse to calibrate by gaps.
    whole = place.write("whole.csv", visits(900, 3, -5, "c", gaps=0))
    check_lacks(run_advised_text(place, whole), "--by")
    # Predictions of one's own are judged by nobody; a model of them is fitted again with them.
    few = place.write("few.csv", visits(45, 4, -5, "d"))
    check_has(advised_by(place.evaluate(few)), "fit again with rows like these")


def run_advised_text(place, table):
    said = advised_by(place.evaluate(table))
    run_advised(said, place / "again.lacp", "--set predictor.kind=boosted --set predictor.rounds=40")
    return said


def numbers_of(count, seed, shift=0.0, kinds="ab", move=0.0, step=None):
    def row(i, draws):
        x = draws.uniform(0, 9)
        y = 10 + 2 * x + shift + move * i / count + draws.gauss(0, 1)
        return f"{x:.5f},{draws.choice(kinds)},{y if step is None else step * round(y / step)}"
    return drawn("x,kind,y", count, row, seed)


def test_an_advised_update_has_the_options_that_the_table_needs(place):
    known = numbers_of(1200, 1)
    lacp("fit", place.write("fit.csv", known), "--model", place.model, *QUICK, "--coverage", "0.9")
    newer = place / "newer.lacp"
    unseen = place.write("unseen.csv", numbers_of(500, 2, 5, "abz") + "no number,a,3\n")
    options = ["--unseen", "zeros", "--skip-bad"]
    said = advised_by(place.evaluate(unseen, *options))
    check_has(said, "--unseen zeros --skip-bad --output FILE --instead`")
    run_advised(said, newer)
    # With rows of the fit among them.
    mixed = place.write("mixed.csv", "".join(known.splitlines(True)[:101]) + numbers_of(500, 3, 5).split("\n", 1)[1])
    said = advised_by(place.evaluate(mixed))
    check_has(said, "--known drop --output FILE --instead`")
    run_advised(said, newer)
    lacp("info", newer, prints="calibrated on 500 rows")
    book = place.write("my book.xlsx", xlsx_of("note\n1\n", numbers_of(500, 4, 5)))
    said = advised_by(place.evaluate(book, "--sheet", "2"))
    check_has(said, "my book.xlsx' --sheet 2 --output FILE")
    run_advised(said, newer)


def test_targets_that_an_update_would_refuse_lead_to_a_new_fit(place):
    fit = ["--model", place.model, *QUICK, "--coverage", "0.9"]
    lacp("fit", place.write("fit.csv", numbers_of(1200, 1)), *fit, "--clip", "0,35")
    beyond = place.write("beyond.csv", numbers_of(500, 2, 8))
    said = advised_by(place.evaluate(beyond))
    check_has(said, "fit again with rows like these", "expected 0 to 35, the limits of the fit")
    check_lacks(said, "--clip")
    run_advised(said, place / "again.lacp")
    lacp("fit", place.write("whole.csv", numbers_of(1200, 1, step=1)), *fit)
    halves = place.write("halves.csv", numbers_of(500, 2, 8, step=0.5))
    said = advised_by(place.evaluate(halves))
    check_has(said, "fit again with rows like these", "expected a whole number")
    run_advised(said, place / "again.lacp")


def test_a_window_counts_what_calibrates_and_no_option_is_advised_that_was_just_used(place):
    def visits(patients, seed, name, shift=0.0, move=0.0):
        def row(i, draws):
            row.own = draws.gauss(0, 1) if i % 5 == 0 else row.own
            x = draws.uniform(-3, 3)
            return f"{name}{i // 5},{x},{10 + 2 * x + row.own + shift + move * i / (5 * patients) + 0.3 * draws.gauss(0, 1)}"
        return drawn("patient,x,y", 5 * patients, row, seed)
    lacp("fit", place.write("v.csv", visits(300, 1, "p")), "--model", place.model, *QUICK, "--coverage", "0.9", "--group",
         "patient")
    # 90 groups are fewer than a window of 100: it would reach back into rows of the fit.
    check_has(advised_by(place.evaluate(place.write("few.csv", visits(90, 2, "q", 2, 8)))), "--instead`")
    many = place.write("many.csv", visits(300, 3, "r", 2, 8))
    said = advised_by(place.evaluate(many))
    check_has(said, "calibrate by its last groups", "--window 100`")
    newer = run_advised(said, place / "newer.lacp")
    lacp("info", newer, prints="calibrated on 100 rows")

    lacp("fit", place.write("fit.csv", numbers_of(1200, 1)), "--model", place.model, *QUICK, "--coverage", "0.9")
    moving = place.write("moving.csv", numbers_of(3000, 2, move=8))
    check_has(advised_by(place.evaluate(moving)), "--window 300`")
    update = ["update", place.model, moving, "--output", newer]
    ran = lacp(*update, "--window", "300", prints="of the newest 300 rows before, ")
    check_lacks(ran.output + ran.messages, "BEWARE", "advice", "--instead")
    check_lacks(lacp(*update, "--instead").messages, "--instead")


def test_no_update_is_advised_that_leaves_a_class_without_rows(place):
    lacp("fit", place.write("fit.csv", numbers_of(3000, 1, kinds="abcd")), "--model", place.model, *QUICK, "--coverage", "0.9",
         "--by", "kind")
    one = place.write("one.csv", numbers_of(300, 2, 3, "d"))
    said = advised_by(place.evaluate(one))
    check_has(said, "calibrate by these rows, too", "some classes of 'kind' would have too few rows")
    check_lacks(said, "--instead", "--window")
    ran = lacp("update", place.model, one, "--output", run_advised(said, place / "newer.lacp"))
    check_lacks(ran.output + ran.messages, "advice", "--instead", "no calibration row is left")
    lacp("predict", place / "newer.lacp", place / "fit.csv", "--output", place / "out.csv")
    check_lacks((place / "out.csv").read_text(), "inf")
    ran = lacp("update", place.model, one, "--output", place / "newer.lacp", "--instead", "--quiet")
    check_has(ran.messages, "no calibration row is left of 3 classes of kind: 'a' (", "'c' (", "their intervals are infinite")
    two = place.write("two.csv", numbers_of(100, 2, 3, "d") + numbers_of(5, 3, 3, "a").split("\n", 1)[1])
    ran = lacp("update", place.model, two, "--output", place / "newer.lacp", "--window", "105", "--quiet")
    check_has(ran.messages, "coverage 0.9 needs 19 rows, but these have only 5 together, so their intervals are infinite: 'a' (5 rows)")


def test_what_run_advises_works(done, place):
    other = [*done.command, "--set", "training.epochs=1", "--methods", "fixed"]
    lacp(*other, "--name", "NAME")
    lacp(*other, "--force")
    one_run = ["--methods", "fixed", "--runs", "1"]
    # All three shares are named, with those that were set as they are, if they can be.
    shares = [*done.command, "--name", "shares", "--force", *one_run, "--set"]
    for given, advised in [
            ("split.test=0.4", "split.proper=0.3 split.train=0.3 split.test=0.4"),
            ("split.proper=0.8 split.test=0.1", "split.proper=0.8 split.train=0.1 split.test=0.1"),
            ("split.proper=0.8 split.test=0.4", "split.proper=0.5 split.train=0.25 split.test=0.25")]:
        lacp(*shares, *given.split(), status=2, says=f"say --set {advised} (")
        lacp(*shares, *advised.split())

    own = place.write("own.yaml", f"based_on: {done.command[1]}\nreference: {{file: gone.csv, beside: gone.csv}}\n")
    command = ["run", own, *done.command[2:], "--name", "own", *one_run]
    file = advice(lacp(*command, status=2).messages, "--set")
    beside = advice(lacp(*command, *file.split(), status=2).messages, "--set")
    assert (file, beside) == ("--set reference.file=", "--set reference.beside=")
    lacp(*command, *file.split(), *beside.split())


def test_what_datasets_advises_works(place):
    elsewhere = {name: value for name, value in os.environ.items() if name != "LACP_DATASETS"}
    lacp("datasets", cwd=place.folder, env=elsewhere, status=2, says="--datasets-folder or LACP_DATASETS")
    lacp("datasets", "--datasets-folder", SOURCE / "datasets", cwd=place.folder, env=elsewhere)
    csv = place.write("houses.csv", houses(100, 1))
    (place / "datasets").mkdir()
    add = ["datasets", "--datasets-folder", place / "datasets", "add", csv]
    lacp(*add)
    lacp(*add, status=2, says="another name (--name)")
    lacp(*add, "--name", "other")


def test_what_is_advised_about_failed_tasks_works(place):
    def failing(name):
        return quick_words(place / "results", "--name", name, "--runs", "1", "--datasets", "cos", "--methods",
                           "exp,fixed", *DIVERGING)
    refused("expected a name of letters", *failing("it's new"))  # and so needs no quotes
    again = "To try them again: lacp "
    retry = lacp(*failing("new"), status=1).messages.split(again)[1]
    shell(f"\"$0\" {retry}", status=1, says=["1 task, 0 done, 1 to run", again + retry])


def test_of_an_array_that_was_begun_again_in_part_the_share_is_known_and_how_many_there_are_is_not(done):
    for first, last, shard in [("0", "6", "--shard 1/N"), ("3", "7", "--shard 3/N")]:
        array = {**os.environ, "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_ARRAY_TASK_ID": first,
                 "SLURM_ARRAY_TASK_MIN": first, "SLURM_ARRAY_TASK_MAX": last}
        said = lacp(*done.command, "--dry-run", env=array, status=2).messages
        assert advice(said, "--shard") == shard
        lacp(*done.command, "--dry-run", *shard.replace("N", "8").split(), env=array)
