"""Explore, the intervals, and pages of other methods than the paper's."""

import re

from page import check, check_equal, display, labelled, read_csv, wait_for


def test_charts(page, folder):
    page.load("x=size&y=validity&at=0.1&bars=none")
    check_equal(page.count("#explore-place figure"), 1)
    check_equal(page.count("#explore-place [aria-label=dot] > *"), 14, "a point for each data set and method")
    entries = [e for e in read_csv(folder / "smoke/table.csv") if e["alpha"] == "0.1"]
    check_equal(page.numbers(), [[e["dataset"], labelled(e["method"]), "0.1", display(e["size_mean"]), display(e["validity_mean"])]
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
    for x in page.browser.run("return [...axes_of(experiment()).map((axis) => axis.key), 'tenth']"):  # each a call, since a call may not last
        empty = page.browser.run("""
            return [axes_of(experiment()).at(-1).key, "method", "size", profiles_of(experiment())[0]].filter((y) => {
              choose_view({ x: arguments[0], y, at: "all", panels: "one", base: "fixed", bars: "error" });
              return !document.querySelector("#explore-place svg");
            });""", x)
        check_equal(empty, [], x)
    page.load("x=size&y=validity&panels=one&bars=none")
    page.browser.point_at("#explore-place [aria-label=dot] path")
    wait_for(page, lambda: re.search(r"(?s) on (cos|concrete), α = 0.1.*size: .*validity: ",
                                     page.browser.run("return document.querySelector('#explore-place [aria-label=tip]')?.textContent ?? ''")),
             "pointing at a point says what it is")
    page.load("x=size&y=validity&panels=each")
    check_equal(page.browser.run("return [...document.querySelectorAll('#explore-place figcaption')].map((e) => e.textContent)"), ["cos", "concrete"])
    check(page.browser.run("return [...document.querySelectorAll('figure svg')].every((svg) => svg.ariaLabel && svg.getAttribute('role') === 'img')"),
          "every chart has words")


def test_nothing_is_cut(page, _):
    page.load()
    low, high = page.browser.run("return value_axis([1, 2], [0.5, 1.5, 2.4], false, 5).domain")
    check(low < 0.5 and 2.4 < high < 2.7, f"bars are part of the axis: {low} to {high}")
    low, high = page.browser.run("return value_axis([1, 2], [-8, 12], false, 5).domain")
    check(low > 0.8 and high < 2.2, f"one that would squeeze the points is not: {low} to {high}")
    low, high = page.browser.run("return value_axis([1, 2], [-1, 0.8, 3], true, 5).domain")
    check(0.6 < low < 0.8 and 3 < high < 4, f"on a logarithmic axis, too: {low} to {high}")
    labels = page.browser.run("""
        return [...document.querySelectorAll("#explore-place svg text")].filter((text) => {
          const frame = text.ownerSVGElement.getBoundingClientRect(), box = text.getBoundingClientRect();
          return box.left < frame.left - 1 || box.right > frame.right + 1;
        }).map((text) => text.textContent);""")
    check_equal(labels, [], "labels that leave the chart")


def test_intervals(page, folder):
    lines, points = "#intervals-place [aria-label=line] path", "#intervals-place [aria-label=dot] circle"
    page.load()
    all_lines = page.count(lines)
    check_equal(all_lines, 2 * 7 + 1, "both ends of seven methods, and the prediction")
    page.browser.click("#intervals-legend button[data-method=fixed]")
    check_equal(page.count(lines), all_lines - 2)
    check(page.browser.run("return document.activeElement.dataset.method") == "fixed", "the focus stays on the switch")
    check_equal(page.count(points), sum(row["method"] == "fixed" for row in read_csv(folder / "smoke/intervals/cos.csv")), "the test points")
    page.browser.click("#points")
    check_equal(page.count(points), 0)
    check_equal(page.count("table.results tbody tr:not(.group)"), 14, "the table keeps its methods")


def test_other_methods(page, _):
    page.load()
    check("Best by Winkler score" in page.text("#advice"), "which intervals to use")
    check(re.match(r"Which intervals should I use\?\s+Take \w+\.\s+It has the best mean rank", page.text("#advice")), "one sentence first")
    check("**" not in page.text("#advice"), "no marks of markdown")
    page.load("experiment=wide")
    labels = ["fixed", "adapt", "knn_error", "cqr", "mondrian"]
    check_equal([row[1] for row in page.rows()], 2 * labels)
    check_equal(page.text("#intervals-legend").split(), labels)
    check_equal(page.count("#intervals-place [aria-label=line] path"), 2 * len(labels) + 1)
    check_equal(page.browser.run("return document.querySelector('#preset-0').ariaPressed"), "true", "sizes relative to fixed, at first")
    check_equal(page.text("#preset-0"), "Size relative to fixed")
    check_equal(page.count("#explore-place [aria-label=dot] > *"), 2 * len(labels))
    page.browser.click("#preset-1")
    check_equal(page.count("#explore-place [aria-label=dot] > *"), 2 * len(labels), "the frontier")


def test_metrics_without_a_level(page, folder):
    page.load("experiment=wide&x=adaptation&y=size&at=0.1&bars=none")
    check_equal([row[1] for row in page.numbers()], 2 * ["adapt"], "only this has a degree of adaptation")
    epochs = [float(row["value"]) for row in read_csv(folder / "wide/cells/cos.csv")
              if (row["method"], row["metric"]) == ("cqr", "best_epoch")]
    check_equal(len(epochs), 2)
    shown = page.browser.run("""const e = experiment(), cqr = report.methods.findIndex(([name]) => name === "cqr");
                                return axis_value(e, "best_epoch", row_of(e, e.datasets.indexOf("cos"), cqr, 0))[0]""")
    check_equal(shown, sum(epochs) / 2, "the mean over the two runs")
