// What a chart can show, and views to start from.
"use strict";

/** The level to look at first; of two the smaller, where methods differ more. @param {Experiment} e */
const middle_level = (e) => e.levels[Math.floor((e.levels.length - 1) / 2)];

/** Views to start from; each shows itself only where its metrics are. @returns {{label: string, change: Partial<State>}[]} */
function presets() {
  const e = experiment(),
    has = (/** @type {string} */ key) => axes_of(e).some((axis) => axis.key === key);
  const unit = methods_of(e).some((m) => method_name(m) === "fixed") ? "fixed" : "";
  const compared = report.experiments.filter((other) => other.metrics.some((m) => m.published));
  const most = compared.reduce((a, b) => (b.runs > a.runs ? b : a), compared[0]);
  const last = Math.max(0, ...e.metrics.map((m) => m.bin)),
    profile = profiles_of(e).find((name) => /coverage/.test(name));
  /** @param {string} label @param {boolean} show @param {Partial<State>} change */
  const preset = (label, show, change) =>
    show ? [{ label, change: { bars: "std", base: "", log: "", at: middle_level(e), panels: "one", ...change } }] : [];
  const hardest = `${profile}.${last}`,
    log = unit && "x",
    published = report.answers.length ? "Table 1" : "the published numbers";
  return [
    preset("Size relative to fixed", !!unit, { x: "size", y: "method", base: unit, bars: "none", log: "x" }),
    preset("The frontier: size and coverage of the hardest tenth", has(hardest), {
      x: "size",
      y: hardest,
      base: unit,
      log,
      panels: "each",
    }),
    preset("Winkler ranks", has("rank:winkler"), { x: "rank:winkler", y: "method" }),
    preset("Size and validity", has("validity"), { x: "size", y: "validity", base: unit, bars: "error", log }),
    preset("Coverage by tenth", !!profile, { x: "tenth", y: profile, bars: "none", panels: "each" }),
    preset(most ? `${counted(most.runs, "run")} against ${published}` : "", !!most, {
      experiment: most?.name,
      x: "paper:size",
      y: "size",
      at: "all",
      log: "xy",
      bars: "error",
    }),
  ].flat();
}

/** @typedef {{x: string, y: string, at: string, bars: string, panels: string, base: string, log: string}} View */

/** What the chart shows: what was chosen, where the experiment has it; the first preset if nothing was. @returns {View} */
function view() {
  const e = experiment(),
    keys = axes_of(e).map((axis) => axis.key),
    profiles = profiles_of(e);
  const { x, y, at, bars, panels, base, log } = state.x ? state : { ...state, ...presets()[0].change };
  const profile = profiles.length > 0 && (x === "tenth" || profiles.includes(y));
  const across = profile ? "tenth" : keys.includes(x) ? x : "size";
  const up = profile ? (profiles.includes(y) ? y : profiles[0]) : keys.includes(y) || y === "method" ? y : "validity";
  return {
    x: across,
    y: up,
    at: at === "all" || e.levels.includes(at) ? at : middle_level(e),
    bars,
    panels,
    base: methods_of(e).some((m) => method_name(m) === base) ? base : "",
    log: (log.includes("x") && can_be_log(across) ? "x" : "") + (log.includes("y") && can_be_log(up) ? "y" : ""),
  };
}

/** Shares, ranks and names are never on a logarithmic axis. @param {string} key */
const can_be_log = (key) => !/coverage|validity|correlation|^rank:|^tenth$|^method$/.test(key);

/** @param {Partial<View>} change */
const choose_view = (change) => choose({ ...view(), ...change });
