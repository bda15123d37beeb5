"""Tables as spreadsheets and people write them: read to the same numbers, or refused with one line."""
import math
import re
import shutil

from program import check_has, check_lacks, drawn, lacp, refused, table_of


def chance(*rows, share=0.9):
    """Four standard deviations of a share that is counted in so many rows, and calibrated on so many."""
    return 4 * math.sqrt(share * (1 - share) * sum(1 / n for n in rows))


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
        refused(f"t.csv:5: {at}: 19 of 400 cells in a column of numbers are something else: '{mark}'",
                place.fit_fixed, table)
        assert not place.model.exists()
        place.fit_fixed(table, "--missing", mark, says=said)
        check_has(draft(place, text, "--target", "rent", "--missing", mark), f'marks: ["{mark}"]')
        if name == "income":
            place.predict(place.write("new.csv", "income\nsecret\n"))
        place.model.unlink()


def test_numbers_with_thousands_separators_are_not_lost_and_currencies_are_not_mixed(place):
    def predictions(table, more):
        place.fit_fixed(place.write("t.csv", table))
        return place.intervals(place.write("new.csv", more))
    separated = with_cells(lambda i, cell: f'"{float(cell):,.2f}"' if i % 40 == 7 else cell)
    assert predictions(with_cells(), "income\n8123.45\n") == predictions(separated, 'income\n"8,123.45"\n')
    mixed = with_cells(lambda i, cell: {0: "$", 9: "€"}.get(i, "") + cell)
    refused("two.csv:11: column 1 'income': numbers of this column have different units, '$' (1 cell), '€'",
            place.fit_fixed, place.write("two.csv", mixed))


def test_american_and_european_sheets_give_the_intervals_that_plain_numbers_give(place):
    found = []
    for style, guesses in [
            ("plain", []),
            ("us", ["date: month_first  # guess: as in '", "decimal: point  # guess: as in '$"]),
            ("eu", ["date: day_first  # guess: as in '", "decimal: comma  # guess: as in '",
                    "numbers         income (€), share (%), balance (€)"])]:
        place.fit_fixed(place.write(f"{style}.csv", flats(400, 1, style)), "--target", "rent", "--coverage", "0.9",
                        says=["have no target ('')", "column 'note' is not used: text: 400 different values",
                              "column 'nothing' is not used: holds nothing"],
                        prints=["sold: weekday, month, year", "garden: no = 0, yes = 1",
                                "mean of target  code, by its 86 different values", *guesses])
        more = place.write(f"more_{style}.csv", flats(300, 2, style))
        found.append((place.intervals(more), place.scores(more, "--skip-bad")))
    assert found[0] == found[1] == found[2]
    # 80 rows calibrate, some 294 are counted.
    assert abs(float(found[0][1][0]["coverage"]) - 0.9) < chance(80, 294)


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
    check_has(draft(place, table(";", lambda i: "1,5" if i == 7 else f"1.{101 + i}")),
              "decimal: comma  # guess: as in '1,5'\n")
    both = table(",", str, lambda i: "31/01/2020" if i % 2 else "01/30/2020")
    unused = ["column 'x' is not used", "column 'day' is not used"]  # x counts the rows
    check_has(draft(place, both, status=2, says=unused),
              "  - \"day\"  # guess: dates in both orders, as '31/01/2020' and '01/30/2020'\n")


def test_a_column_of_many_levels_is_read_by_the_mean_of_the_target_and_may_have_others_later(place):
    def postcodes(n, seed, letter="P"):
        def row(_, draws):
            code, area = draws.randrange(150), draws.uniform(20, 200)
            rent = 1500 + 5 * area + 8 * (code * 7919 % 150 - 75) + 30 * draws.gauss(0, 1)
            return f"{letter}{code},{area},{rent}"
        return drawn("postcode,area,rent", n, row, seed)
    text = postcodes(1500, 1)
    table, more = place.write("t.csv", text), place.write("new.csv", postcodes(2000, 2))
    place.fit_fixed(table, "--coverage", "0.9", prints="mean of target  postcode, by its 1")
    scores = place.scores(more)[0]
    # 300 rows calibrate, 2000 are counted.
    assert abs(float(scores["coverage"]) - 0.9) < chance(300, 2000)
    place.predict(place.write("unseen.csv", postcodes(50, 3, "Q")),
                  says="50 cells named a category that the fit has not seen")
    place.fit_fixed(table, "--coverage", "0.9", "--drop", "postcode")
    assert float(scores["half_width"]) < 0.5 * float(place.scores(more)[0]["half_width"])
    # An experiment splits the rows again and again: it has no such means.
    draft(place, text, says="column 'postcode' is not used: 150 different values")
    yaml = place.write("by_mean.yaml",
                       "title: T\nsource: {file: t.csv}\ntarget: rent\ncolumns: {means: [postcode]}\n")
    lacp("datasets", "check", yaml, status=2, says="'postcode' is read by the mean of the target")


