// What the program wrote into the page: see experiments/driver/report/page.cpp.
"use strict";

/**
 * @typedef {{mean: number[], std: number[], z: number[], p: number[]}} Published
 * @typedef {object} Metric  one value for each row of the table
 * @property {string} name
 * @property {number} bin  from 1 where the metric has several values, else 0
 * @property {number[]} mean
 * @property {number[]} std
 * @property {number[][] | null} [runs]
 * @property {Published | null} [published]
 * @typedef {Record<"x" | "y" | "f" | "true_lower" | "true_upper", number[]>} Points  one value for each of them
 * @typedef {{dataset: string, methods: number[], lower: number[][], upper: number[][]} & Points} Panel  of Figure 1
 * @typedef {object} Experiment
 * @property {string} name
 * @property {string} title
 * @property {number} role  0 a protocol, 1 many runs of one, 2 trained for a single level
 * @property {boolean} main  the one that the report is about
 * @property {string} link
 * @property {string[]} files
 * @property {number} runs
 * @property {number} done
 * @property {number} wanted
 * @property {string[]} notes
 * @property {{numbers: number, within: number, expected: number, different: number} | null} verdict
 * @property {string[]} datasets
 * @property {string[]} levels
 * @property {Record<"dataset" | "method" | "level" | "runs" | "runs_wanted" | "best" | "infinite" | "empty", number[]>} table
 * @property {Metric[]} metrics
 * @property {{level: string, panels: Panel[]}} intervals
 * @property {string[][]} failures  data set, run, method, reason
 * @property {number[][]} times  data set, method, tasks, mean, longest
 * @property {string[][]} settings  key, value
 * @typedef {object} WholeReport
 * @property {string[]} answers
 * @property {string[][]} claims  claim, answer, the numbers that show it
 * @property {string} best  what is in bold
 * @property {string} advised  a sentence to act on, and what shows it; "" if there is none
 * @property {string[][]} advice  which intervals to use: experiment, title, lines of a list
 * @property {string[][]} methods  name, label, and as the figures have it: colour, dash, mark
 * @property {string[][]} meanings  of settings
 * @property {Experiment[]} experiments
 */

/** @type {WholeReport} */
const report = JSON.parse(place("data").textContent ?? "");

/**
 * Makes numbers of what the program wrote: null is not a number, an infinite one is a text, and some lists are whole
 * multiples of a power of ten.
 * @param {any} object
 * @param {string[]} keys
 */
function unpack(object, keys) {
  for (const key of keys) {
    const list = object?.[key],
      scale = 10 ** (list?.decimals ?? 0);
    /** @type {(value: any) => any} */
    const number = (value) => {
      if (Array.isArray(value)) return value.map(number);
      if (typeof value === "number") return value / scale;
      return value === null ? NaN : Number(value.replace("inf", "Infinity"));
    };
    if (list) object[key] = number(Array.isArray(list) ? list : list.values);
  }
}
for (const e of report.experiments) {
  unpack(e.table, ["infinite", "empty"]);
  for (const metric of e.metrics) {
    unpack(metric, ["mean", "std", "runs"]);
    unpack(metric.published, ["mean", "std", "z", "p"]);
  }
  for (const panel of e.intervals.panels) unpack(panel, ["x", "y", "f", "true_lower", "true_upper", "lower", "upper"]);
}

/** What is shown before anything is chosen. */
const first_experiment = report.experiments.find((e) => e.main) ?? report.experiments[0];

/** Whose numbers a reference has. */
const other_side = report.answers.length > 0 ? "paper’s" : "published";

/** Pages that texts of the report may lead to. */
const known_pages = new Set([
  "claims.md",
  "ablation/README.md",
  ...report.experiments.map((e) => `${e.link}/README.md`),
]);

/** @param {number} method */
const method_name = (method) => report.methods[method][0];
/** @param {number} method */
const method_label = (method) => report.methods[method][1];

/** Methods of an experiment, in its order. @param {Experiment} e */
const methods_of = (e) => [...new Set(e.table.method)];

/** Row of the table. @param {Experiment} e @param {number} dataset @param {number} method @param {number} level */
function row_of(e, dataset, method, level) {
  let rows = row_of.known.get(e);
  if (!rows) {
    rows = new Map(e.table.dataset.map((d, i) => [`${d} ${e.table.method[i]} ${e.table.level[i]}`, i]));
    row_of.known.set(e, rows);
  }
  return rows.get(`${dataset} ${method} ${level}`);
}
/** @type {Map<Experiment, Map<string, number>>} */
row_of.known = new Map();

/** @param {Experiment} e @param {string} name @param {number} [bin] */
const metric_of = (e, name, bin = 0) => e.metrics.find((m) => m.name === name && m.bin === bin);

/** Names for people; a metric that is not here is called by its own name. @type {Record<string, string>} */
const metric_labels = {
  size_median: "median size",
  winkler: "Winkler score",
  stratified_coverage: "coverage, worst quarter by size",
  worst_slab_coverage: "coverage, worst slab",
  size_error_correlation: "correlation of size and error",
  coverage_by_error: "coverage",
  size_by_error: "size",
  adaptation: "degree of adaptation θ",
  best_epoch: "epoch that was kept",
  ...Object.fromEntries(["knn", "mlp", "boosted", "stack"].map((kind) => [`${kind}_rmse`, "root mean squared error of f"])),
  ert: "excess risk of target coverage (ERT)",
};
/** @param {string} name */
const metric_label = (name) => metric_labels[name] ?? name.replaceAll("_", " ");
