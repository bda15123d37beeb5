"""Tables as other programs export them: short forms of numbers, lists in cells, row names, formulas, packed files."""
import gzip

from program import check_has, drawn, lacp, refused, shell, table_of
from sheets import homes, intervals_of, shops, xlsx_of


def short(value):
    return f"{value / 1000:.1f}k" if value >= 1000 else str(value)


def test_k_and_m_multiply_also_where_plain_numbers_share_the_column(place):
    def views(written):
        def row(_, draws):
            followers = draws.randrange(100, 99999) // 100 * 100
            return f"{written(followers)},{written(round(3 * followers * draws.uniform(0.9, 1.1)) // 100 * 100)}"
        return drawn("followers,views", 300, row)
    new = place.write("new.csv", "followers\n66600\n700\n")
    place.fit_fixed(place.write("plain.csv", views(str)))
    expected = place.intervals(new)
    place.fit_fixed(place.write("short.csv", views(short)))
    assert place.intervals(new) == expected
    assert place.intervals(place.write("short_new.csv", "followers\n66.6k\n700\n")) == expected
    euros = views(lambda x: f"{x / 1e6:.4f} Mio. €")
    place.fit_fixed(place.write("euros.csv", euros))
    assert place.intervals(new) == expected


def test_a_unit_that_some_numbers_lack_is_refused_unless_it_is_a_currency_or_they_are_said_to_mean_the_same(place):
    def waits(unit):
        return table_of("wait,y", 300, lambda i: f"{i * 7 % 60}{unit if i % 3 else ''},{i * 7 % 60 + i % 5}")
    minutes = place.write("t.csv", waits(" min"))
    refused("t.csv:2: column 1 'wait': 100 of 300 numbers have no 'min', as '0'; if they mean the same, say --numbers wait",
            place.fit_fixed, minutes)
    place.fit_fixed(minutes, "--numbers", "wait", says="'wait' has 100 numbers without 'min', as '0': read alike")
    refused("have no '%', as '0'; write it at all of them", place.fit_fixed, place.write("t.csv", waits("%")), "--numbers", "wait")
    place.fit_fixed(place.write("t.csv", waits(" €")), says="'wait' has 100 numbers without '€'")


def test_cells_that_are_lists_become_a_column_per_member_and_an_unseen_mixture_is_no_error(place):
    ways = ["bus", "car", "walk", "bike", "train"]

    def trips(n, seed, separator="; "):
        def row(_, draws):
            chosen = [way for way in ways if draws.random() < 0.4] or ["walk"]
            draws.shuffle(chosen)
            return f"{separator.join(chosen)},{round(sum(10 * ways.index(way) for way in chosen) + draws.gauss(0, 1), 3)}"
        return drawn("ways,minutes", n, row, seed)
    place.fit_fixed(place.write("t.csv", trips(150, 1)))
    assert place.columns() == {"ways": ("list", 5)}
    assert len(place.intervals(place.write("new.csv", trips(400, 2)))) == 400
    assert float(place.scores(place.write("new.csv", trips(400, 2)))[0]["half_width"]) < 5
    refused("found 'boat', a value that was never seen", place.predict, place.write("boat.csv", "ways\nbus; boat\n"))
    assert len(place.intervals(place.write("boat.csv", "ways\nbus; boat\n"), "--unseen", "zeros")) == 1
    # By an experiment, too; names with a comma are no lists.
    (place / "datasets").mkdir()
    lacp("datasets", "--datasets-folder", place / "datasets", "add", place.write("trips.csv", trips(150, 1, "|")),
         prints="list of         ways: bike")
    people = table_of("name,y", 120, lambda i: f'"{["Smith", "Jones", "Lee"][i % 3]}, {["A", "B"][i % 2]}",{i * i % 31}')
    place.fit_fixed(place.write("people.csv", people))
    assert place.columns()["name"][0] == "category"