def test_what_spreadsheets_add_to_a_table_marks_indices_ids_names_twice_windows(place):
    text = table_of('\ufeff,"Customer ID",size,size,same,price\r', 200, lambda i: (
        f"{i * 7919 % 997},{100000 + i * 7919 % 1009},{i % 13},{i % 7},5,{3 * (i % 13) + i % 7 + i % 3}\r"))
    place.fit_fixed(place.write("t.csv", text), "--target", "price",
                    says=["column 'c1' is not used: an index", "column 'Customer ID' is not used: an id",
                          "column 'same' is not used: the same in every row", "this one is called 'size (2)'"],
                    prints="  numbers         size, size (2)\n")
    place.predict(place.write("new.csv", "size,size\r\n3,4\r\n"))
    wide = "a,y\n1,2\n3,4\n".encode("utf-16-le")
    for data in [b"\xFF\xFE" + wide, wide]:
        refused("wide.csv: looks like UTF-16; convert it: iconv ", place.fit, place.write("wide.csv", data))
    for begin in [b"PK\x03\x04", b"\xD0\xCF\x11\xE0", b"\x1F\x8B\x08", b"PAR1\x15"]:
        refused("old.xls: is no text; expected csv, csv.gz or xlsx", place.fit,
                place.write("old.xls", begin + b"a,y\n1,2\n"))
    two = table_of("x,y", 200, lambda i: f"{i % 17},{int(i % 17 > 8)}")
    place.fit_fixed(place.write("two.csv", two), says="target 'y' has two values")


def test_numbers_that_begin_with_0_are_names_unless_they_are_said_to_be_numbers(place):
    def table(codes):
        return table_of("plz,size,rent", 400, lambda i: (
            f"{1067 + i * 7919 % codes * 211:05},{i % 13},{i % 7 + i % 13}"))

    def fit(codes, *more, **expected):
        place.fit_fixed(place.write("f.csv", table(codes)), "--target", "rent", *more, **expected)
    rent = ["--target", "rent"]
    check_has(draft(place, table(40), *rent),
              '  categories:\n    - "plz"  # guess: 40 different values in 400 cells, names',
              "since '01067' begins with 0", "--numbers plz")
    fit(120, prints=['    - "plz"  # guess: 120 different values', "mean of target  plz, by its 120 different values"])
    # An experiment has no category of that many values; they are no numbers to it either.
    check_has(draft(place, table(120), *rent), '  drop:\n    - "plz"  # guess: 120 different values')
    # Read as numbers: where that is said, and where hardly one occurs again, by `add` and by `fit`.
    check_lacks(draft(place, table(40), *rent, "--numbers", "plz"), "plz")
    check_lacks(draft(place, table(300), *rent), "plz")
    fit(300, prints="numbers         plz, size\n", lacks='- "plz"')
    few = draft(place, "a,b\n01,1.5\n02,0.5\n03,0.25\n", status=2, says="has 3 rows")
    check_lacks(few, 'target: "a"')
    fit(40, prints='- "plz"  # guess: 40 different values')
    north = place.write("t.csv", table(40).replace("01067", "north", 1))
    refused("column 1 'plz': ", place.fit_fixed, north, *rent, "--numbers", "plz")


