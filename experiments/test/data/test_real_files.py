"""Tables as spreadsheets and people write them: read to the same numbers, or refused with one line."""
import shutil

from program import check_has, check_lacks, drawn, lacp, refused, table_of


def draft(place, table, *more, **expected):
    """Runs `lacp datasets add` of a table: the description that it writes."""
    shutil.rmtree(place / "datasets", ignore_errors=True)
    (place / "datasets").mkdir()
    lacp("datasets", "--datasets-folder", place / "datasets", "add", place.write("t.csv", table), *more, **expected)
    return place.read("datasets/t.yaml")


def european(text):
    return text.translate(str.maketrans(",.", ".,"))


def money(value, style):
    if style == "eu":
        return european(f"{value:,.2f} €")
    if style == "us":
        return f'"({-value:,.2f})"' if value < 0 else f'"${value:,.2f}"'
    return f"{value:.2f}"


def flats(n, seed, style):
    """Flats with an income, a share, a balance, a day, a postcode, a note, a column of nothing and a rent. Some have no
    balance, and some no rent."""
    day_of = {"plain": "2020-{0:02}-{1:02}", "us": "{0:02}/{1:02}/2020", "eu": "{1:02}.{0:02}.2020"}[style]
    delimiter = ";" if style == "eu" else ","

    def flat(i, draws):
        income, balance, share = draws.uniform(500, 9000), draws.randint(-2000, 2000), draws.randint(1, 99)
        month, day, code = draws.randint(1, 12), draws.randint(1, 28), draws.randrange(90)
        garden, no_balance, no_rent = (draws.random() < part for part in (0.5, 0.03, 0.02))
        rent = round(300 + 0.1 * income + 2 * share + 0.05 * balance + 10 * month + 50 * garden + 10 * (code % 30)
                     + 20 * draws.gauss(0, 1))
        return delimiter.join([
            money(income, style), f"{share}{'' if style == 'plain' else '%'}",
            "-" if no_balance else money(balance, style), day_of.format(month, day), "yes" if garden else "no",
            f"D{code}", f'"note {i}; {seed}, x"', "", "" if no_rent else money(rent, style)])
    names = ["income", "share", "balance", "sold", "garden", "code", "note", "nothing", "rent"]
    return drawn(delimiter.join(names), n, flat, seed)


def as_is(_, cell):
    return cell


def with_cells(income=as_is, rent=as_is):
    """400 incomes and rents, some of them changed."""
    def row(i, draws):
        x = draws.uniform(1000, 9000)
        y = 500 + 0.2 * x + 30 * draws.gauss(0, 1)
        return f"{income(i, f'{x:.2f}')},{rent(i, f'{y:.1f}')}"
    return drawn("income,rent", 400, row)


def test_a_text_among_numbers_is_refused_by_its_line_and_column_and_is_a_gap_only_if_that_is_said(place):
    for name, at, mark, said in [("rent", "column 2 'rent'", "on request", "19 of 400 rows have no target"),
                                 ("income", "column 1 'income'", "secret", "")]:
        text = with_cells(**{name: lambda i, cell: mark if i % 22 == 3 else cell})
        table = place.write("t.csv", text)
        refused(f"t.csv:5: {at}: found '{mark}' in 19 of 400 cells; expected numbers; correct them, or say --missing",
                place.fit_fixed, table)
        assert not place.model.exists()
        place.fit_fixed(table, "--missing", mark, says=said)
        check_has(draft(place, text, "--target", "rent", "--missing", mark), f'marks: ["{mark}"]')
        if name == "income":
            place.predict(place.write("new.csv", "income\nsecret\n"))
        place.model.unlink()


def test_american_and_european_sheets_give_the_intervals_that_plain_numbers_give(place):
    found = []
    for style in "plain", "us", "eu":
        place.fit_fixed(place.write(f"{style}.csv", flats(400, 1, style)), "--target", "rent", "--coverage", "0.9",
                        says="have no target ('')")
        columns = place.columns()
        assert columns["sold"] == ("date", 3) and columns["code"] == ("mean of target", 1)
        assert "note" not in columns and "nothing" not in columns
        more = place.write(f"more_{style}.csv", flats(300, 2, style))
        found.append(place.intervals(more))
    assert found[0] == found[1] == found[2]