def test_a_column_whose_formulas_have_no_results_is_refused_unless_it_is_dropped(place):
    book = xlsx_of(homes(120, 1), formula=2)
    file = place.write("t.xlsx", book)
    refused("t.xlsx, sheet 1:2: column 3 'load': a formula without a stored result", place.fit_fixed, file,
            "--target", "price")
    place.fit_fixed(file, "--target", "price", "--drop", "load")
    assert len(place.intervals(file)) == 120
    place.fit_fixed(place.write("t.csv", homes(120, 1)), "--target", "price")
    refused("column 3 'load': a formula without a stored result", place.predict, file)


def test_tables_of_r_and_columns_between_blanks_are_read(place):
    def rows(delimiter, names=True):
        header = delimiter.join(['"x.val"', '"kind"', '"y"'])
        return table_of(header, 120, lambda i: delimiter.join(
            ([f'"{i + 1}"'] if names else []) + [f"{i * 7 % 13}.5", f'"{"ab"[i % 2]} c"', str(i * 7 % 13 + i % 3)]))
    new = place.write("new.csv", 'x.val,kind\n3.5,"a c"\n')
    place.fit_fixed(place.write("plain.csv", rows(",", names=False)))
    expected = place.intervals(new)
    for delimiter in ",", " ", "\t":
        table = place.write("r.txt", rows(delimiter))
        place.fit_fixed(table, prints="not used    c1: counts the rows")
        assert list(place.columns()) == ["x.val", "kind"]
        assert place.intervals(new) == expected
        assert len(place.intervals(table)) == 120


def test_the_delimiter_and_lines_to_skip_can_be_said(place):
    table = homes(120, 1)
    expected = intervals_of(place, place.write("plain.csv", table))

    def fitted(text, *more):
        file = place.write("t.csv", text)
        place.fit_fixed(file, "--target", "price", *more)
        place.predict(place.write("of.csv", homes(20, 9)))
        assert place.read("out.csv") == expected
        assert len(place.intervals(file)) == 120
    fitted(table.replace(",", "^"), "--delimiter", "^")
    fitted(table.replace(",", "  "), "--delimiter", "blanks")
    groups = "size,place,size,money\n" + table
    refused("t.csv:2: seems to be a second line of names", place.fit_fixed,
            place.write("t.csv", "area,region,load,price\nsq ft,,kg,$\n" + table.split("\n", 1)[1]))
    fitted(groups, "--skip", "1")
    book = place.write("t.xlsx", xlsx_of(groups))
    place.fit_fixed(book, "--target", "price", "--skip", "1")
    assert len(place.intervals(book)) == 120
    (place / "datasets").mkdir()
    lacp("datasets", "--datasets-folder", place / "datasets", "add", place.write("two.csv", groups), "--skip", "1",
         "--target", "price", prints="rows            120")
    check_has(place.read("datasets/two.yaml"), "  skip: 1  # --skip\n")


def test_errors_of_spreadsheets_are_missing_and_long_codes_are_pointed_out(place):
    cells = ["#DIV/0!", "#VALUE!", "#REF!", "5.5", "7.5", "9.5", "2.5"]
    table = drawn("share,code,y", 140, lambda i, draws: (
        f"{cells[i % 7]},{draws.randrange(10 ** 12, 10 ** 13)},{i % 7 + i % 3}"))
    place.fit_fixed(place.write("t.csv", table), prints="filled      share (60 missing cells)",
                    says="column 'code' is read as numbers, as '")
    days = table_of("day,y", 60, lambda i: f"{20240101 + i % 28 + 100 * (i // 28)},{i % 7}")
    place.fit_fixed(place.write("days.csv", days), lacks="is read as numbers")


def test_a_table_without_a_column_to_predict_from_says_why(place):
    table = place.write("t.csv", drawn("a,y", 60, lambda i, draws: f"{draws.random()},5"))
    refused("t.csv: no column to predict 'a' from; 'y': the same in every row, as '5'", place.fit_fixed, table)
    table = place.write("t.csv", drawn("nr,a,y", 60, lambda i, draws: f"{i},same,{draws.random()}"))
    refused("from; 'nr': counts the rows, as '0' (2 in all)", place.fit_fixed, table)


def test_a_file_that_is_not_there_is_said_by_fit_and_by_add(place):
    for command in ["fit", "datasets add"]:
        refused("none.csv: no such file", *command.split(), place / "none.csv")
    refused(f"{place.folder}: is not a file", place.fit, place.folder)


