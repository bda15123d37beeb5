// Table 1, to choose from, sort and copy.
"use strict";

/** @typedef {{dataset: number, method: number}} Row */
/** @typedef {{metric: string, level: number}} Column */

/** What is shown. @returns {{rows: Row[], columns: Column[], levels: number[]}} */
function selection() {
  const e = experiment();
  const levels = chosen_levels(),
    methods = chosen_methods();
  const columns = levels.flatMap((level) => state.column.map((metric) => ({ metric, level })));
  const rows = chosen_datasets().flatMap((dataset) =>
    methods
      .filter((method) => levels.some((level) => row_of(e, dataset, method, level) !== undefined))
      .map((method) => ({ dataset, method })),
  );
  return { rows: sorted(rows), columns, levels };
}

/** The mean that a column shows; not finite where there is none. @param {Row} row @param {Column} column */
function mean_of(row, column) {
  const i = row_of(experiment(), row.dataset, row.method, column.level);
  const metric = metric_of(experiment(), column.metric);
  return i === undefined || !metric ? NaN : number_of(metric.mean[i]);
}

/** @param {Row[]} rows */
function sorted(rows) {
  const key = state.sort.replace(/^-/, ""),
    sign = state.sort.startsWith("-") ? -1 : 1;
  if (!key) return rows;
  const e = experiment(),
    cut = key.lastIndexOf(" ");
  const column = { metric: key.slice(0, cut), level: e.levels.indexOf(key.slice(cut + 1)) };
  /** @param {Row} a @param {Row} b */
  const order = (a, b) => {
    if (key === "method") return sign * method_label(a.method).localeCompare(method_label(b.method));
    if (key === "dataset") return sign * e.datasets[a.dataset].localeCompare(e.datasets[b.dataset]);
    const x = mean_of(a, column),
      y = mean_of(b, column);
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)); // last either way
    return x === y ? 0 : sign * (x < y ? -1 : 1);
  };
  const grouped = state.group === "yes" && key !== "dataset";
  return [...rows].sort((a, b) => (grouped && a.dataset - b.dataset) || order(a, b));
}

/** A heading that sorts: up, down, and back to the order of the experiment. @param {string} key @param {string} words */
function sorter(key, words) {
  const now = state.sort === key ? "ascending" : state.sort === "-" + key ? "descending" : "none";
  const next = now === "ascending" ? "-" + key : now === "descending" ? "" : key;
  const arrow = now === "ascending" ? "▲" : now === "descending" ? "▼" : "";
  const button = element(
    "button",
    { type: "button", "data-sort": key, onclick: () => choose({ sort: next }) },
    words,
    element("span", { class: "arrow", "aria-hidden": "true" }, arrow),
  );
  return { "aria-sort": now, button };
}

/**
 * How a number compares with the published one.
 * @param {Metric} metric
 * @param {number} i
 */
function agreement(metric, i) {
  const z = number_of(metric.published?.z[i]),
    p = number_of(metric.published?.p[i]);
  if (Number.isNaN(z)) return null;
  return p < 0.05 ? "different" : Math.abs(z) > 2 ? "outside" : "inside";
}
/** @type {Record<string, string>} */
const agreement_words = {
  inside: "within 2 standard errors",
  outside: "farther than 2 standard errors, but that may be chance",
  different: "differs significantly",
};

/** @param {Row} row @param {Column} column */
function cell(row, column) {
  const e = experiment();
  const i = row_of(e, row.dataset, row.method, column.level),
    metric = metric_of(e, column.metric);
  if (i === undefined || !metric) return element("td", {}, "");
  if (e.table.runs[i] === 0) return element("td", { class: "missing" }, "missing");
  const mean = display(number_of(metric.mean[i])),
    how = agreement(metric, i);
  const partial = e.table.runs[i] < e.table.runs_wanted[i] && column.metric === "size";
  return element(
    "td",
    { tabindex: "-1", "data-row": i, "data-metric": metric.name },
    column.metric === "size" && e.table.best[i] ? element("b", {}, mean) : mean,
    element("span", { class: "spread" }, ` ± ${display(number_of(metric.std[i]))}`),
    partial && element("sup", { title: `only ${e.table.runs[i]} runs` }, `†${e.table.runs[i]}`),
    how && element("span", { class: `mark ${how}`, role: "img", "aria-label": agreement_words[how] }),
  );
}

