// The selection of the table as csv, with the columns of table.csv, or as LaTeX.
"use strict";

/** As RFC 4180 has it. @param {string} text */
const csv_field = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

function selection_csv() {
  const e = experiment(),
    { rows, levels } = selection();
  const more = state.column.filter((name) => name !== "size" && name !== "validity");
  const pairs = (/** @type {string[]} */ names) => names.flatMap((name) => [`${name}_mean`, `${name}_std`]);
  const lines = [
    [
      "dataset",
      "method",
      "alpha",
      "runs",
      ...pairs(["size", "validity"]),
      "infinite",
      "empty",
      "runs_wanted",
      ...pairs(more),
    ],
  ];
  for (const { dataset, method } of rows)
    for (const level of levels) {
      const i = row_of(e, dataset, method, level);
      if (i === undefined) continue;
      const values = (/** @type {string[]} */ names) =>
        names.flatMap((name) => axis_value(e, name, i).map(number_text));
      lines.push([
        e.datasets[dataset],
        method_name(method),
        e.levels[level],
        String(e.table.runs[i]),
        ...values(["size", "validity"]),
        number_text(e.table.infinite[i]),
        number_text(e.table.empty[i]),
        String(e.table.runs_wanted[i]),
        ...values(more),
      ]);
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