def test_years_over_columns_of_other_numbers_are_names_and_over_years_they_are_none(place):
    for header, first, row in [("true", "country,code,2001,2002,2003", "France,FR,3.1,{0}.2,{1}.5"),
                               ("true", "2000,2005,2010", "1,{0},{1}"),
                               ("false", "Berlin,2001,2002", "Paris,19{0:02},20{1:02}"),
                               ("false", "Berlin,2001,7", "Paris,{0},{1}"),
                               ("false", "Berlin,2001,2002,2004", "Paris,3,{0},{1}")]:
        table = table_of(first, 120, lambda i: row.format(i * 37 % 97, i * i % 97))
        assert re.search(r"\n  header: (\w+) ", draft(place, table)).group(1) == header


def test_lines_that_end_with_a_carriage_return_alone_are_refused_by_one_line_by_fit_and_by_predict(place):
    told = "old.csv: its lines end with a carriage return alone"
    old = place.write("old.csv", "x,y\r1,2\r3,4\r")
    refused(told, place.fit, old)
    place.fit_fixed(place.write("t.csv", with_cells()))
    refused(told, place.predict, old)


def test_points_of_thousands_are_seen_beside_whole_numbers_without_and_else_said(place):
    def german(n):
        return f"{n:,}".replace(",", ".")

    def town(_, draws):
        people = draws.randrange(20, 3000)
        return [people, 300 + 2 * people + round(draws.gauss(0, 100))]

    def towns(delimiter, written):
        return drawn(delimiter.join(["people", "sales"]), 300,
                     lambda i, draws: delimiter.join(map(written, town(i, draws))))
    place.fit_fixed(place.write("plain.csv", towns(";", str)))
    new = place.write("new.csv", "people\n1872\n59\n")
    expected = place.intervals(new)
    for delimiter in ";", "\t":
        place.fit_fixed(place.write("t.csv", towns(delimiter, german)), prints=[
            "decimal: comma  # guess: ", ", since whole numbers up to 999 stand beside it; if that is wrong, say --decimal point"])
        assert place.intervals(place.write("german.csv", "people\n1.872\n59\n")) == expected
    # Weights of some kilograms: nothing tells, so it is said.
    weights = drawn("kg;y", 200, lambda _, draws: f"{draws.randrange(1000, 9000) / 1000:.3f};{draws.randrange(9)}")
    check_has(draft(place, weights), "decimal: point  # guess: '", "; if that is wrong, say --decimal comma")
    check_lacks(draft(place, weights, "--decimal", "point"), "if that is wrong")
    check_lacks(draft(place, weights.replace(";", ",")), "decimal:")


def test_a_unit_that_the_name_has_is_not_said_twice(place):
    place.fit_fixed(place.write("t.csv", drawn("Score (%),Share,y", 100, lambda i, draws: (
        f"{draws.randrange(99)}%,{draws.randrange(99)}%,{i % 7}"))), prints="numbers         Score (%), Share (%)\n")


def test_months_and_quarters_are_dates_so_that_later_ones_are_predicted(place):
    for write in ["{1}-{0:02}", "{0:02}/{1}", "{2} {1}", "Q{3} {1}"]:
        def month(i, write=write):
            at = i // 10
            names = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
            return write.format(1 + at % 12, 2020 + at // 12, names[at % 12], 1 + at % 12 // 3)
        place.fit_fixed(place.write("t.csv", drawn("month,x,y", 300, lambda i, draws, month=month: (
            f"{month(i)},{draws.random()},{i // 10 + draws.random()}"))), prints="month: month, year")
        place.predict(place.write("new.csv", f"month,x\n{month(480)},0.5\n"))
    days = drawn("day,x,y", 300, lambda i, draws: f"2020-{1 + i % 12:02}-{1 + i % 28:02},{draws.random()},{i}")
    place.fit_fixed(place.write("t.csv", days), prints="day: weekday, month, year")
    refused("found '2021-01', which has no weekday", place.predict, place.write("new.csv", "day,x\n2021-01,0.5\n"))


def test_names_that_begin_with_0_and_hardly_repeat_are_said_to_be_read_as_numbers(place):
    articles = place.write("t.csv", drawn("article,x,y", 300, lambda _, draws: (
        f"0{draws.randrange(100000, 999999)},{draws.random()},{draws.random()}")))
    said = ["column 'article' is read as numbers, though '0", "say --drop article"]
    place.fit_fixed(articles, says=said)
    for option in "--drop", "--numbers":
        place.fit_fixed(articles, option, "article", lacks=said[0])
