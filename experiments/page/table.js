// The table of an experiment, to choose from and sort.
"use strict";

/** What a column shows of a row; null where there is no such number. */
function entry_of(row, column) {
  const e = experiment(),
    metric = e.metrics.find((m) => m.name === column.metric),
    i = e.row_of.get(`${row.dataset} ${row.method} ${column.level}`);
  return i === undefined || !metric ? null : { i, metric, runs: e.table.runs[i], mean: metric.mean[i], std: metric.std[i] };
}

/** Rows in the order that was chosen, within their data set. */
function sorted(rows) {
  const key = state.sort.replace(/^-/, ""),
    sign = state.sort.startsWith("-") ? -1 : 1;
  if (!key) return rows;
  const cut = key.lastIndexOf(" "),
    column = { metric: key.slice(0, cut), level: experiment().levels.indexOf(key.slice(cut + 1)) };
  const order = (a, b) => {
    if (key === "method") return sign * method_label(a.method).localeCompare(method_label(b.method));
    const x = entry_of(a, column)?.mean ?? NaN,
      y = entry_of(b, column)?.mean ?? NaN;
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)); // last either way
    return x === y ? 0 : sign * (x < y ? -1 : 1);
  };
  return [...rows].sort((a, b) => a.dataset - b.dataset || order(a, b));
}

/** A heading that sorts: up, down, and back to the order of the experiment. */
function sorter(key, words, attributes) {
  const now = state.sort === key ? "ascending" : state.sort === "-" + key ? "descending" : "none";
  const next = now === "ascending" ? "-" + key : now === "descending" ? "" : key;
  const arrow = now === "ascending" ? "▲" : now === "descending" ? "▼" : "";
  const shown = [words, element("span", { class: "arrow", "aria-hidden": "true" }, arrow)];
  const press = button(`sort-${key}`, shown, () => choose({ sort: next }), { "data-sort": key });
  return element("th", { scope: "col", "aria-sort": now, ...attributes }, press);
}

/** What lies behind a number: runs that broke, and Table 1's number. */
function behind({ i, metric }) {
  const { collapsed, exploded } = experiment().table,
    published = metric.published,
    facts = [];
  if (published && !Number.isNaN(published.mean[i])) {
    facts.push(`Table 1: ${display(published.mean[i])} ± ${display(published.std[i])}`);
    facts.push(`standard errors apart: ${display(published.z[i], 1)}`);
  }
  if (collapsed[i] > 0) facts.push(`${counted(collapsed[i], "run")} collapsed`);
  if (exploded[i] > 0) facts.push(`${counted(exploded[i], "run")} exploded`);
  return facts.join("\n");
}

function cell(row, column) {
  const e = experiment(),
    entry = entry_of(row, column);
  if (!entry) return element("td");
  const { i, metric, runs } = entry,
    mean = display(entry.mean),
    is_size = metric.name === "size";
  if (runs === 0) return element("td", { class: "missing" }, "missing");
  const differs = Math.abs(metric.published?.z[i] ?? NaN) > 2,
    broken = is_size && e.table.collapsed[i] + e.table.exploded[i] > 0;
  return element(
    "td",
    { "data-row": i, "data-metric": metric.name, title: behind(entry) || null },
    is_size && e.table.best[i] ? element("b", mean) : mean,
    span("spread", ` ± ${display(entry.std)}`),
    is_size && runs < e.table.runs_wanted[i] && element("sup", `†${runs}`),
    broken && element("sup", "‡"),
    differs && element("span", { class: "mark", role: "img", "aria-label": "differs from Table 1" }),
  );
}

function render_table() {
  const e = experiment(),
    levels = chosen_of(e.levels, state.level),
    methods = chosen_methods(),
    columns = levels.flatMap((level) => state.column.map((metric) => ({ metric, level })));
  const rows = chosen_of(e.datasets, state.dataset).flatMap((dataset) => methods.map((method) => ({ dataset, method })));
  const heads = levels.map((level) =>
    element("th", { colspan: state.column.length, scope: "colgroup", class: "level" }, `α = ${e.levels[level]}`),
  );
  const sorters = columns.map(({ metric, level }) =>
    sorter(`${metric} ${e.levels[level]}`, metric_label(metric), { class: "number" }),
  );
  const first_line = element("tr", sorter("method", "method", { rowspan: 2 }), heads);
  const line = (row) =>
    element(
      "tr",
      element("th", { scope: "row", class: "name" }, method_label(row.method)),
      columns.map((column) => cell(row, column)),
    );
  const wide = { colspan: columns.length + 1, scope: "rowgroup" };
  const bodies = groups(sorted(rows), (row) => row.dataset).map(([dataset, members]) =>
    element("tbody", element("tr", { class: "group" }, element("th", wide, e.datasets[dataset])), members.map(line)),
  );
  const head = element("thead", first_line, element("tr", sorters));
  const table = element("table", { class: "results", "aria-label": `Results of ${e.name}` }, head, bodies);
  fill("table-place", rows.length ? table : element("p", { class: "empty" }, "Nothing is chosen."));
  table_words(e);
}

function table_words(e) {
  const compared = e.metrics.some((m) => m.published),
    note = (...words) => element("p", { class: "note" }, words);
  fill(
    "table-about",
    `${e.title}: mean ± standard deviation over ${counted(e.runs, "run")}; ${e.done} of ${counted(e.wanted, "task")} done. `,
    `Size is the mean half-width of the intervals in units of mean |y|; bold: ${report.best}. Validity is the share of points inside.`,
  );
  fill(
    "table-notes",
    compared && note(span("mark"), " more than 2 standard errors from Table 1; point at a number to see it"),
    note("†k: mean of only k runs. ‡: a run collapsed or exploded."),
    e.notes.map((text) => note(text)),
    element("p", { class: "note files" }, "Files: ", file_links(e)),
  );
}
