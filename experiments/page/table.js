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

/** What a column shows of a row; null where there is no such number. @param {Row} row @param {Column} column */
function entry_of(row, column) {
  const e = experiment(),
    metric = metric_of(e, column.metric),
    i = row_of(e, row.dataset, row.method, column.level);
  if (i === undefined || !metric) return null;
  const runs = e.table.runs[i],
    is_size = column.metric === "size";
  return {
    i,
    metric,
    runs,
    mean: metric.mean[i],
    std: metric.std[i],
    best: is_size && !!e.table.best[i],
    partial: is_size && runs < e.table.runs_wanted[i],
  };
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
    const x = entry_of(a, column)?.mean ?? NaN,
      y = entry_of(b, column)?.mean ?? NaN;
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)); // last either way
    return x === y ? 0 : sign * (x < y ? -1 : 1);
  };
  const grouped = state.group === "yes" && key !== "dataset";
  return [...rows].sort((a, b) => (grouped && a.dataset - b.dataset) || order(a, b));
}

/** A heading that sorts: up, down, and back to the order of the experiment. @param {string} key @param {string} words @param {Attributes} attributes */
function sorter(key, words, attributes) {
  const now = state.sort === key ? "ascending" : state.sort === "-" + key ? "descending" : "none";
  const next = now === "ascending" ? "-" + key : now === "descending" ? "" : key;
  const arrow = now === "ascending" ? "▲" : now === "descending" ? "▼" : "";
  const shown = [words, element("span", { class: "arrow", "aria-hidden": "true" }, arrow)];
  const press = button(`sort-${key}`, shown, () => choose({ sort: next }), { "data-sort": key });
  return element("th", { scope: "col", "aria-sort": now, ...attributes }, press);
}

/**
 * How a number compares with the published one.
 * @param {Metric} metric
 * @param {number} i
 */
function agreement(metric, i) {
  const { z, p } = metric.published ?? { z: [], p: [] };
  if (Number.isNaN(z[i] ?? NaN)) return null;
  return p[i] < 0.05 ? "different" : Math.abs(z[i]) > 2 ? "outside" : "inside";
}
/** @type {Record<string, string>} */
const agreement_words = {
  inside: "within 2 standard errors",
  outside: "farther than 2 standard errors, but that may be chance",
  different: "differs significantly",
};

/** @param {Row} row @param {Column} column */
function cell(row, column) {
  const entry = entry_of(row, column);
  if (!entry) return element("td");
  const { i, metric, runs, best, partial } = entry,
    mean = display(entry.mean),
    how = agreement(metric, i);
  if (runs === 0) return element("td", { class: "missing" }, "missing");
  return element(
    "td",
    { tabindex: "-1", "data-row": i, "data-metric": metric.name },
    best ? element("b", mean) : mean,
    span("spread", ` ± ${display(entry.std)}`),
    partial && element("sup", { title: `only ${runs} runs` }, `†${runs}`),
    how && element("span", { class: `mark ${how}`, role: "img", "aria-label": agreement_words[how] }),
  );
}

function render_table() {
  const e = experiment(),
    { rows, columns, levels } = selection();
  const grouped = state.group === "yes" && !/^-?dataset$/.test(state.sort);
  const heads = levels.map((level) =>
    element("th", { colspan: state.column.length, scope: "colgroup", class: "level" }, `α = ${e.levels[level]}`),
  );
  const sorters = columns.map(({ metric, level }) =>
    sorter(`${metric} ${e.levels[level]}`, metric_label(metric), { class: "number" }),
  );
  const head = element(
    "thead",
    element(
      "tr",
      !grouped && sorter("dataset", "data set", { rowspan: 2 }),
      sorter("method", "method", { rowspan: 2 }),
      heads,
    ),
    element("tr", sorters),
  );
  const name = (/** @type {Child[]} */ ...words) => element("th", { scope: "row", class: "name" }, ...words);
  const line = (/** @type {Row} */ row) => {
    const cells = columns.map((column) => cell(row, column));
    const names = [!grouped && name(e.datasets[row.dataset]), name(method_key(row.method), method_label(row.method))];
    return element("tr", names, cells);
  };
  const wide = { colspan: columns.length + 1, scope: "rowgroup" };
  const bodies = d3
    .groups(rows, (row) => grouped && row.dataset)
    .map(([dataset, members]) => {
      const title = dataset !== false && element("tr", { class: "group" }, element("th", wide, e.datasets[dataset]));
      return element("tbody", title, members.map(line));
    });
  const table = element("table", { class: "results", "aria-label": `Results of ${e.name}` }, head, bodies);
  fill("table-place", rows.length ? table : element("p", { class: "empty" }, "Nothing is chosen."));
  const first = table.querySelector("td[data-row]");
  if (first) first.setAttribute("tabindex", "0");
  table_words(e);
}

/** @param {Experiment} e */
function table_words(e) {
  const compared = e.metrics.some((m) => m.published);
  const marks = Object.entries(agreement_words).map(([how, words]) => span("explained", span(`mark ${how}`), words));
  fill(
    "table-about",
    `${e.title}: mean ± standard deviation over ${counted(e.runs, "run")}; ${e.done} of ${counted(e.wanted, "task")} done. `,
    `Size is the mean half-width of the intervals in units of mean |y|; bold: ${report.best}. Validity is the share of points inside. `,
    "Point at a number, or move to it with the arrow keys, for its runs",
    compared ? ` and the ${other_side} number.` : ".",
  );
  fill(
    "table-notes",
    compared && element("p", { class: "note" }, marks),
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
