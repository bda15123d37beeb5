// What the program wrote into the page (experiments/driver/report/page.cpp), and what the reader chose of it. The choices
// are kept in the address, so that a view can be linked.
"use strict";

const report = JSON.parse(place("data").textContent);

/** Makes numbers of what the program wrote: null is not a number, an infinite one is a text. */
const numbers = (list) => list.map((value) => (value === null ? NaN : Number(String(value).replace("inf", "Infinity"))));
for (const e of report.experiments) {
  e.methods = [...new Set(e.table.method)];
  e.row_of = new Map(e.table.dataset.map((dataset, i) => [`${dataset} ${e.table.method[i]} ${e.table.level[i]}`, i]));
  for (const metric of e.metrics)
    for (const part of [metric, metric.published ?? {}])
      for (const key of ["mean", "std", "z"]) if (part[key]) part[key] = numbers(part[key]);
}

const method_name = (method) => report.methods[method][0];
const method_label = (method) => report.methods[method][1];

/** Names for people; a metric that is not here is called by its own name. */
const metric_labels = {
  size_median: "median size",
  winkler: "Winkler score",
  stratified_coverage: "coverage, worst quarter by size",
  worst_slab_coverage: "coverage, worst slab",
  size_error_correlation: "correlation of size and error",
  adaptation: "degree of adaptation θ",
  best_epoch: "epoch that was kept",
  ...Object.fromEntries(["knn", "mlp", "boosted", "stack"].map((kind) => [`${kind}_rmse`, "root mean squared error of f"])),
  ert: "excess risk of target coverage (ERT)",
};
const metric_label = (name) => metric_labels[name] ?? name.replaceAll("_", " ");

/** What is chosen at first; null is all. */
const first_state = () => ({
  experiment: report.experiments[0].name,
  dataset: null,
  method: null,
  level: null,
  column: ["size", "validity"], // metrics of the table
  sort: "", // or "method", "size 0.05"; with "-" in front from the largest down
});
let state = first_state();

function address_of_state() {
  const words = new URLSearchParams(),
    first = first_state();
  for (const [key, value] of Object.entries(state)) {
    if (JSON.stringify(value) === JSON.stringify(first[key])) continue;
    for (const word of Array.isArray(value) ? (value.length ? value : [""]) : [String(value)]) words.append(key, word);
  }
  return words.toString();
}

/** Takes over what the address says; what it does not say is as at first. */
function read_address() {
  const words = new URLSearchParams(window.location.hash.slice(1));
  state = first_state();
  for (const [key, value] of Object.entries(state)) {
    if (!words.has(key)) continue;
    state[key] = typeof value === "string" ? words.get(key) : words.getAll(key).filter((word) => word !== "");
  }
  if (!report.experiments.some((e) => e.name === state.experiment)) state.experiment = report.experiments[0].name;
}

function choose(change) {
  Object.assign(state, change);
  const address = address_of_state();
  window.history.replaceState(null, "", address ? "#" + address : window.location.pathname + window.location.search);
  render();
}

const experiment = () => report.experiments.find((e) => e.name === state.experiment);

/** Places of the chosen ones among `all`. */
function chosen_of(all, chosen) {
  const places = all.map((_, i) => i);
  return chosen === null ? places : places.filter((i) => chosen.includes(all[i]));
}

const chosen_methods = () =>
  experiment().methods.filter((m) => state.method === null || state.method.includes(method_name(m)));

/** The list with one name switched on or off; null when that makes it all of them. */
function switched(all, chosen, name) {
  const now = chosen === null ? all : all.filter((n) => chosen.includes(n));
  const next = now.includes(name) ? now.filter((n) => n !== name) : all.filter((n) => n === name || now.includes(n));
  return next.length === all.length ? null : next;
}
