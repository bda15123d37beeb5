"""What spreadsheets put around and into a table: units, titles, sheets, other letters."""
import gzip
import json

from program import check_has, frame, lacp, refused, table_of
from sheets import homes, intervals_of, xlsx_of


def test_csv_gz_and_xlsx_need_no_other_program(place):
    expected = intervals_of(place, place.write("t.csv", homes(200, 1)))
    new = place.write("of.csv.gz", gzip.compress(homes(20, 9).encode()))
    alone = {"env": {"PATH": "/nonexistent"}}
    for name, data in [("t.xlsx", xlsx_of(homes(200, 1))), ("t.csv.gz", gzip.compress(homes(200, 1).encode()))]:
        place.fit_fixed(place.write(name, data), "--target", "price", **alone)
        place.predict(new, **alone)
        assert place.read("out.csv") == expected


def test_a_unit_in_every_cell_is_read_as_a_number_is_said_and_may_be_there_in_new_rows_or_not(place):
    text = homes(200, 1, units=True)
    units = place.write("units.csv", text)
    expected = intervals_of(place, place.write("plain.csv", homes(200, 1)))
    assert intervals_of(place, units) == expected
    lacp("info", place.model, prints="number            load (kg)\n")
    place.fit_fixed(units, "--target", "load", prints="m.lacp: predicts load (kg) at coverage ")
    lacp("info", place.model, prints="m.lacp: predicts load (kg)\n")
    assert intervals_of(place, units) == expected
    assert intervals_of(place, units, homes(20, 9, units=True)) == expected
    refused("new.csv:2: column 3 'load': found '5 lb'", place.predict,
            place.write("new.csv", "area,region,load\n1000,R1,5 lb\n"))
    lines = text.splitlines(True)
    lines[2] = lines[2].replace(" kg", " lb")
    refused("mixed.csv:3: column 3 'load': different units, 'kg' (199 cells), 'lb'",
            place.fit_fixed, place.write("mixed.csv", "".join(lines)))


def sales():
    return table_of("when,size,sales", 200, lambda i: (
        f"2022-{1 + i % 12:02}-{1 + i % 28:02} {i % 24:02}:00:00,{i % 7},{100 + 10 * (i % 24) + i * i % 5}"))


def predicted(place, file, *more):
    """The predictions of a table of sales, by its own model."""
    delimited = "delimiter" if file.suffix == ".xlsx" else ()
    place.fit_fixed(file, *more, lacks=delimited)
    assert place.columns()["when"] == ("date", 4)
    place.predict(file, *more)
    return place.read("out.csv")


def test_a_spreadsheet_has_stored_dates_and_other_sheets(place):
    csv = place.write("t.csv", sales())
    expected = predicted(place, csv)
    assert predicted(place, place.write("t.xlsx", xlsx_of(sales(), dates=True))) == expected
    # The table is on the second sheet.
    two = place.write("two.xlsx", xlsx_of("about\n", second=sales()))
    refused("two.xlsx, sheet 1: holds a header and no rows", place.fit_fixed, two)
    note = place.write("note.xlsx", xlsx_of("Report of sales\nmade by me\n", second=sales()))
    refused("sheet 's' is read; --sheet reads another: 'more & more'", place.fit_fixed, note)
    refused("(did you mean 'more & more'?); its sheets: 's', 'more & more'", place.fit_fixed, two,
            "--sheet", "more and more")
    refused("t.csv is no xlsx file", place.fit_fixed, csv, "--sheet", "s")
    for sheet in ["more & more", "2"]:
        assert predicted(place, two, "--sheet", sheet) == expected
    place.evaluate(two, "--sheet", "2")
    (place / "datasets").mkdir()
    lacp("datasets", "--datasets-folder", place / "datasets", "add", two, "--sheet", "more & more",
         prints="  rows            200\n")
    check_has(place.read("datasets/two.yaml"), "\n  sheet: 2\n")
    place.fit_fixed(place.write("two.xlsx", xlsx_of(sales(), second="about\n")),
                    says="sheet 's' is read; --sheet reads another: 'more & more'")


def test_titles_stand_above_the_names_and_two_lines_of_names_are_refused(place):
    for titles in ['"Sales, 2022"\n\n', "Sales report 2022,,\nfor us,,\n", ",,A report\n", "\n\nA report\n\n"]:
        titled = place.write("titled.csv", titles + sales())
        place.fit_fixed(titled, says="above the names of the columns")
        assert place.columns()["when"] == ("date", 4)
        place.predict(titled, says=f"{titles.count(chr(10))} line{'s' if titles.count(chr(10)) > 1 else ''} above the header left out")
        out = frame(place.read("out.csv"))
        assert len(out) == 200
        assert int(out[0]["line"]) == 2 + titles.count("\n")
    names, rows = sales().split("\n", 1)
    refused("units.csv:2: seems to be a second line", place.fit_fixed,
            place.write("units.csv", f"{names}\n,[m],[kg]\n{rows}"))