def test_twenty_thousand_names_of_one_sheet_take_no_time_and_utf_16_is_named(place):
    names = "".join(f'<sheet name="n{i}" sheetId="{i + 2}" r:id="r1"/>' for i in range(20000))
    book = place.write("names.xlsx", xlsx_of(homes(60, 1), names=names))
    shell('ulimit -t 20; "$0" fit "$1" --target price --method fixed --quiet --model "$2"', book, place.model)
    for encoding in ["utf-16", "utf-16-le", "utf-16-be"]:
        wide = place.write("wide.xlsx", xlsx_of(homes(60, 1), encoding=encoding))
        refused("wide.xlsx: cannot be read: 'xl/worksheets/sheet1.xml' in it is UTF-16", place.fit_fixed, wide)


def test_a_csv_gz_that_holds_too_much_is_damaged_or_has_bytes_behind_its_end_is_refused_and_two_in_one_are_read(place):
    place.fit_fixed(place.write("t.csv", homes(60, 1)), "--target", "price")
    row = "1500,R1,5.0,150000," + 50000 * "-" + "\n"  # long ones: what is read before is predicted
    packed = place.write("t.csv.gz", gzip.compress(("area,region,load,price,note\n" + 1500 * row).encode(), 1))
    part = gzip.compress(homes(60, 1).encode())
    for data, why in [(packed.read_bytes(), "more than 64 MB, too much for its size"), (part[:-9], "it is damaged or cut off"),
                      (part + homes(60, 2).encode(), "other bytes follow its end")]:
        for command in place.fit_fixed, place.predict:
            refused(f"t.csv.gz: cannot be unpacked: {why}", command, place.write("t.csv.gz", data))
        assert not (place / "out.csv").exists()
    two = part + gzip.compress(homes(61, 2).split("\n", 1)[1].encode())
    assert len(place.intervals(place.write("t.csv.gz", two))) == 121


NOTE = "\n* provisional figures\n"


def test_predict_evaluate_and_update_leave_out_a_total_notes_and_empty_rows_below_it_and_say_so(place):
    def predicted(*words, **how):
        place.predict(*words, **how)
        return place.read("out.csv")

    def updated(table, **how):
        return lacp("update", place.model, table, "--output", place / "m2.lacp", **how).output
    place.fit_fixed(place.write("t.csv", shops(450, 1)), "--target", "sales")
    # A table of one piece, and one of several of which the last is short.
    for n in [50, 11000]:
        rows, total = place.write("new.csv", shops(n, 2)), place.write("total.csv", shops(n, 2, "Total", NOTE))
        said = f"line {n + 2} says 'Total'"
        expected = predicted(rows)
        assert predicted(total, says=["total.csv: left out at the end, 2 rows", said]) == expected
        piped = predicted("-", "--jobs", "3", given=total.read_text(), says="standard input: left out at the end, 2 rows")
        assert piped == expected
        assert place.evaluate(total, "--csv", says=said).output == place.evaluate(rows, "--csv").output
        assert updated(total, says=said) == updated(rows)
    place.predict(place.write("new.csv", shops(50, 2, "Total")), "--quiet", says="line 52 says 'Total'")
    # Three rows, whose sum nobody knows; one of the last rows is a row if that is said.
    few = place.write("few.csv", shops(3, 2, "Total"))
    assert len(place.intervals(few)) == 3
    assert len(place.intervals(few, "--all-rows")) == 4
    assert len(place.intervals(place.write("x.xlsx", xlsx_of(shops(30, 2, "Total", NOTE))))) == 30
    refused("open.csv:5: the quoted cell that begins with 'shop 4", place.predict,
            place.write("open.csv", shops(3, 2) + '"shop 4,R1,3,100,\n'))
    # A row that says nothing is predicted, and named.
    header, rows = shops(30, 2).split("\n", 1)
    gap = place.write("gap.csv", f"{header}\nshop x,,NA,,\n{rows}")
    assert predicted(gap, says="gap.csv:2: no attribute of this row is known: ").count("\n") == 32