def test_what_could_be_either_is_decided_by_the_column_said_and_settable(place):
    def table(delimiter, x, day=lambda i: f"{1 + i % 12:02}/{1 + i % 11:02}/2020"):
        return table_of(delimiter.join(["x", "day", "y"]), 120,
                        lambda i: delimiter.join([x(i), day(i), str(i * i % 17)]))
    quoted = table(",", lambda i: f'"1,{101 + i}"')
    check_has(draft(place, table(";", lambda i: f"1,{101 + i}")),
              "decimal: comma  # guess: '1,101' is read as 1.101", "--decimal point")
    check_has(draft(place, quoted), "decimal: point  # guess: '1,101' is read as 1101", "--decimal comma",
              "date: month_first  # guess: '12/01/2020' could be either", "--date day_first")
    check_has(draft(place, quoted, "--decimal", "comma", "--date", "day_first"),
              "  decimal: comma  # --decimal\n  date: day_first  # --date\n")
    both = table(",", str, lambda i: "31/01/2020" if i % 2 else "01/30/2020")
    unused = ["column 'x' is not used", "column 'day' is not used"]  # x counts the rows
    check_has(draft(place, both, status=2, says=unused), "guess: dates in another order than the table's, as '31/01/2020'\n")


def test_a_column_of_many_levels_is_read_by_the_mean_of_the_target_and_may_have_others_later(place):
    def postcodes(n, seed, letter="P"):
        def row(_, draws):
            code, area = draws.randrange(150), draws.uniform(20, 200)
            rent = 1500 + 5 * area + 8 * (code * 7919 % 150 - 75) + 30 * draws.gauss(0, 1)
            return f"{letter}{code},{area},{rent}"
        return drawn("postcode,area,rent", n, row, seed)
    text = postcodes(1500, 1)
    place.fit_fixed(place.write("t.csv", text))
    assert place.columns()["postcode"] == ("mean of target", 1)
    place.predict(place.write("unseen.csv", postcodes(50, 3, "Q")),
                  says="50 cells with a category that the fit has not seen")
    # An experiment splits the rows again and again: it has no such means.
    draft(place, text, says="column 'postcode' is not used: 150 different values")
    yaml = place.write("by_mean.yaml",
                       "title: T\nsource: {file: t.csv}\ntarget: rent\ncolumns: {means: [postcode]}\n")
    lacp("datasets", "check", yaml, status=2, says="'postcode' is read by the mean of the target")


def test_what_spreadsheets_add_to_a_table_marks_indices_ids_names_twice_windows(place):
    text = table_of('\ufeff,"Customer ID",size,size,same,price\r', 200, lambda i: (
        f"{i * 7919 % 997},{100000 + i * 7919 % 1009},{i % 13},{i % 7},5,{3 * (i % 13) + i % 7 + i % 3}\r"))
    place.fit_fixed(place.write("t.csv", text), "--target", "price",
                    says="this one is called 'size (2)'", prints="not used    ")
    assert list(place.columns()) == ["size", "size (2)"]
    place.predict(place.write("new.csv", "size,size\r\n3,4\r\n"))
    for encoding in ["utf-16", "utf-16-le", "utf-32", "utf-32-be"]:  # the first and third begin with a mark
        wide = place.write("wide.csv", "a,y\n1,2\n".encode(encoding))
        for command in place.fit, place.predict:
            refused(f"wide.csv: looks like {encoding[:6].upper()}: iconv ", command, wide)
    for begin in [b"PK\x03\x04", b"\xD0\xCF\x11\xE0", b"\x1F\x8B\x08", b"PAR1\x15"]:
        refused("old.xls: is not text; expected csv, csv.gz or xlsx", place.fit,
                place.write("old.xls", begin + b"a,y\n1,2\n"))
    two = table_of("x,y", 200, lambda i: f"{i % 17},{int(i % 17 > 8)}")
    place.fit_fixed(place.write("two.csv", two), says="target 'y' has two values")