function render_table() {
  const e = experiment(),
    { rows, columns, levels } = selection();
  const grouped = state.group === "yes" && !/^-?dataset$/.test(state.sort);
  const dataset = sorter("dataset", "data set"),
    method = sorter("method", "method");
  const head = element(
    "thead",
    {},
    element(
      "tr",
      {},
      !grouped && element("th", { rowspan: 2, scope: "col", "aria-sort": dataset["aria-sort"] }, dataset.button),
      element("th", { rowspan: 2, scope: "col", "aria-sort": method["aria-sort"] }, method.button),
      levels.map((level) =>
        element("th", { colspan: state.column.length, scope: "colgroup", class: "level" }, `α = ${e.levels[level]}`),
      ),
    ),
    element(
      "tr",
      {},
      columns.map((column) => {
        const { button, ...sort } = sorter(`${column.metric} ${e.levels[column.level]}`, metric_label(column.metric));
        return element("th", { scope: "col", class: "number", ...sort }, button);
      }),
    ),
  );
  const bodies = [];
  let body = null,
    last = -1;
  for (const row of rows) {
    if (!body || (grouped && row.dataset !== last)) {
      body = element("tbody", {});
      bodies.push(body);
      if (grouped)
        body.append(
          element(
            "tr",
            { class: "group" },
            element("th", { colspan: columns.length + 1, scope: "rowgroup" }, e.datasets[row.dataset]),
          ),
        );
    }
    last = row.dataset;
    body.append(
      element(
        "tr",
        {},
        !grouped && element("th", { scope: "row", class: "name" }, e.datasets[row.dataset]),
        element("th", { scope: "row", class: "name" }, method_key(row.method), method_label(row.method)),
        columns.map((column) => cell(row, column)),
      ),
    );
  }
  const focused = document.activeElement?.getAttribute("data-sort");
  const table = element("table", { class: "results", "aria-label": `Results of ${e.name}` }, head, bodies);
  fill("table-place", rows.length ? table : element("p", { class: "empty" }, "Nothing is chosen."));
  if (focused)
    for (const button of table.querySelectorAll("button")) if (button.dataset.sort === focused) button.focus();
  const first = table.querySelector("td[data-row]");
  if (first) first.setAttribute("tabindex", "0");
  table_words(e);
}

/** @param {Experiment} e */
function table_words(e) {
  const compared = e.metrics.some((m) => m.published);
  fill(
    "table-about",
    `${e.title}: mean ± standard deviation over ${counted(e.runs, "run")}; ${e.done} of ${counted(e.wanted, "task")} done. `,
    "Size is the mean half-width of the intervals in units of mean |y|, smallest in bold; validity is the share of points inside. ",
    "Point at a number, or move to it with the arrow keys, for its runs",
    compared ? ` and the ${other_side} number.` : ".",
  );
  fill(
    "table-notes",
    compared &&
      element(
        "p",
        { class: "note" },
        Object.entries(agreement_words).map(([how, words]) =>
          element("span", { class: "explained" }, element("span", { class: `mark ${how}` }), words),
        ),
      ),
    e.table.runs.some((n, i) => n > 0 && n < e.table.runs_wanted[i]) &&
      element("p", { class: "note" }, "†k: mean of only k runs."),
    e.notes.map((note) => element("p", { class: "note" }, note)),
    element("p", { class: "note files" }, "Files: ", file_links(e)),
  );
}

/** One cell is reached by tab; arrows lead to the others. @param {KeyboardEvent} event */
function move_in_table(event) {
  const from = event.target instanceof HTMLElement ? event.target.closest("td[data-row]") : null;
  if (!from) return;
  const lines = [...place("table-place").querySelectorAll("tbody tr")]
    .map((tr) => [...tr.querySelectorAll("td[data-row]")])
    .filter((l) => l.length);
  const line = lines.findIndex((cells) => cells.includes(from)),
    at = lines[line].indexOf(from);
  const [down, right] = {
    ArrowDown: [1, 0],
    ArrowUp: [-1, 0],
    ArrowRight: [0, 1],
    ArrowLeft: [0, -1],
    Home: [0, -99],
    End: [0, 99],
  }[event.key] ?? [0, 0];
  if (!down && !right) return;
  event.preventDefault();
  const cells = lines[Math.min(lines.length - 1, Math.max(0, line + down))];
  const to = /** @type {HTMLElement} */ (cells[Math.min(cells.length - 1, Math.max(0, at + right))]);
  from.setAttribute("tabindex", "-1");
  to.setAttribute("tabindex", "0");
  to.focus();
}
