// The selection of the table as csv, with the columns of table.csv, or as LaTeX.
"use strict";

/** As RFC 4180 has it. @param {string} text */
const csv_field = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

function selection_csv() {
  const e = experiment(),
    { rows, levels } = selection();
  /** @typedef {Record<string, (i: number) => string>} Texts  of a row of the table, by column */
  /** @type {(name: string) => Texts} */
  const pair = (name) => ({
    [`${name}_mean`]: (i) => number_text(axis_value(e, name, i)[0]),
    [`${name}_std`]: (i) => number_text(axis_value(e, name, i)[1]),
  });
  /** @type {Texts} */
  const columns = {
    dataset: (i) => e.datasets[e.table.dataset[i]],
    method: (i) => method_name(e.table.method[i]),
    alpha: (i) => e.levels[e.table.level[i]],
    runs: (i) => number_text(e.table.runs[i]),
    ...pair("size"),
    ...pair("validity"),
    infinite: (i) => number_text(e.table.infinite[i]),
    empty: (i) => number_text(e.table.empty[i]),
    runs_wanted: (i) => number_text(e.table.runs_wanted[i]),
  };
  Object.assign(columns, ...state.column.map(pair)); // what is there already stays in its place
  const lines = [Object.keys(columns)];
  for (const { dataset, method } of rows)
    for (const level of levels) {
      const i = row_of(e, dataset, method, level);
      if (i !== undefined) lines.push(Object.values(columns).map((text) => text(i)));
    }
  return lines.map((line) => line.map(csv_field).join(",") + "\n").join("");
}

/** @param {string} text */
const tex_escape = (text) =>
  text.replace(/[\\~^_%&#${}]/g, (c) =>
    c === "\\" ? "\\textbackslash{}" : c === "~" || c === "^" ? `\\${c}{}` : `\\${c}`,
  );

/** @param {number} value */
const tex_number = (value) =>
  display(value)
    .replace("∞", "\\infty")
    .replace("−", "-")
    .replace("–", "\\text{--}")
    .replace(/e([+-])0*(\d+)/, (_, sign, digits) => ` \\cdot 10^{${sign === "-" ? "-" : ""}${digits}}`);

/** A tabular for \input; needs booktabs. */
function selection_tex() {
  const e = experiment(),
    { rows, columns, levels } = selection(),
    wide = state.column.length;
  /** @param {Row} row @param {Column} column */
  const entry = (row, column) => {
    const found = entry_of(row, column);
    if (!found || found.runs === 0) return "--";
    const mean = tex_number(found.mean);
    if (!Number.isFinite(found.mean)) return `$${mean}$`;
    const shown = found.best ? `\\mathbf{${mean}}` : mean;
    return `$${shown} \\pm ${tex_number(found.std)}${found.partial ? `^{\\dagger ${found.runs}}` : ""}$`;
  };
  const lines = [
    `\\begin{tabular}{ll${"c".repeat(columns.length)}}`,
    "\\toprule",
    ` & ${levels.map((level) => ` & \\multicolumn{${wide}}{c}{$\\alpha = ${e.levels[level]}$}`).join("")} \\\\`,
    `data set & method${columns.map((column) => ` & ${tex_escape(metric_label(column.metric))}`).join("")} \\\\`,
    "\\midrule",
    ...rows.map(
      (row) =>
        `${tex_escape(e.datasets[row.dataset])} & ${tex_escape(method_label(row.method))}${columns.map((c) => ` & ${entry(row, c)}`).join("")} \\\\`,
    ),
    "\\bottomrule",
    "\\end{tabular}",
  ];
  return lines.join("\n") + "\n";
}

/** @param {string} text @param {string} what */
async function copy(text, what) {
  try {
    await window.navigator.clipboard.writeText(text);
  } catch {
    // A browser that has no clipboard for files on disk still copies what is selected.
    const area = element("textarea", { class: "aside", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) return say("The browser did not allow copying.");
  }
  say(`Copied ${what}: ${counted(selection().rows.length, "row")} of the table.`);
}
