"""`lacp predict` and `lacp evaluate`: bad tables, long tables, damaged models."""
import gzip
import os

import pytest
from program import PROGRAM, SANITIZER, check_has, frame, houses, lacp, peak_memory, refused, run, shell, table_of


def test_what_predict_refuses_is_named_with_file_line_and_column_and_nothing_is_written(fitted):
    for name, table, part in [
            ("new.csv", "area,price\n1,2\n", "new.csv: has no column 'kind', 'built'"),
            ("new.csv", "area,kind,built\n1,tent,2000-01-01\n", "new.csv:2: column 2 'kind': found 'tent'"),
            ("new.xlsx", "x", "new.xlsx: cannot be unpacked: it is no zip archive")]:
        refused(part, fitted.predict, fitted.write(name, table))
    refused("none.csv: cannot be read", fitted.predict, fitted / "none.csv")
    refused("No such file", fitted.predict, fitted / "none.csv.gz")
    assert not (fitted / "out.csv").exists()
    no_target = fitted.write("no_target.csv", "area,kind,built\n1,flat,2000-01-01\n")
    refused("has no column 'price'", fitted.evaluate, no_target)


def test_unseen_zeros_counts_and_skip_bad_keeps_what_it_leaves_out_in_a_file_with_the_reason(fitted):
    one = fitted.write("one.csv", "area,kind,built\n50,tent,2000-01-01\n")
    fitted.predict(one, "--unseen", "zeros", says="1 cell named a category that the fit has not seen")
    lacp("predict", "--help", prints="o.bad.csv beside o.csv")
    table = fitted.write("new.csv", 'area,kind,built\n50,flat,2000-01-01\n50,tent,2000-01-01\n'
                         '"4""4",flat,2000-01-01\n60,house,2000-01-01\n')
    fitted.predict(table, "--skip-bad", says=["2 rows", str(fitted / "out.bad.csv")])
    bad = frame(fitted.read("out.bad.csv"))
    assert [row["line"] for row in frame(fitted.read("out.csv"))] == ["2", "5"]
    assert [row["line"] for row in bad] == ["3", "4"]
    for row, part in zip(bad, ["found 'tent'", "column 1 'area': found '4\"4'"]):
        check_has(list(row.values())[1], part)


def test_evaluate_stops_at_a_bad_row_or_with_skip_bad_leaves_it_out_and_says_so(fitted):
    good = fitted.write("good.csv", houses(200, 5))
    bad = fitted.write("bad.csv", houses(200, 5) + "50,tent,2000-01-01,200\n50,flat,2000-01-01,unknown\n")
    refused("bad.csv:202: column 2 'kind': found 'tent'", fitted.evaluate, bad)
    part = fitted.evaluate(bad, "--skip-bad", says=["2 of 202 rows were left out", "bad.csv:202: column 2 'kind'"])
    assert part.output.replace("bad.csv", "good.csv") == fitted.evaluate(good).output
    none = fitted.write("none.csv", "area,kind,built,price\n50,flat,2000-01-01,unknown\n")
    refused("found 'unknown'", fitted.evaluate, none, "--skip-bad")


def test_a_table_packed_by_gzip_is_read_like_any_other_and_a_damaged_one_leaves_nothing(fitted):
    table = houses(8000, 6)
    packed = gzip.compress(table.encode())
    expected = fitted.intervals(fitted.write("new.csv", table))
    assert fitted.intervals(fitted.write("new.csv.gz", packed)) == expected
    (fitted / "out.csv").unlink()
    for file in [fitted.write("cut.csv.gz", packed[:len(packed) // 2]), fitted.write("none.csv.gz", "no gzip")]:
        part = f"{file}: cannot be unpacked: it is "
        for jobs in "13":
            refused(part, fitted.predict, file, "--jobs", jobs, lacks="--skip-bad")
        refused(part, fitted.fit, file)
    assert not (fitted / "out.csv").exists()
    # A bad row ends the reading early: that is what is told.
    header, rows = houses(20000, 7).split("\n", 1)
    bad = fitted.write("bad.csv.gz", gzip.compress(f"{header}\nx,flat,2000-01-01,1\n{rows}".encode()))
    refused("bad.csv.gz:2: column 1 'area': found 'x'", fitted.predict, bad)


def test_a_long_table_gives_the_same_bytes_with_any_number_of_threads_kernels_and_from_a_pipe(fitted):
    rows = frame(houses(20000, 4))
    # Several pieces, some of which end within quotes.
    text = table_of("note,built,area,price,kind", len(rows), lambda i: ",".join(
        [f'"n, {i}"', *(rows[i][name] for name in ["built", "area", "price", "kind"])]))
    assert len(text) > 3 << 18
    table = fitted.write("new.csv", text)

    def predicted(*more):
        fitted.predict(table, *more)
        return fitted.read("out.csv")
    one = predicted("--jobs", "1")
    assert one.count("\n") == 20001
    assert predicted("--jobs", "3") == one
    none = run("env", "LACP_KERNELS=none", PROGRAM, "--version", status=2, says="it can run scalar, portable")
    for kernels in none.messages.split(" it can run ")[1].strip().split(", "):
        piped = shell('cat "$2" | LACP_KERNELS="$3" "$0" predict "$1" /dev/stdin --quiet', fitted.model, table, kernels)
        assert piped.output == one
    # The first bad row of the table is the one that is named, whichever piece is done first.
    lines = text.splitlines(True)
    bad = fitted.write("bad.csv", "".join([*lines[:9000], "early\n", *lines[9000:-1], "late\n", lines[-1]]))
    for jobs in "13":
        refused("bad.csv:9001: the row ends", fitted.predict, bad, "--jobs", jobs)
    assert fitted.read("out.csv") == one  # of the last predict that went well


@pytest.mark.skipif(bool(SANITIZER), reason="memory of its own")
def test_memory_does_not_grow_with_the_table(place):
    place.fit_fixed(place.write("houses.csv", houses(200, 1)))
    text = houses(20000, 5)
    rows = text.split("\n", 1)[1]

    def peak(copies):
        table = place.write("long.csv", text + (copies - 1) * rows)
        return table.stat().st_size, peak_memory("predict", place.model, table, "--jobs", "2")
    few_bytes, few = peak(2)
    many_bytes, many = peak(20)
    assert few_bytes > 1 << 20
    assert many_bytes > 12 << 20
    assert many < few + (4 << 20)


def test_models_that_are_damaged_cut_or_none_are_refused(fitted):
    table = fitted.write("new.csv", houses(10, 3))
    model = fitted.model.read_bytes()
    middle = len(model) // 2
    for data, part in [
            (model[:middle] + bytes([model[middle] ^ 1]) + model[middle + 1:], "it is damaged: its checksum"),
            (model[:middle], "it is damaged"),
            (b"area,price\n1,2\n", "it does not start as one")]:
        fitted.model.write_bytes(data)
        for command in ["predict", "evaluate"]:
            refused(f"{fitted.model}: is not a usable model: {part}", command, fitted.model, table)
    refused("none.lacp: cannot be read", "predict", fitted / "none.lacp", table)


@pytest.mark.skipif(SANITIZER == "thread", reason="its own memory is a file: no program starts under such a limit")
def test_a_full_disk_under_the_output_is_told_and_leaves_nothing(fitted):
    table = fitted.write("new.csv", houses(20000, 6))
    before = set(os.listdir(fitted.folder))
    shell('ulimit -f 64; exec "$0" predict "$1" "$2" --output "$3"', fitted.model, table, fitted / "out.csv",
          status=1, says="out.csv: writing failed: File too large")
    assert set(os.listdir(fitted.folder)) == before
