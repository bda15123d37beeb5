"""`lacp predict` and `lacp evaluate`: bad tables, long tables, damaged models, any coverage, bounds, quantiles and --why."""
import gzip
import os

import numpy
import pytest
from program import PROGRAM, SANITIZER, check_has, drawn, frame, houses, lacp, peak_memory, refused, run, shell, table_of
from sheets import xlsx_of


def predicted(place, table):
    """The bytes that predict writes."""
    place.predict(table)
    return (place / "out.csv").read_bytes()


def test_predict_copies_columns_and_reads_standard_input_and_xlsx(fitted):
    table = fitted.write("new.csv", 'note,area,kind,built\n"a, ""b""",50,flat,2000-06-01\n7,60,house,2000-06-01\n')
    rows = fitted.intervals(table, "--coverage", "0.995,0.9", "--keep", "note,kind")
    assert ",".join(rows[0]) == "line,note,kind,prediction,lower_99.5,upper_99.5,lower_90,upper_90"
    assert (rows[0]["note"], rows[1]["kind"]) == ('a, "b"', "house")
    for keep, part in [("notes", "(did you mean 'note'?)"), ("prediction", "--keep prediction: ")]:
        refused(part, fitted.predict, table, "--keep", keep)
    expected = predicted(fitted, table)
    for name in ["-", "/dev/stdin"]:
        read = shell("\"$0\" predict \"$1\" \"$2\" --quiet < \"$3\"", fitted.model, name, table, binary=True)
        assert read.output == expected
    # The same table as a sheet.
    sheet = fitted.write("NEW.XLSX", xlsx_of(table.read_text()))
    assert predicted(fitted, sheet) == expected
    refused("NEW.XLSX, sheet 1 ", fitted.fit, sheet, "--target", "rent")
    apart = ["--calibration", "split", "--quiet"]
    fitted.fit_fixed(fitted / "houses.csv", *apart)
    model = fitted.model.read_bytes()
    fitted.fit_fixed("-", *apart, given=fitted.read("houses.csv"))
    assert fitted.model.read_bytes() == model


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
    fitted.predict(one, "--unseen", "zeros", says="1 cell with a category that the fit has not seen")
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
    part = fitted.evaluate(bad, "--skip-bad", says=["2 of 202 rows left out", "bad.csv:202: column 2 'kind'"])
    assert part.output.replace("bad.csv", "good.csv") == fitted.evaluate(good).output
    none = fitted.write("none.csv", "area,kind,built,price\n50,flat,2000-01-01,unknown\n")
    refused("found 'unknown'", fitted.evaluate, none, "--skip-bad")


def test_a_table_packed_by_gzip_is_read_like_any_other_and_a_damaged_one_leaves_nothing(fitted):
    table = houses(4000, 6)
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
    header, rows = houses(4000, 7).split("\n", 1)
    bad = fitted.write("bad.csv.gz", gzip.compress(f"{header}\nx,flat,2000-01-01,1\n{rows}".encode()))
    refused("bad.csv.gz:2: column 1 'area': found 'x'", fitted.predict, bad)


def test_a_long_table_gives_the_same_bytes_with_any_number_of_threads_kernels_and_from_a_pipe(fitted):
    rows = frame(houses(5000, 4))
    # Several pieces, some of which end within quotes.
    text = table_of("note,built,area,price,kind", len(rows), lambda i: ",".join(
        [f'"n, {i:0200}"', *(rows[i][name] for name in ["built", "area", "price", "kind"])]))
    assert len(text) > 3 << 18
    table = fitted.write("new.csv", text)

    def predicted(*more):
        fitted.predict(table, *more)
        return fitted.read("out.csv")
    one = predicted("--jobs", "1")
    assert one.count("\n") == 5001
    assert predicted("--jobs", "3") == one
    none = run("env", "LACP_KERNELS=none", PROGRAM, "--version", status=2, says="it can run scalar, portable")
    for kernels in none.messages.split(" it can run ")[1].strip().split(", "):
        piped = shell('cat "$2" | LACP_KERNELS="$3" "$0" predict "$1" /dev/stdin --quiet', fitted.model, table, kernels)
        assert piped.output == one
    # The first bad row of the table is the one that is named, whichever piece is done first.
    lines = text.splitlines(True)
    bad = fitted.write("bad.csv", "".join([*lines[:2000], "early\n", *lines[2000:-1], "late\n", lines[-1]]))
    for jobs in "13":
        refused("bad.csv:2001: the row has", fitted.predict, bad, "--jobs", jobs)
    assert fitted.read("out.csv") == one  # of the last predict that went well


@pytest.mark.skipif(bool(SANITIZER), reason="memory of its own")
def test_memory_does_not_grow_with_the_table(place):
    place.fit_fixed(place.write("houses.csv", houses(200, 1)))
    header, *lines = houses(3000, 5).splitlines()
    rows = "".join(f"{line},{'-' * 200}\n" for line in lines)

    def peak(copies):
        table = place.write("long.csv", f"{header},note\n{copies * rows}")
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
            (b"area,price\n1,2\n", "it does not start as one")]:
        fitted.model.write_bytes(data)
        refused(f"{fitted.model}: is not a usable model: {part}", "predict", fitted.model, table)
    refused("none.lacp: cannot be read", "predict", fitted / "none.lacp", table)


