#!/usr/bin/env python3
"""Opens the page that `lacp report` writes in a real browser: experiments/test/browser/test_page.py LACP [SCREENSHOTS]

The page is made from the smoke experiment, cut down to a second of work, and from a folder whose names and texts try to be markup.
Exit code 77: there is no Chromium. With a folder for SCREENSHOTS, pictures of the page are left there to look at.
"""

import pathlib
import sys
import tempfile
import traceback

import chart_tests
import look_tests
import table_tests
import webdriver
from page import Page, check_equal, make_page


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
        tests = [item for module in (table_tests, chart_tests, look_tests) for item in vars(module).items()]
        for name, test in [item for item in tests if item[0].startswith("test_")]:
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
