#!/usr/bin/env python3
"""Makes results/page.webp, which README.md shows, from results/index.html: scripts/page_picture.py [PAGE [PICTURE]]

Four views of the page side by side, in both themes. Needs Chromium and its driver.
"""

import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "experiments/test/browser"))
sys.dont_write_bytecode = True
import webdriver  # noqa: E402

# Theme, address, the element to scroll to, the number to point at.
VIEWS = [("light", "", "#top", None), ("light", "experiment=paper", "#table", "td[data-row='3'][data-metric='size']"),
         ("dark", "", "#explore", None), ("dark", "", "#intervals", None)]


def main():
    page = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "results/index.html").resolve()
    picture = sys.argv[2] if len(sys.argv) > 2 else ROOT / "results/page.webp"
    with tempfile.TemporaryDirectory() as scratch, webdriver.Browser(1280, 880) as browser:
        folder = pathlib.Path(scratch)
        browser.resize(1180, 800)
        for i, (theme, address, section, number) in enumerate(VIEWS):
            browser.theme(theme)
            browser.open("about:blank")
            browser.open(f"{page.as_uri()}#{address}")
            browser.run("document.querySelector(arguments[0]).scrollIntoView()", section)
            if number:
                browser.run("document.querySelector(arguments[0]).focus({preventScroll: true})", number)
            browser.screenshot(folder / f"{i}.png")
        pictures = "".join(f"<img src='{i}.png'>" for i in range(len(VIEWS)))
        (folder / "all.html").write_text(
            "<style>body { margin: 0; display: grid; grid-template-columns: 1fr 1fr; gap: 8px; padding: 8px; background: #8a9096 }"
            f"img {{ width: 100%; border-radius: 6px }}</style>{pictures}")
        browser.theme("light")
        browser.open((folder / "all.html").as_uri())
        browser.resize(1200, browser.run("return document.documentElement.scrollHeight"))
        browser.resize(1200, browser.run("return document.body.offsetHeight"))
        browser.screenshot(picture)


if __name__ == "__main__":
    main()
