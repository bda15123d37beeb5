"""Table 1, alive: its numbers, copying, choosing, sorting, and the card of a cell."""

import csv
import io
import pathlib
import shutil
import subprocess
import tempfile

from page import check, check_equal, display, labelled, read_csv, wait_for


def expected_rows(entries):
    """table.csv as the table should show it."""
    rows = {}
    for e in entries:
        cells = rows.setdefault((e["dataset"], labelled(e["method"])), [])
        for name in ("size", "validity"):
            shown = f"{display(e[name + '_mean'])} ± {display(e[name + '_std'])}"
            cells.append("missing" if e["runs"] == "0" else shown)
    return [[dataset, method, cells] for (dataset, method), cells in rows.items()]


def test_numbers_are_those_of_the_table(page, folder):
    for name, path in (("smoke", "smoke"), ("wide", "wide"), ("hostile, 2 runs", "verdict/hostile")):
        page.load("experiment=" + name.replace(" ", "+").replace(",", "%2C"))
        entries = read_csv(folder / path / "table.csv")
        check_equal(page.rows(), expected_rows(entries), name)


def test_marks_do_not_raise_rows(page, _):
    page.load("experiment=smoke")
    heights = page.browser.run("""
        const rows = [...document.querySelectorAll("table.results tbody tr:not(.group)")];
        return [true, false].map((marked) =>
          [...new Set(rows.filter((tr) => !!tr.querySelector("sup") === marked).map((tr) => tr.offsetHeight))]);""")
    check_equal(heights[0], heights[1], "rows with † are as high as the others")


def test_copies_csv_and_latex(page, folder):
    page.load()
    page.browser.chrome("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    check_equal(page.copied("csv", "Copied csv: 14 rows"), (folder / "smoke/table.csv").read_text(), "csv of everything is table.csv")
    page.load("dataset=cos&method=exp&method=fixed&level=0.1")
    rows = list(csv.reader(io.StringIO(page.copied("csv", "2 rows"))))
    check_equal([row[:3] for row in rows[1:]], [["cos", "exp", "0.1"], ["cos", "fixed", "0.1"]])
    tex = page.copied("tex", "LaTeX")
    check(tex.startswith("\\begin{tabular}{llcc}\n\\toprule\n") and "cos & exp & $" in tex, tex)
    page.load("experiment=hostile%2C+2+runs")
    check_equal(page.copied("csv", "Copied csv"), (folder / "verdict/hostile/table.csv").read_text())
    compiles(page.copied("tex", "LaTeX"))


def compiles(tabular):
    if not shutil.which("pdflatex"):
        return
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "a.tex").write_text(
            "\\documentclass{article}\\usepackage{booktabs,amsmath}\\begin{document}\n" + tabular + "\\end{document}\n")
        done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"], cwd=folder,
                              capture_output=True, text=True, errors="replace")
        check(done.returncode == 0, tabular + done.stdout[-2000:])


def test_filters_and_address(page, _):
    page.load()
    page.browser.click("#menu-dataset > summary")
    page.browser.click("#menu-dataset-0")
    check_equal({row[0] for row in page.rows()}, {"concrete"})
    check_equal(page.address(), "dataset=concrete")
    page.browser.press("escape")
    check(not page.browser.run("return document.querySelector('#menu-dataset').open"), "escape closes the menu")
    page.browser.click("#menu-level > summary")
    page.browser.click("#menu-level-none")
    check_equal(page.text("#table-place"), "Nothing is chosen.")
    page.browser.click("#menu-level-1")
    page.browser.click("#explore-legend button[data-method=erc]")
    shown = page.rows()
    check("erc" not in {row[1] for row in shown} and len(shown[0][2]) == 2, shown)
    address = page.address()
    page.load(address)
    check_equal(page.rows(), shown, f"the address {address} brings the view back")
    page.browser.click("#reset")
    check_equal((len(page.rows()), page.address()), (14, ""))
    page.browser.run("location.hash = 'experiment=hostile%2C+2+runs'")
    wait_for(page, lambda: page.rows()[0][2][0].startswith("∞"), "a new address shows its view")
    page.load("experiment=nonsense&x=no&y=no&at=7&dataset=gone&sort=who+9&column=none")
    check_equal(page.text("#table-place"), "Nothing is chosen.")


def test_sorting(page, _):
    page.load("dataset=cos")
    own = page.rows()
    button = "button[data-sort='size 0.1']"
    mean = lambda row: float(row[2][2].split()[0])
    page.browser.click(button)
    check_equal(page.rows(), sorted(own, key=mean), "smallest first")
    check_equal(page.browser.run("return document.activeElement.dataset.sort"), "size 0.1", "the focus stays")
    page.browser.press("enter")
    check_equal([mean(row) for row in page.rows()], sorted(map(mean, own), reverse=True), "largest first")
    check(page.count("th[aria-sort=descending]") == 1, "aria-sort says so")
    page.browser.click(button)
    check_equal(page.rows(), own, "back to the experiment's order")
    page.load("sort=validity+0.05&group=no")
    validity = [float(row[2][1].split()[0]) for row in page.rows()]
    check_equal(validity, sorted(validity), "across data sets")


def test_card(page, folder):
    page.load()
    entry = next(e for e in read_csv(folder / "smoke/table.csv")
                 if (e["dataset"], e["method"], e["alpha"]) == ("concrete", "fixed", "0.05"))
    published = next(e for e in read_csv(folder / "smoke/comparison.csv")
                     if (e["dataset"], e["method"], e["alpha"], e["quantity"]) == ("concrete", "fixed", "0.05", "size"))
    row = page.browser.run("return row_of(experiment(), 1, report.methods.findIndex(([n]) => n === 'fixed'), 0)")
    page.browser.point_at(f"td[data-row='{row}'][data-metric=size]")
    card = page.text("#card")
    for part in ("fixed on concrete", "size at α = 0.05", f"{display(entry['size_mean'])} ± {display(entry['size_std'])} (2 runs)",
                 f"{display(published['paper_mean'])} ± {display(published['paper_std'])}", f"{float(published['z']):.1f}: "):
        check(part in card, f"{part!r} is not in {card!r}")
    check_equal(page.count("#card [aria-label=dot] > *"), 2, "a dot for each run")
    page.browser.run("document.querySelector('td[tabindex=\"0\"]').focus()")
    first = page.text("#card")
    page.browser.press("right", "down")
    check(page.text("#card") != first and not page.browser.run("return document.querySelector('#card').hidden"), "arrows move")
    check_equal(page.count("td[tabindex='0']"), 1, "one cell is reached by tab")
    page.browser.press("escape")
    check(page.browser.run("return document.querySelector('#card').hidden"), "escape hides the card")