def test_rows_that_sum_up_others_within_the_table_are_to_be_taken_out_and_not_called_missing(place):
    text = "".join(f"2024-{1 + i // 28:02}-{1 + i % 28:02},{i % 17}\n" + (f"Subtotal,{i * 8}\n" if i % 30 == 29 else "")
                   for i in range(300))
    refused("found 'Subtotal' in 10 of 310 cells; expected dates; take out the rows that sum up others",
            place.fit_fixed, place.write("t.csv", "day,y\n" + text), lacks="--missing")


def test_totals_notes_and_empty_rows_at_the_end_are_left_out_and_named_in_csv_and_xlsx(place):
    table, of = homes(120, 1), place.write("of.csv", homes(20, 9))
    expected = intervals_of(place, place.write("t.csv", table))
    for last, said in [
            ("180000,Total,1900,500000\n", "1 row: line 122 says 'Total' in column 'region'"),
            ("Grand total:,,,500000\n", "1 row: line 122 says 'Grand total:' in column 'area'"),
            (",Sum,,500000\n\n,average,,4000\n", "2 rows: line 122 says 'Sum' in column 'region'; line 124 says 'average'"),
            (",Total,,500000\n" + NOTE, "2 rows: line 122 says 'Total' in column 'region'; line 124 is a note: '* prov"),
            (NOTE, "1 row: line 123 is a note"), (",Total,,500000\n* some, as it seems\n", "2 rows: line 122 says"),
            (",Total,,500000\n,,,\n,,,\nSource: our own,,,\n", "4 rows: line 122 says")]:
        place.fit_fixed(place.write("t.csv", table + last), "--target", "price", says=f"left out at the end, {said}")
        place.predict(of)
        assert place.read("out.csv") == expected
    total = f"{table},Total,,500000\n"
    assert intervals_of(place, place.write("x.xlsx", xlsx_of(total))) == expected
    # `datasets add` says so in the description, and an experiment reads the same rows.
    (place / "datasets").mkdir()
    lacp("datasets", "--datasets-folder", place / "datasets", "add", place.write("x.csv", total),
         says="line 122 says 'Total'", prints="  rows            120\n")
    check_has(place.read("datasets/x.yaml"), "  skip_last: 1  # guess: line 122")


def test_a_number_makes_no_total_whatever_it_is(place):
    def last_rows(n, cell):
        return table_of("a,x,y", n, lambda i: f"{i % 7}.5,{cell(i)},{3 * (i % 7) + i % 2}")
    for n, cell in [(200, lambda i: f"{(i % 97 + 1) * 1e-12:.3g}"),  # p-values
                    (200, lambda i: ["4.7e-12", "1.0e-11", "2.2e-11"][i % 3]),
                    (200, lambda i: "0" if i == 199 else [".0001", ".0002", ".0005"][i % 3]),
                    (30, lambda i: 2 ** i + (i == 0)),  # doubling doses, each the sum of those above it
                    (60, lambda i: 60 * 59 // 2 if i == 59 else i + (i == 0))]:
        table = place.write("t.csv", last_rows(n, cell))
        place.fit_fixed(table, "--target", "y", lacks="left out")
        assert len(place.intervals(table)) == n


def test_a_category_of_the_name_of_a_total_is_one(place):
    for brands in homes(120, 1).replace("R1", "Total"), homes(120, 1).replace("R1", "Total", 1) + "1500,Total,5,150000\n":
        place.fit_fixed(place.write("t.csv", brands), "--target", "price")
        assert place.columns()["region"] == ("category", len(set(line.split(",")[1] for line in brands.splitlines()[1:])))
    assert len(place.intervals(place.write("new.csv", "area,region,load\n1500,R0,5\n1400,R2,5\n1500,Total,5\n"))) == 3
    # The only one of its name is a total, unless all rows are asked for.
    once = place.write("once.csv", homes(120, 1) + "1500,Average,5,150000\n")
    place.fit_fixed(once, "--target", "price", says="1 row: line 122 says 'Average' in column 'region'; --all-rows keeps them")
    place.fit_fixed(once, "--target", "price", "--all-rows", lacks="left out")
    assert place.columns()["region"] == ("category", 4)
