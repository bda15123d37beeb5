#!/usr/bin/env python3
"""Opens the page that `lacp report` writes in a real browser: experiments/test/browser/test_page.py LACP [SCREENSHOTS]

The page is made from the smoke experiment, cut down to a second of work, and from a folder whose names and texts try to be markup.
Exit code 77: there is no Chromium. With a folder for SCREENSHOTS, pictures of the page are left there to look at.
"""

import csv
import io
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

import webdriver

SOURCE = pathlib.Path(__file__).resolve().parents[3]
HOSTILE = "<script>alert(1)</script>"
QUOTES = "it's \"quoted\" & `ticked` **bold** [link](javascript:alert(2)) <b>b</b> \\u003c</title></style>"


def make_page(program, folder):
    """results/index.html of the smoke experiment and of a folder that was written by somebody hostile."""
    run = [program, "run", SOURCE / "experiments/smoke.yaml", "--results", folder, "--datasets-folder", SOURCE / "datasets",
           "--set", "network.hidden=[4]", "--set", "training.epochs=2"]
    for more in ([], ["--name", "wide", "--methods", "fixed,adapt_50,cqr,mondrian"]):
        subprocess.run(run + more, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    smoke = folder / "smoke"
    # A task that failed, for a reason that is no markup either.
    (smoke / "cells/concrete/1/exp.csv").unlink()
    write_csv(smoke / "failures.csv", ["dataset", "run", "method", "reason", "settings"],
              [["concrete", 1, "exp", HOSTILE + QUOTES, ""]])
    hostile = folder / "verdict/hostile"
    hostile.mkdir(parents=True)
    manifest = (smoke / "manifest.yaml").read_text()
    title = (HOSTILE + QUOTES).replace("\\", "\\\\").replace('"', '\\"')
    manifest = manifest.replace("smoke.yaml", "hostile.yaml")  # else the title is not its own
    (hostile / "manifest.yaml").write_text(manifest.replace('title: "Smoke test"', f'title: "{title}"'))
    header = "dataset,method,alpha,runs,size_mean,size_std,validity_mean,validity_std,infinite,empty,runs_wanted".split(",")
    write_csv(hostile / "table.csv", header,
              [[dataset, method, alpha, 2, size, "", 0.9, 0.01, 0, 0, 2]
               for dataset in (HOSTILE, QUOTES, "a,b\nc") for method in ("exp", HOSTILE + "method")
               for alpha, size in (("0.05", "inf"), ("0.1", 1e-7), ("0.32", 123456.789))])
    subprocess.run([program, "report", folder], check=True, stdout=subprocess.DEVNULL)
    return folder / "index.html"


def write_csv(path, header, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def read_csv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def display(text):
    """A number of table.csv as people see it."""
    if text == "":
        return "–"
    value = float(text)
    if value == float("inf"):
        return "∞"
    return f"{value:.2e}" if abs(value) >= 1e4 else f"{value:.3f}"


class Page:
    """The browser with the page in it, and what the tests ask of it."""

    def __init__(self, browser, file):
        self.browser, self.file = browser, file

    def load(self, address=""):
        self.browser.open("about:blank")
        self.browser.open(self.file.as_uri() + (f"#{address}" if address else ""))
        ready = """return location.protocol === "file:" && document.readyState === "complete" &&
                          document.querySelector("#table-place").childElementCount > 0"""
        wait_for(self, lambda: self.browser.run(ready), "the page is there")

    def address(self):
        return self.browser.run("return location.hash.slice(1)")

    def rows(self):
        """The table as it is on the screen: data set, method, cells."""
        return self.browser.run("""
            let dataset = "";
            const rows = [];
            for (const tr of document.querySelectorAll("table.results tbody tr")) {
              if (tr.classList.contains("group")) { dataset = tr.innerText.trim(); continue; }
              const names = [...tr.querySelectorAll("th")].map((th) => th.innerText.trim());
              const cells = [...tr.querySelectorAll("td")].map((td) => td.innerText.trim().replace(/†\\d+$/, "").trim());
              rows.push([names.length > 1 ? names[0] : dataset, names.at(-1), cells]);
            }
            return rows;""")

    def clipboard(self):
        return self.browser.run("return navigator.clipboard.readText()")

    def text(self, selector):
        return self.browser.run("return document.querySelector(arguments[0]).innerText", selector)

    def count(self, selector):
        return self.browser.run("return document.querySelectorAll(arguments[0]).length", selector)


def labelled(method):
    return "erc (error fit)" if method == "erc_error_fit" else method


def expected_rows(entries):
    """table.csv as the table should show it."""
    rows = {}
    for e in entries:
        cells = rows.setdefault((e["dataset"], labelled(e["method"])), [])
        for name in ("size", "validity"):
            shown = f"{display(e[name + '_mean'])} ± {display(e[name + '_std'])}"
            cells.append("missing" if e["runs"] == "0" else shown)
    return [[dataset, method, cells] for (dataset, method), cells in rows.items()]


def check(holds, what):
    if not holds:
        raise AssertionError(what)


def check_equal(found, expected, what=""):
    check(found == expected, f"{what}\nfound:    {found!r}\nexpected: {expected!r}")


# ---- the tests ---------------------------------------------------------------------------------------------------------


def test_numbers_are_those_of_the_table(page, folder):
    for name, path in (("smoke", "smoke"), ("wide", "wide"), ("hostile, 2 runs", "verdict/hostile")):
        page.load("experiment=" + name.replace(" ", "+").replace(",", "%2C"))
        entries = read_csv(folder / path / "table.csv")
        found, expected = page.rows(), expected_rows(entries)
        spaces = lambda rows: [[" ".join(d.split()), m, c] for d, m, c in rows]  # a line break shows as a space
        check_equal(spaces(found), spaces(expected), name)


def test_copies_csv_and_latex(page, folder):
    page.load()
    page.browser.chrome("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    page.browser.click("#copy-csv")
    wait_for(page, lambda: "Copied csv: 14 rows" in page.text("#said"), "it is said that csv was copied")
    check_equal(page.clipboard(), (folder / "smoke/table.csv").read_text(), "csv of everything is table.csv")
    page.load("dataset=cos&method=exp&method=fixed&level=0.1")
    page.browser.click("#copy-csv")
    wait_for(page, lambda: "2 rows" in page.text("#said"), "csv of a selection is copied")
    rows = list(csv.reader(io.StringIO(page.clipboard())))
    check_equal([row[:3] for row in rows[1:]], [["cos", "exp", "0.1"], ["cos", "fixed", "0.1"]])
    page.browser.click("#copy-tex")
    wait_for(page, lambda: "LaTeX" in page.text("#said"), "LaTeX is copied")
    tex = page.clipboard()
    check(tex.startswith("\\begin{tabular}{llcc}\n\\toprule\n") and "cos & exp & $" in tex, tex)
    page.load("experiment=hostile%2C+2+runs")
    page.browser.click("#copy-csv")
    wait_for(page, lambda: "Copied csv" in page.text("#said"), "csv of the hostile table is copied")
    check_equal(page.clipboard(), (folder / "verdict/hostile/table.csv").read_text())
    page.browser.click("#copy-tex")
    wait_for(page, lambda: "LaTeX" in page.text("#said"), "LaTeX of the hostile table is copied")
    compiles(page.clipboard())


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
    wait_for(page, lambda: page.rows()[0][0] == HOSTILE, "a new address shows its view")
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


def test_charts(page, folder):
    page.load("x=size&y=validity&at=0.1&bars=none")
    check_equal(page.count("#explore-place figure"), 1)
    check_equal(page.count("#explore-place [aria-label=dot] > *"), 14, "a point for each data set and method")
    page.browser.click("#explore-numbers > summary")
    wait_for(page, lambda: page.count("#explore-numbers tbody tr") == 14, "the numbers of the chart are listed")
    found = page.browser.run("""return [...document.querySelectorAll('#explore-numbers tbody tr')]
                                .map((tr) => [...tr.children].map((td) => td.innerText.trim()))""")
    entries = [e for e in read_csv(folder / "smoke/table.csv") if e["alpha"] == "0.1"]
    check_equal(found, [[e["dataset"], labelled(e["method"]), "0.1", display(e["size_mean"]), display(e["validity_mean"])]
                        for e in entries])
    page.load()
    for i in range(page.count("#explore-presets button")):
        page.browser.click(f"#preset-{i}")
        check_equal(page.browser.run(f"return document.querySelector('#preset-{i}').ariaPressed"), "true", f"preset {i}")
        check(page.count("#explore-place [aria-label=dot] > *") > 0, f"preset {i} draws points")
        drawn, address = page.browser.run("return document.querySelector('#explore-place').innerHTML"), page.address()
        page.load(address)
        again = page.browser.run("return document.querySelector('#explore-place').innerHTML")
        forget = lambda svg: re.sub(r"plot-(clip|\w+)?[-\d]*", "", svg)
        check_equal(forget(again), forget(drawn), f"the address of preset {i} draws it again")
    # Any axis against any other.
    page.load()
    empty = page.browser.run("""
        const bad = [];
        for (const x of [...axes_of(experiment()).map((axis) => axis.key), "tenth"])
          for (const y of [axes_of(experiment()).at(-1).key, "method", "size", profiles_of(experiment())[0]]) {
            choose_view({ x, y, at: "all", panels: "one", base: "fixed", bars: "error" });
            if (!document.querySelector("#explore-place svg")) bad.push([x, y]);
          }
        return bad;""")
    check_equal(empty, [])
    page.load("x=size&y=validity&panels=one&bars=none")
    page.browser.point_at("#explore-place [aria-label=dot] path")
    wait_for(page, lambda: re.search(r"(?s) on (cos|concrete), α = 0.1.*size: .*validity: ",
                                     page.browser.run("return document.querySelector('#explore-place [aria-label=tip]')?.textContent ?? ''")),
             "pointing at a point says what it is")
    page.load("x=size&y=validity&panels=each")
    check_equal(page.browser.run("return [...document.querySelectorAll('#explore-place figcaption')].map((e) => e.textContent)"), ["cos", "concrete"])
    check(page.browser.run("return [...document.querySelectorAll('figure svg')].every((svg) => svg.ariaLabel && svg.getAttribute('role') === 'img')"),
          "every chart has words")


def test_intervals(page, folder):
    lines, points = "#intervals-place [aria-label=line] path", "#intervals-place [aria-label=dot] circle"
    page.load()
    all_lines = page.count(lines)
    check_equal(all_lines, 2 * 7 + 1, "both ends of seven methods, and the prediction")
    page.browser.click("#intervals-legend button[data-method=fixed]")
    check_equal(page.count(lines), all_lines - 2)
    check(page.browser.run("return document.activeElement.dataset.method") == "fixed", "the focus stays on the switch")
    check_equal(page.count(points), len(read_csv(folder / "smoke/intervals/cos/fixed.csv")), "the test points")
    page.browser.click("#points")
    check_equal(page.count(points), 0)
    check_equal(page.count("table.results tbody tr:not(.group)"), 14, "the table keeps its methods")


def test_other_methods(page, _):
    page.load()
    check("Best by Winkler score" in page.text("#advice"), "which intervals to use")
    page.load("experiment=wide")
    labels = ["fixed", "adapt_50", "cqr", "mondrian"]
    check_equal([row[1] for row in page.rows()], 2 * labels)
    check_equal(page.text("#intervals-legend").split(), labels)
    check_equal(page.count("#intervals-place [aria-label=line] path"), 2 * 4 + 1)
    check_equal(page.count("#explore-place [aria-label=dot] > *"), 8, "the frontier, at first")


def luminance(colour):
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_themes(page, _):
    seen = {}
    for theme in ("light", "dark"):
        page.browser.theme(theme)
        page.load("x=size&y=validity")
        colours = page.browser.run("""
            const of = (selector) => getComputedStyle(document.querySelector(selector));
            return [of("body").backgroundColor, ...["body", ".note", "nav a", "td.text", ".spread"].map((s) => of(s).color)];""")
        paper = luminance(colours[0])
        for colour in colours[1:]:
            ratio = (max(paper, luminance(colour)) + 0.05) / (min(paper, luminance(colour)) + 0.05)
            check(ratio >= 4.5, f"{theme}: {colour} on {colours[0]} has a contrast of {ratio:.1f}")
        fixed = "return method_colour(report.methods.findIndex(([name]) => name === 'fixed'))"
        seen[theme] = (colours[0], page.browser.run(fixed))
    check(seen["light"][0] != seen["dark"][0] and seen["light"][1] != seen["dark"][1], seen)
    drawn = "return document.querySelector('#explore-place').innerHTML"
    before = page.browser.run(drawn)
    page.browser.theme("light")
    wait_for(page, lambda: page.browser.run(drawn) != before, "charts follow the theme while the page is open")


def test_phone_and_print(page, _):
    page.browser.resize(390, 800)
    page.load()
    check_equal(page.browser.run("return document.documentElement.scrollWidth"), 390, "nothing is wider than a phone")
    page.browser.chrome("Emulation.clearDeviceMetricsOverride")
    page.load()
    check(len(page.browser.chrome("Page.printToPDF")["data"]) > 20000, "it prints")


def test_nothing_is_markup(page, _):
    for address in ("", "experiment=hostile%2C+2+runs", "experiment=hostile%2C+2+runs&group=no&x=size&y=validity&panels=each"):
        page.load(address)
        scripts = page.browser.run("return [...document.querySelectorAll('script')].filter((s) => /^alert/.test(s.textContent)).length")
        check_equal((scripts, page.count("b[onclick], img, iframe"), page.count("main b:not(td > b)")), (0, 0, 0), address)
        check_equal(page.count("a[href^='javascript']"), 0)
    check(HOSTILE in page.text("#failures") and '"quoted" & `ticked`' in page.text("#failures"), page.text("#failures"))
    check(HOSTILE in page.text("#files") and HOSTILE in page.text("#explore-place"), "names are shown as they are")
    # Even what would get in could neither run nor reach anybody.
    blocked = page.browser.run("""
        const script = document.createElement("script");
        script.textContent = "window.ran = true";
        document.body.append(script);
        return fetch("https://example.org").then(() => "reached", () => window.ran ? "ran" : "blocked");""")
    check_equal(blocked, "blocked")
    page.browser.console()  # which say that they were blocked


def test_committed_page(page, _):
    committed = SOURCE / "results/index.html"
    if not committed.exists():
        return
    check(committed.stat().st_size < 3_000_000, "the page of all committed results is smaller than 3 MB")
    page.browser.open(committed.as_uri())
    check(page.count("table.results tbody tr") > 50, "its table")


def wait_for(page, holds, what):
    for _ in range(200):
        if holds():
            return
        page.browser.run("return new Promise((done) => setTimeout(done, 25))")
    check(False, f"waited for: {what}")


def take_screenshots(page, folder):
    for name, theme, size, address, section in (
            ("top", "light", (1280, 900), "", "top"), ("table", "dark", (1280, 900), "", "table"),
            ("explore", "light", (1280, 1100), "", "explore"), ("intervals", "dark", (1280, 900), "", "intervals"),
            ("hostile", "light", (1280, 900), "experiment=hostile%2C+2+runs", "table"), ("phone", "light", (390, 800), "", "table")):
        page.browser.theme(theme)
        page.browser.resize(*size)
        page.load(address)
        page.browser.run("document.getElementById(arguments[0]).scrollIntoView()", section)
        page.browser.screenshot(pathlib.Path(folder) / f"{name}.png")


def main():
    lacking = webdriver.lacking()
    if lacking:
        print(f"SKIPPED: not installed: {lacking} (Debian: apt-get install chromium chromium-driver)")
        return 77
    failures = 0
    with tempfile.TemporaryDirectory() as scratch, webdriver.Browser() as browser:
        folder = pathlib.Path(scratch)
        page = Page(browser, make_page(sys.argv[1], folder))
        for name, test in [item for item in globals().items() if item[0].startswith("test_")]:
            try:
                test(page, folder)
                check_equal(browser.console(), [], "the console says nothing")
                print(f"passed: {name}")
            except Exception:
                failures += 1
                print(f"FAILED: {name}\n{traceback.format_exc()}")
        if len(sys.argv) > 2:
            take_screenshots(page, sys.argv[2])
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
