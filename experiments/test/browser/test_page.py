#!/usr/bin/env python3
"""Opens the page that `lacp report` writes in a real browser: test_page.py LACP. Exit code 77: there is no Chromium."""

import csv
import pathlib
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
    """index.html of a small smoke experiment, and of a folder whose texts try to be markup."""
    run = [program, "run", SOURCE / "experiments/smoke.yaml", "--results", folder, "--datasets-folder", SOURCE / "datasets",
           "--set", "network.hidden=[4]", "--set", "training.epochs=2"]
    for more in ([], ["--name", "wide", "--methods", "fixed,adapt,knn_error,cqr,mondrian"]):
        subprocess.run(run + more, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    smoke, hostile = folder / "smoke", folder / "verdict/hostile"
    hostile.mkdir(parents=True)
    runs = subprocess.run([program, "table", smoke, "--format", "runs"], check=True, capture_output=True, text=True).stdout
    manifest = (smoke / "manifest.yaml").read_text().replace("smoke.yaml", "hostile.yaml")  # else the title is not its own
    title = (HOSTILE + QUOTES).replace("\\", "\\\\").replace('"', '\\"')
    (hostile / "manifest.yaml").write_text(manifest.replace('title: "Smoke test"', f'title: "{title}"'))
    sizes = {"0.05": "inf", "0.1": "1e-7", "0.32": "123456.789"}
    header, *rows = runs.splitlines()
    cells = [row.split(",") for row in rows]
    (hostile / "runs.csv").write_text("\n".join([header, *(",".join([*c[:4], sizes[c[3]], c[5]]) for c in cells), ""]))
    subprocess.run([program, "report", folder], check=True, stdout=subprocess.DEVNULL)
    return folder / "index.html"


def read_csv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def display(text):
    """A number of table.csv as people see it."""
    if text in ("", "inf"):
        return "∞" if text else "–"
    return f"{float(text):.2e}" if abs(float(text)) >= 1e4 else f"{float(text):.3f}"


class Page:
    """The browser with the page in it."""

    def __init__(self, browser, file):
        self.browser, self.file = browser, file

    def load(self, address=""):
        self.browser.open("about:blank")
        self.browser.open(self.file.as_uri() + (f"#{address}" if address else ""))
        check(self.count("#table-place > *") > 0, "the page is there")

    def rows(self):
        """The table as it is on the screen: data set, method, cells."""
        return self.browser.run("""
            let dataset = "";
            const rows = [];
            for (const tr of document.querySelectorAll("table.results tbody tr")) {
              if (tr.classList.contains("group")) { dataset = tr.innerText.trim(); continue; }
              const method = tr.querySelector("th").innerText.trim();
              const cells = [...tr.querySelectorAll("td")].map((td) => td.innerText.trim().replace(/[†‡]\\d*/g, "").trim());
              rows.push([dataset, method, cells]);
            }
            return rows;""")

    def text(self, selector):
        return self.browser.run("return document.querySelector(arguments[0]).innerText", selector)

    def count(self, selector):
        return self.browser.run("return document.querySelectorAll(arguments[0]).length", selector)


def check(holds, what):
    if not holds:
        raise AssertionError(what)


def check_equal(found, expected, what=""):
    check(found == expected, f"{what}\nfound:    {found!r}\nexpected: {expected!r}")


def expected_rows(entries):
    """table.csv as the table should show it."""
    rows = {}
    for e in entries:
        method = e["method"].replace("_error_fit", " (error fit)")
        cells = rows.setdefault((e["dataset"], method), [])
        for name in ("size", "validity"):
            shown = f"{display(e[name + '_mean'])} ± {display(e[name + '_std'])}"
            cells.append("missing" if e["runs"] == "0" else shown)
    return [[dataset, method, cells] for (dataset, method), cells in rows.items()]


def test_numbers_are_those_of_the_table(page, folder):
    for name, path in (("smoke", "smoke"), ("wide", "wide"), ("hostile, 2 runs", "verdict/hostile")):
        page.load("experiment=" + name.replace(" ", "+").replace(",", "%2C"))
        check_equal(page.rows(), expected_rows(read_csv(folder / path / "table.csv")), name)


def test_table_1_comes_first(page, folder):
    page.load()
    numbers = [row for row in read_csv(folder / "smoke/comparison.csv") if row["quantity"] == "size"]
    texts = page.text("#paper-place")
    for row in numbers:
        check(f"{display(row['paper_mean'])} / " in texts, row)
    check_equal(page.count("#paper-place tbody tr"), len({row["method"] for row in numbers}))
    check(1 <= page.count("#answers article:first-child li") <= 5, "a card has at most five bullets")
    behind = page.browser.run("return document.querySelector(\"td[title^='Table 1']\").title")
    check(f"Table 1: {display(numbers[0]['paper_mean'])} ± " in behind, behind)


def test_filters_sorting_and_address(page, _):
    page.load()
    page.browser.click("#menu-dataset > summary")
    page.browser.click("#menu-dataset-0")
    check_equal({row[0] for row in page.rows()}, {"concrete"})
    check_equal(page.browser.run("return location.hash.slice(1)"), "dataset=concrete")
    page.browser.press_escape()
    button = "button[data-sort='size 0.1']"
    mean = lambda row: float(row[2][2].split()[0])
    own = page.rows()
    page.browser.click(button)
    shown = page.rows()
    check_equal(shown, sorted(own, key=mean), "smallest first")
    page.load(page.browser.run("return location.hash.slice(1)"))
    check_equal(page.rows(), shown, "the address brings the view back")
    page.browser.click("#reset")
    check_equal((len(page.rows()), page.browser.run("return location.hash.slice(1)")), (14, ""))
    page.load("experiment=nonsense&dataset=gone&sort=who+9&column=none")
    check_equal(page.text("#table-place"), "Nothing is chosen.")


def test_phone_themes_and_print(page, _):
    page.browser.chrome("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=False)
    page.load()
    check_equal(page.browser.run("return document.documentElement.scrollWidth"), 390, "nothing is wider than a phone")
    page.browser.chrome("Emulation.clearDeviceMetricsOverride")
    colours = []
    for theme in ("light", "dark"):
        page.browser.chrome("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        page.load()
        colours.append(page.browser.run("return getComputedStyle(document.body).backgroundColor"))
    check(colours[0] != colours[1], colours)
    check(len(page.browser.chrome("Page.printToPDF")["data"]) > 20000, "it prints")


def test_nothing_is_markup(page, _):
    for address in ("", "experiment=hostile%2C+2+runs"):
        page.load(address)
        scripts = page.browser.run("return [...document.querySelectorAll('script')].filter((s) => /^alert/.test(s.textContent)).length")
        check_equal((scripts, page.count("b[onclick], img, iframe"), page.count("a[href^='javascript']")), (0, 0, 0), address)
    check(HOSTILE in page.text("#files"), "a title is shown as it is")
    # Even what would get in could neither run nor reach anybody.
    blocked = page.browser.run("""
        const script = document.createElement("script");
        script.textContent = "window.ran = true";
        document.body.append(script);
        return fetch("https://example.org").then(() => "reached", () => window.ran ? "ran" : "blocked");""")
    check_equal(blocked, "blocked")
    page.browser.console()  # which say that they were blocked


def test_committed_page(page, _):
    page.browser.open((SOURCE / "results/index.html").as_uri())
    check_equal(page.count("#paper-place tbody tr"), 30, "Table 1")
    width = page.browser.run("const wide = document.querySelector('#paper-place'); return [wide.scrollWidth, wide.clientWidth]")
    check_equal(width[0], width[1], "all of Table 1 is on the screen")
    check_equal(page.count("#answers article"), 3, "a card for each program")


def main():
    if lacking := [name for name in ("chromium", "chromedriver") if not shutil.which(name)]:
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
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
