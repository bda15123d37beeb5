// Failures, times, settings, files.
"use strict";

function write_failures() {
  const rows = report.experiments.flatMap((e) => e.failures.map((failure) => [e.name, ...failure]));
  const heads = ["experiment", "data set", "run", "method", "reason"];
  const cells = rows.map((row) => row.map((text) => text_cell(text)));
  const table = () => element("div", { class: "wide" }, table_of({}, heads, cells));
  const missing = report.experiments
    .filter((e) => e.done < e.wanted)
    .map((e) => `${e.name}: ${e.wanted - e.done} of ${e.wanted}`);
  fill(
    "failures-place",
    element(
      "p",
      rows.length === 0
        ? "No task failed. "
        : `${counted(rows.length, "task")} failed; they are left out of the means. `,
      missing.length > 0 && `Missing, failed or not: ${missing.join("; ")}.`,
    ),
    rows.length > 8
      ? element("details", element("summary", "Every failure and its reason"), table())
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
  /** @param {number} d @param {number} m */
  const cell = (d, m) => {
    const time = e.times.find((t) => t[0] === d && t[1] === m);
    if (!time) return element("td", "–");
    const [, , tasks, mean, longest] = time;
    const title = `${counted(tasks, "task")}, the longest ${display(longest, 1)} s`,
      style = `--shade: ${shade(Math.max(0.01, mean))};`;
    return element("td", { title, style }, display(mean, mean < 10 ? 2 : 0));
  };
  fill(
    "times-place",
    table_of(
      { class: "times" },
      ["data set", ...methods.map(method_label)],
      datasets.map((d) => [row_head(e.datasets[d]), ...methods.map((m) => cell(d, m))]),
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
  const show = (/** @type {boolean} */ different) => choose({ settings: different ? "different" : "all" });
  fill("settings-tools", report.experiments.length > 1 && checkbox("different", "only what differs", few, show));
  /** What most experiments have. @param {string[]} list */
  const usual = (list) => d3.greatest(list, (value) => list.filter((other) => other === value).length);
  fill(
    "settings-place",
    table_of(
      { class: "settings" },
      ["key", ...report.experiments.map((e) => e.name)],
      rows
        .filter((row) => !few || differs(row.values))
        .map((row) => [
          row_head(element("code", row.key), meanings.get(row.key)),
          ...row.values.map((value) => text_cell(value, value === usual(row.values) ? "" : "other")),
        ]),
    ),
  );
}

function write_files() {
  fill(
    "files-place",
    table_of(
      {},
      ["experiment", "what", "data sets", "methods", "runs", "tasks done", "files"],
      report.experiments.map((e) => [
        row_head(e.name),
        text_cell(e.title, "what"),
        element("td", String(e.datasets.length)),
        element("td", String(methods_of(e).length)),
        element("td", String(e.runs)),
        element("td", `${e.done} of ${e.wanted}`),
        text_cell(file_links(e), "files"),
      ]),
    ),
  );
}