def test_german_sales_below_a_title_and_above_a_short_total_are_read(place):
    def euros(value):
        return f"{value:,.2f} €".translate(str.maketrans(",.", ".,"))
    rows = table_of("Region;Kosten;Umsatz", 40, lambda i: (
        f"{'Nord' if i % 2 else 'Süd'};{euros(900 + i * 7919 % 997 / 3)};{euros(1500 + i * 7919 % 997)}"))
    for title, total in [("Sales 2024;;\n", ""), ("Sales 2024;;\n\n", ""), ("Sales 2024\n", ""), ("Sales 2024\n\n", ""),
                         ("", "Gesamt;98.765,43 €\n"), ("Sales 2024\n", "Gesamt;98.765,43 €\n")]:
        table = place.write("t.csv", title + rows + total)
        place.fit_fixed(table, "--target", "Umsatz")
        assert place.columns() == {"Region": ("category", 2), "Kosten": ("number", 1)}
        assert len(place.intervals(table)) == 40


def test_dates_that_read_the_same_either_way_are_no_guess_nor_does_one_odd_date_make_them_one(place):
    for day in [lambda i: f"{1 + i % 28:02}. November 2022",
                lambda i: "31-JAN-20" if i == 30 else f"2020-01-{1 + i % 28:02}"]:
        table = table_of("day,x,y", 60, lambda i: f"{day(i)},{i % 7},{i % 11}")
        place.fit_fixed(place.write("t.csv", table), lacks="could be either")
        assert place.columns()["day"][0] == "date"


def test_latin_1_is_turned_into_utf_8_and_said_by_fit_predict_and_evaluate(place):
    table = table_of("Länge,city,y", 120, lambda i: f"{i % 13},{'Köln' if i % 2 else 'Bonn'},{3 * (i % 13) + i % 2}")
    latin, utf = place.write("latin.csv", table.encode("latin-1")), place.write("utf.csv", table)
    said = ["61 lines", "(Latin-1)"]
    place.fit_fixed(latin, says=said)
    assert place.columns() == {"Länge": ("number", 1), "city": ("category", 2)}
    expected = place.intervals(utf)
    place.predict(latin, says=said)
    assert frame(place.read("out.csv")) == expected
    place.fit_fixed(latin, "--json", "--quiet", prints='"Länge"')
    place.evaluate(latin, "--by", "city", "--csv", prints="\nKöln,")


def test_json_and_csv_are_valid_for_every_text_and_no_text_is_escaped_for_a_terminal_in_them(place):
    odd, high = "O\u0092Brien", "a\x7f"
    table = place.write("t.csv", table_of(f"{high},b,y", 120, lambda i: (
        f"{i % 13},{odd if i % 2 else 'x'},{3 * (i % 13) + i % 2}")))
    for text, ran in [(high, place.fit_fixed(table, "--json", "--quiet")),
                      (odd, place.evaluate(table, "--by", "b", "--json"))]:
        check_has(str(json.loads(ran.output)), repr(text)[1:-1])
    place.evaluate(table, "--by", "b", "--csv", prints=f"\n{odd},")


def test_new_rows_may_have_a_gap_where_the_fit_had_none_another_delimiter_and_no_target(place):
    place.fit_fixed(place.write("t.csv", homes(300, 1)), "--target", "price")
    gaps = place.write("gaps.csv", "area,region,load\n,R1,5\n2000,,\n2000,R1,5\n")
    place.predict(gaps, says="3 cells missing")
    filled = [float(row["prediction"]) for row in frame(place.read("out.csv"))]
    assert len(filled) == 3
    assert all(abs(price - 200_000) < 60_000 for price in filled)

    expected = place.intervals(place.write("of.csv", homes(20, 9)))
    place.predict(place.write("of.csv", homes(20, 9).replace(",", ";")),
                  says="cells are separated by ';' instead of ','")
    assert frame(place.read("out.csv")) == expected

    some = place.write("some.csv", homes(40, 9) + "1500,R1,5,\n1500,R2,6,NA\n")
    [scores, *_] = frame(place.evaluate(some, "--csv", says="2 of 42 rows").output)
    assert scores["rows"] == "40"
    refused("none.csv: no row has a target", place.evaluate,
            place.write("none.csv", "area,region,load,price\n1500,R1,5,\n"))
