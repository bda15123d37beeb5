// Failures, times, settings, files.
"use strict";

function write_failures() {
  const rows = report.experiments.flatMap((e) => e.failures.map((failure) => [e.name, ...failure]));
  const table = () =>
    element(
      "div",
      { class: "wide" },
      element(
        "table",
        {},
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            ["experiment", "data set", "run", "method", "reason"].map((head) => element("th", { scope: "col" }, head)),
          ),
        ),
        element(
          "tbody",
          {},
          rows.map((row) =>
            element(
              "tr",
              {},
              row.map((text) => element("td", { class: "text" }, text)),
            ),
          ),
        ),
      ),
    );
  const missing = report.experiments
    .filter((e) => e.done < e.wanted)
    .map((e) => `${e.name}: ${e.wanted - e.done} of ${e.wanted}`);
  fill(
    "failures-place",
    element(
      "p",
      {},
      rows.length === 0
        ? "No task failed. "
        : `${counted(rows.length, "task")} failed; they are left out of the means. `,
      missing.length > 0 && `Missing, failed or not: ${missing.join("; ")}.`,
    ),
    rows.length > 8
      ? element("details", {}, element("summary", {}, "Every failure and its reason"), table())
      : rows.length > 0 && table(),
  );
}

function render_times() {
  const e = experiment(),
    datasets = chosen_datasets(),
    methods = chosen_methods();
  place("times").hidden = e.times.length === 0;
  if (e.times.length === 0) return;
  const total = d3.sum(e.times, ([, , tasks, mean]) => tasks * mean);
  fill(
    "times-about",
    `Seconds per task of ${e.name}, mean over runs; darker is longer. All ${d3.sum(e.times, (t) => t[2])} timed tasks took ${total < 600 ? `${display(total, 0)} seconds` : total < 36000 ? `${display(total / 60, 0)} minutes` : `${display(total / 3600, 0)} hours`} of one core.`,
  );
  const shade = d3.scaleLog([0.01, Math.max(0.1, ...e.times.map((t) => t[3]))], [0, 0.5]).clamp(true);
  fill(
    "times-place",
    element(
      "table",
      { class: "times" },
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          element("th", { scope: "col" }, "data set"),
          methods.map((m) => element("th", { scope: "col", class: "number" }, method_label(m))),
        ),
      ),
      element(
        "tbody",
        {},
        datasets.map((d) =>
          element(
            "tr",
            {},
            element("th", { scope: "row" }, e.datasets[d]),
            methods.map((m) => {
              const time = e.times.find((t) => t[0] === d && t[1] === m);
              if (!time) return element("td", {}, "–");
              const td = element(
                "td",
                { title: `${counted(time[2], "task")}, the longest ${display(time[4], 1)} s` },
                display(time[3], time[3] < 10 ? 2 : 0),
              );
              td.style.setProperty("--shade", String(shade(Math.max(0.01, time[3]))));
              return td;
            }),
          ),
        ),
      ),
    ),
  );
}

function render_settings() {
  const keys = [...new Set(report.experiments.flatMap((e) => e.settings.map(([key]) => key)))].filter(
    (key) => key !== "title",
  );
  const meanings = new Map(report.meanings.map(([key, words]) => [key, words]));
  const values = report.experiments.map((e) => new Map(e.settings.map(([key, value]) => [key, value])));
  const rows = keys.map((key) => ({ key, values: values.map((map) => map.get(key) ?? "") }));
  const differs = (/** @type {string[]} */ list) => new Set(list).size > 1;
  const few = state.settings === "different" && report.experiments.length > 1;
  const box = element("input", { type: "checkbox", id: "different" });
  box.checked = few;
  box.addEventListener("change", () => choose({ settings: box.checked ? "different" : "all" }));
  fill("settings-tools", report.experiments.length > 1 && element("label", {}, box, "only what differs"));
  fill(
    "settings-place",
    element(
      "table",
      { class: "settings" },
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          element("th", { scope: "col" }, "key"),
          report.experiments.map((e) => element("th", { scope: "col" }, e.name)),
        ),
      ),
      element(
        "tbody",
        {},
        rows
          .filter((row) => !few || differs(row.values))
          .map((row) => {
            const usual = d3.greatest(
              d3.rollup(
                row.values,
                (list) => list.length,
                (value) => value,
              ),
              ([, count]) => count,
            )?.[0];
            return element(
              "tr",
              {},
              element("th", { scope: "row", title: meanings.get(row.key) }, element("code", {}, row.key)),
              row.values.map((value) =>
                element("td", { class: differs(row.values) && value !== usual ? "text other" : "text" }, value),
              ),
            );
          }),
      ),
    ),
  );
}

function write_files() {
  fill(
    "files-place",
    element(
      "table",
      {},
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          ["experiment", "what", "data sets", "methods", "runs", "tasks done", "commit", "files"].map((head) =>
            element("th", { scope: "col" }, head),
          ),
        ),
      ),
      element(
        "tbody",
        {},
        report.experiments.map((e) =>
          element(
            "tr",
            {},
            element("th", { scope: "row" }, e.name),
            element("td", { class: "text what" }, e.title),
            element("td", {}, String(e.datasets.length)),
            element("td", {}, String(methods_of(e).length)),
            element("td", {}, String(e.runs)),
            element("td", {}, `${e.done} of ${e.wanted}`),
            element("td", { class: "text" }, element("code", {}, e.commits.join(" "))),
            element("td", { class: "text files" }, file_links(e)),
          ),
        ),
      ),
    ),
  );
}