@pytest.mark.skipif(SANITIZER == "thread", reason="its own memory is a file: no program starts under such a limit")
def test_a_full_disk_under_the_output_is_told_and_leaves_nothing(fitted):
    table = fitted.write("new.csv", houses(4000, 6))
    before = set(os.listdir(fitted.folder))
    shell('ulimit -f 64; exec "$0" predict "$1" "$2" --output "$3"', fitted.model, table, fitted / "out.csv",
          status=1, says="out.csv: writing failed: File too large")
    assert set(os.listdir(fitted.folder)) == before


def columns(rows):
    """The columns of a table, as arrays."""
    return {name: numpy.array([float(row[name]) for row in rows]) for name in rows[0]}


def test_predict_accepts_any_coverage_bounds_and_quantiles_whatever_the_fit_was_asked_for(fitted):
    table = fitted.write("new.csv", houses(200, 3))
    usual = fitted.intervals(table)
    more = fitted.intervals(table, "--coverage", "0.97,0.95,90,0.68,0.6")
    assert len(more[0]) == 2 + 2 * 5
    assert len(more) == 200
    for name in ["prediction", "lower_95", "upper_95", "lower_90", "upper_68"]:
        assert [row[name] for row in more] == [row[name] for row in usual]
    wide = columns(more)
    assert all(wide["lower_97"] <= wide["lower_95"])
    assert all(wide["upper_60"] <= wide["upper_68"])
    fitted.predict(table, "--coverage", "0.9999", says="needs 9999 rows that calibrate")
    fitted.predict(table, "--coverage", "0.99999999,0.99999998")
    check_has(fitted.read("out.csv"), ",lower_99.999999,upper_99.999999,lower_99.999998,upper_99.999998\n")
    for option, value in [("--quantiles", "2"), ("--upper", "0.9,0.9"), ("--coverage", "0.1")]:
        refused(option, fitted.predict, table, option, value)
    one = columns(fitted.intervals(table, "--upper", "0.95", "--lower", "95", "--quantiles", "0.9,0.1"))
    names = ["lower_bound_95", "quantile_10", "quantile_90", "upper_bound_95"]
    assert set(names) < set(one)
    for lower, upper in zip(names, names[1:]):
        assert all(one[lower] <= one[upper])
    refused("--why: needs --coverage", fitted.predict, table, "--why", "--quantiles", "0.5")


def test_quantiles_of_counts_are_never_below_zero_and_cover(place):
    def row(_, draws):
        x = draws.random()
        return f"{x},{sum(draws.random() < 0.3 * x for _ in range(10))}"
    place.fit(place.write("t.csv", drawn("x,y", 1200, row)))
    fresh = place.write("new.csv", drawn("x,y", 600, row, seed=2))
    y = columns(frame(fresh.read_text()))["y"]
    found = columns(place.intervals(fresh, "--quantiles", "0.1,0.25,0.5,0.9"))
    for share in [10, 25, 50, 90]:
        assert (found[f"quantile_{share}"] >= 0).all()
    # Four standard errors of what 240 rows calibrate and 600 show.
    assert (y <= found["quantile_90"]).mean() > 0.9 - 4 * (0.09 * (1 / 240 + 1 / 600)) ** 0.5


def rows_of(count, seed, spread, noisy=(0.0, 1.0)):
    """y = 3 a + noise; its deviation follows from the column `noisy` and from `kind`."""
    def row(_, draws):
        a, c, kind = draws.random(), draws.uniform(*noisy), draws.choice(["p", "q"])
        return f"{a},{c},{kind},{3 * a + spread(c, kind) * draws.gauss(0, 1)}"
    return drawn('"a, b",noisy,kind,y', count, row, seed)


def why(place, spread, noisy=(0.0, 1.0)):
    lacp("fit", place.write("fit.csv", rows_of(1500, 1, spread)), "--target", "y", "--coverage", "0.9", "--model", place.model)
    rows = place.intervals(place.write("new.csv", rows_of(100, 2, spread, noisy)), "--why")
    assert list(rows[0]) == ["line", "prediction", "lower_90", "upper_90", "why"]
    return [row["why"] for row in rows]


@pytest.mark.parametrize(("spread", "noisy"), [
    (lambda c, _: 0.2 + 2 * c, (0.8, 1.0)),
    (lambda c, _: 1.2 - 2 * abs(c - 0.5), (0.4, 0.6)),  # wide where the column has its mean
])
def test_the_column_that_drives_the_noise_is_named_first(place, spread, noisy):
    assert sum(text.startswith("noisy +") for text in why(place, spread, noisy)) >= 95


def test_why_names_a_category_as_one_column_and_nothing_where_all_rows_have_the_same_noise(place):
    found = why(place, lambda _, kind: 0.3 + 1.2 * (kind == "q"))
    kinds = [row["kind"] for row in frame(place.read("new.csv"))]
    assert sum(text.startswith("kind +") == (kind == "q") for text, kind in zip(found, kinds)) >= 95
    assert sum(text == "" for text in why(place, lambda *_: 1.0)) >= 80