def test_numbers_that_begin_with_0_are_names_unless_they_are_said_to_be_numbers(place):
    def table(codes):
        return table_of("plz,size,rent", 400, lambda i: (
            f"{1067 + i * 7919 % codes * 211:05},{i % 13},{i % 7 + i % 13}"))

    def kind_of(codes):
        place.fit_fixed(place.write("f.csv", table(codes)), "--target", "rent")
        return place.columns()["plz"]
    rent = ["--target", "rent"]
    check_has(draft(place, table(40), *rent),
              '  categories:\n    - "plz"  # guess: 40 different values in 400 cells, names',
              "since '01067' begins with 0", "--numbers plz")
    assert kind_of(120) == ("mean of target", 1)
    # An experiment has no category of that many values; they are no numbers to it either.
    check_has(draft(place, table(120), *rent), '  drop:\n    - "plz"  # guess: 120 different values')
    # Read as numbers: where that is said, and where hardly one occurs again, by `add` and by `fit`.
    check_lacks(draft(place, table(40), *rent, "--numbers", "plz"), "plz")
    check_lacks(draft(place, table(300), *rent), "plz")
    assert kind_of(300) == ("number", 1)
    assert kind_of(40) == ("category", 40)
    north = place.write("t.csv", table(40).replace("01067", "north", 1))
    refused("column 1 'plz': ", place.fit_fixed, north, *rent, "--numbers", "plz")


def test_years_over_columns_of_other_numbers_are_names_and_over_years_they_are_none(place):
    for header, first, row in [("true", "country,code,2001,2002,2003", "France,FR,3.1,{0}.2,{1}.5"),
                               ("true", "2000,2005,2010", "1,{0},{1}"), ("false", "Berlin,2001,7", "Paris,{0},{1}"),
                               ("false", "Berlin,2001,2002", "Paris,19{0:02},20{1:02}")]:
        table = table_of(first, 120, lambda i: row.format(i * 37 % 97, i * i % 97))
        check_has(draft(place, table), f"\n  header: {header} ")


def test_lines_that_end_with_a_carriage_return_alone_are_refused_by_one_line_by_fit_and_by_predict(place):
    told = "old.csv: its lines end as on old Macs"
    old = place.write("old.csv", "x,y\r1,2\r3,4\r")
    refused(told, place.fit, old)
    place.fit_fixed(place.write("t.csv", with_cells()))
    refused(told, place.predict, old)


def test_points_of_thousands_are_seen_beside_whole_numbers_without_and_else_said(place):
    def german(n):
        return f"{n:,}".replace(",", ".")

    def towns(written):
        def town(_, draws):
            people = draws.randrange(20, 3000)
            return f"{written(people)};{written(300 + 2 * people + round(draws.gauss(0, 100)))}"
        return drawn("people;sales", 300, town)
    place.fit_fixed(place.write("plain.csv", towns(str)))
    expected = place.intervals(place.write("new.csv", "people\n1872\n59\n"))
    check_has(draft(place, towns(german)), "decimal: comma  # guess: ", "; if wrong, say --decimal point")
    place.fit_fixed(place.write("t.csv", towns(german)))
    assert place.intervals(place.write("german.csv", "people\n1.872\n59\n")) == expected
    # Weights of some kilograms: nothing tells, so it is said.
    weights = drawn("kg;y", 200, lambda _, draws: f"{draws.randrange(1000, 9000) / 1000:.3f};{draws.randrange(9)}")
    check_has(draft(place, weights), "decimal: point  # guess: '", "; if wrong, say --decimal comma")


def test_months_and_quarters_are_dates_so_that_later_ones_are_predicted(place):
    for write in ["{1}-{0:02}", "Q{2} {1}"]:
        def month(i, write=write):
            at = i // 10
            return write.format(1 + at % 12, 2020 + at // 12, 1 + at % 12 // 3)
        place.fit_fixed(place.write("t.csv", drawn("month,x,y", 300, lambda i, draws, month=month: (
            f"{month(i)},{draws.random()},{i // 10 + draws.random()}"))))
        assert place.columns()["month"] == ("date", 2)
        place.predict(place.write("new.csv", f"month,x\n{month(480)},0.5\n"))
    days = drawn("day,x,y", 300, lambda i, draws: f"2020-{1 + i % 12:02}-{1 + i % 28:02},{draws.random()},{i}")
    place.fit_fixed(place.write("t.csv", days))
    refused("found '2021-01', which has no weekday", place.predict, place.write("new.csv", "day,x\n2021-01,0.5\n"))
