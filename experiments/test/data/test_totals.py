"""Rows at the end of a table that are none of it: totals, notes, empty ones."""
from program import check_has, frame, lacp, refused, table_of
from sheets import homes, intervals_of, shops
from xlsx import xlsx_of

NOTE = "\n* provisional figures\n"


def test_fit_leaves_out_a_total_notes_and_empty_rows_below_it_and_says_so(place):
    def fitted(text, *more, **how):
        return place.fit_fixed(place.write("t.csv", text), "--target", "sales", *more, **how).output
    plain = shops(450, 1)
    expected = fitted(plain, "--json", "--quiet")
    for text in [shops(450, 1, "Total"), shops(450, 1, "Total", NOTE), shops(450, 1, "Total", "\n\n"),
                 shops(450, 1, "Total", ",,,,\n,,,,\nSource: our own,,,,\n"), plain + NOTE,
                 shops(450, 1, "Total", "* some, as it seems\n")]:
        assert fitted(text, "--json", "--quiet") == expected
    fitted(shops(450, 1, "Total", NOTE), says=(
        "2 rows at the end are no rows of the table and are left out: line 452 says 'Total' in column 'name'; "
        "line 454 is a note: '* provisional figures'"))


def test_predict_evaluate_and_update_leave_out_a_total_notes_and_empty_rows_below_it_and_say_so(place):
    def predicted(*words, **how):
        place.predict(*words, **how)
        return place.read("out.csv")

    def updated(table, **how):
        return lacp("update", place.model, table, "--output", place / "m2.lacp", **how).output
    place.fit_fixed(place.write("t.csv", shops(450, 1)), "--target", "sales")
    # A table of one piece, and one of several of which the last is short.
    for n in [50, 20000]:
        rows, total = place.write("new.csv", shops(n, 2)), place.write("total.csv", shops(n, 2, "Total", NOTE))
        said = f"line {n + 2} says 'Total'"
        expected = predicted(rows)
        assert predicted(total, says=["total.csv: 2 rows at the end", said]) == expected
        piped = predicted("-", "--jobs", "3", given=total.read_text(), says="standard input: 2 rows at the end")
        assert piped == expected
        assert place.evaluate(total, "--csv", says=said).output == place.evaluate(rows, "--csv").output
        assert updated(total, says=said) == updated(rows)
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
    for word in "Subtotal", "Zwischensumme":
        text = "".join(f"2024-{1 + i // 28:02}-{1 + i % 28:02},{i % 17}\n" + (f"{word},{i * 8}\n" if i % 30 == 29 else "")
                       for i in range(300))
        said = refused(f"something else: '{word}'; rows with '{word}' seem to sum up others", place.fit_fixed,
                       place.write("t.csv", "day,y\n" + text)).messages
        assert "take them out" in said and "--missing" not in said


def test_a_category_of_the_name_of_a_total_is_one(place):
    place.fit_fixed(place.write("t.csv", homes(120, 1).replace("R1", "Total")), "--target", "price")
    new = place.write("new.csv", "area,region,load\n1500,R0,5\n1400,R2,5\n1500,Total,5\n")
    assert len(place.intervals(new)) == 3


def test_rows_at_the_end_that_sum_up_the_others_are_left_out_and_named_in_csv_and_xlsx(place):
    table = homes(120, 1)
    expected = intervals_of(place, place.write("t.csv", table))
    area, load, price = (round(sum(float(row[name]) for row in frame(table))) for name in ["area", "load", "price"])
    for last, why, left in [
            (f"{area},Total,{load},{price}\n", "line 122 says 'Total' in column 'region'", 1),
            (f"Grand total:,,,{price}\n", "line 122 says 'Grand total:' in column 'area'", 1),
            (f",,,{price}\n", f"'{price}' of column 'price' in line 122 is the sum of the numbers above it", 1),
            (f"{area},,{load},\n", f"'{area}' of column 'area' in line 122", 1),
            (f",Sum,,{price}\n\n,average,,{price / 120}\n",
             "line 122 says 'Sum' in column 'region'; line 124 says 'average' in column 'region'", 2)]:
        file = place.write("t.csv", table + last)
        assert intervals_of(place, file) == expected
        place.fit_fixed(file, says=f"left out: {why}", prints=f"skip_last: {left}  # guess: {why}")
    total = f"{table},Total,,{price}\n"
    assert intervals_of(place, place.write("x.xlsx", xlsx_of(total))) == expected
    # `datasets add` says so in the description, and an experiment reads the same rows.
    (place / "datasets").mkdir()
    lacp("datasets", "--datasets-folder", place / "datasets", "add", place.write("x.csv", total),
         says="line 122 says 'Total'", prints="  rows            120\n")
    check_has(place.read("datasets/x.yaml"), "  skip_last: 1  # guess: line 122")


def test_a_name_that_occurs_again_is_a_name_and_a_number_by_chance_no_sum(place):
    brands = homes(120, 1).replace("R1", "Total", 1) + "1500,Total,5,150000\n"
    place.fit_fixed(place.write("t.csv", brands), prints="region: R0, R1, R2, Total")
    counts = table_of("x,n", 60, lambda i: f"{i % 7}.5,{9 if i == 59 else 3 * (i % 20 == 0)}")
    place.fit_fixed(place.write("c.csv", counts), lacks="left out")
