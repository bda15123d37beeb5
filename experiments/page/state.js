// What the reader chose. It is kept in the address, so that a view can be linked.
"use strict";

const all_of_them = /** @type {string[] | null} */ (null);

/** What is chosen at first. */
const first_state = () => ({
  experiment: first_experiment.name,
  dataset: all_of_them,
  method: all_of_them,
  level: all_of_them,
  column: ["size", "validity"], // metrics of the table
  sort: "", // or "method", "dataset", "size 0.05"; with "-" in front from the largest down
  group: "yes", // rows stay with their data set
  x: "",
  y: "",
  at: "", // the level of the chart, or "all"
  bars: "std", // or "error", "none"
  panels: "one", // or "each"
  base: "", // a method whose mean is the unit
  log: "", // or "x", "y", "xy"
  band: all_of_them, // methods of Figure 1
  points: "yes", // the test points are drawn
  settings: "different", // or "all"
});
/** @typedef {ReturnType<typeof first_state>} State */

/** @type {State} */
let state = first_state();

/** @returns {string} */
function address_of_state() {
  const words = new URLSearchParams();
  const first = /** @type {Record<string, unknown>} */ (first_state());
  for (const [key, value] of Object.entries(state)) {
    if (JSON.stringify(value) === JSON.stringify(first[key])) continue;
    for (const word of Array.isArray(value) ? (value.length ? value : [""]) : [String(value)]) words.append(key, word);
  }
  return words.toString();
}

/** Takes over what the address says; what it does not say is as at first. */
function read_address() {
  const hash = window.location.hash.slice(1);
  const next = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (first_state()));
  if (hash.includes("=")) {
    const words = new URLSearchParams(hash);
    for (const [key, value] of Object.entries(next)) {
      if (!words.has(key)) continue;
      const list = words.getAll(key).filter((word) => word !== "");
      next[key] = value === null || Array.isArray(value) ? list : (words.get(key) ?? "");
    }
  }
  state = /** @type {State} */ (/** @type {unknown} */ (next));
  if (!report.experiments.some((e) => e.name === state.experiment)) state.experiment = first_experiment.name;
}

/** @param {Partial<State>} change */
function choose(change) {
  Object.assign(state, change);
  const address = address_of_state();
  window.history.replaceState(null, "", address ? "#" + address : window.location.pathname + window.location.search);
  render();
}

/** @returns {Experiment} */
const experiment = () => /** @type {Experiment} */ (report.experiments.find((e) => e.name === state.experiment));

/**
 * Places of the chosen ones among `all`.
 * @param {string[]} all
 * @param {string[] | null} chosen
 */
function chosen_of(all, chosen) {
  const places = all.map((_, i) => i);
  return chosen === null ? places : places.filter((i) => chosen.includes(all[i]));
}

const chosen_datasets = () => chosen_of(experiment().datasets, state.dataset);
const chosen_levels = () => chosen_of(experiment().levels, state.level);
const chosen_methods = () =>
  methods_of(experiment()).filter((m) => state.method === null || state.method.includes(method_name(m)));

/**
 * The list with one name switched on or off; null when that makes it all of them.
 * @param {string[]} all
 * @param {string[] | null} chosen
 * @param {string} name
 */
function switched(all, chosen, name) {
  const now = chosen === null ? all : all.filter((n) => chosen.includes(n));
  const next = now.includes(name) ? now.filter((n) => n !== name) : all.filter((n) => n === name || now.includes(n));
  return next.length === all.length ? null : next;
}
