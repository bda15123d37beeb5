"""The page that the tests look at: how it is made, and what can be asked of it."""

import csv
import hashlib
import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[3]
HOSTILE = "<script>alert(1)</script>"
QUOTES = "it's \"quoted\" & `ticked` **bold** [link](javascript:alert(2)) <b>b</b> \\u003c</title></style>"


def make_page(program, folder):
    """results/index.html of the smoke experiment and of a folder that was written by somebody hostile."""
    run = [program, "run", SOURCE / "experiments/smoke.yaml", "--results", folder, "--datasets-folder", SOURCE / "datasets",
           "--set", "network.hidden=[4]", "--set", "training.epochs=2"]
    for more in ([], ["--name", "wide", "--methods", "fixed,adapt,knn_error,cqr,mondrian"]):
        subprocess.run(run + more, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    smoke = folder / "smoke"
    runs = subprocess.run([program, "table", smoke, "--format", "runs"], check=True, capture_output=True, text=True).stdout
    # A task that failed for good, for a reason that is no markup either.
    reason = HOSTILE + QUOTES
    with open(smoke / "cells/concrete.csv", newline="") as file:
        header, *rows = csv.reader(file)
    settings, data = next(row[6:8] for row in rows if row[:2] == ["1", "exp"])
    text = (f"# lacp cell, format 1\n# task: concrete 1 exp\n# settings: {settings}\n# data: {data}\n# failure: {reason}\n"
            "metric,alpha,bin,value\n")
    checksum = hashlib.sha256(text.encode()).hexdigest()
    write_csv(smoke / "cells/concrete.csv", header, [row for row in rows if row[:2] != ["1", "exp"]] +
              [["1", "exp", "", "", "", "", settings, data, "", checksum, "", "", reason]])
    hostile = folder / "verdict/hostile"
    hostile.mkdir(parents=True)
    manifest = (smoke / "manifest.yaml").read_text()
    title = (HOSTILE + QUOTES).replace("\\", "\\\\").replace('"', '\\"')
    manifest = manifest.replace("smoke.yaml", "hostile.yaml")  # else the title is not its own
    manifest = manifest.replace("role: protocol", "role: many_runs")  # kept as runs.csv, without cells
    (hostile / "manifest.yaml").write_text(manifest.replace('title: "Smoke test"', f'title: "{title}"'))
    sizes = {"0.05": "inf", "0.1": "1e-7", "0.32": "123456.789"}
    header, *rows = csv.reader(runs.splitlines()[1:])
    write_csv(hostile / "runs.csv", header, [[*row[:4], sizes[row[3]], *row[5:]] for row in rows])
    text = (hostile / "runs.csv").read_text()
    (hostile / "runs.csv").write_text(f"# sha256 of the lines below: {hashlib.sha256(text.encode()).hexdigest()}\n{text}")
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


def labelled(method):
    return "erc (error fit)" if method == "erc_error_fit" else method


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

    def copied(self, kind, said):
        """What a button puts on the clipboard."""
        self.browser.click(f"#copy-{kind}")
        wait_for(self, lambda: said in self.text("#said"), f"{kind} is copied, and that is said")
        return self.browser.run("return navigator.clipboard.readText()")

    def numbers(self):
        """The numbers of the chart, as they are listed below it."""
        self.browser.click("#explore-numbers > summary")
        wait_for(self, lambda: self.count("#explore-numbers tbody tr") > 0, "the numbers of the chart are listed")
        return self.browser.run("""return [...document.querySelectorAll('#explore-numbers tbody tr')]
                                   .map((tr) => [...tr.children].map((td) => td.innerText.trim()))""")

    def text(self, selector):
        return self.browser.run("return document.querySelector(arguments[0]).innerText", selector)

    def count(self, selector):
        return self.browser.run("return document.querySelectorAll(arguments[0]).length", selector)


def check(holds, what):
    if not holds:
        raise AssertionError(what)


def check_equal(found, expected, what=""):
    check(found == expected, f"{what}\nfound:    {found!r}\nexpected: {expected!r}")


def wait_for(page, holds, what):
    for _ in range(200):
        if holds():
            return
        page.browser.run("return new Promise((done) => setTimeout(done, 25))")
    check(False, f"waited for: {what}")
