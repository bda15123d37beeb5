"""Both themes, a phone, paper, names that try to be markup, and the page that is committed."""

import re

from page import HOSTILE, SOURCE, check, check_equal, wait_for


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
    committed = SOURCE / "results/index.html"
    if not committed.exists():
        return
    check(committed.stat().st_size < 3_000_000, "the page of all committed results is smaller than 3 MB")
    page.browser.open(committed.as_uri())
    check(page.count("table.results tbody tr") > 50, "its table")
