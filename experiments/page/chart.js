// What charts share: the values of an axis, points with error bars, words for a reader who cannot see them.
"use strict";

/**
 * @typedef {object} Axis  what can be drawn along an axis
 * @property {string} key  in the address
 * @property {string} label
 * @property {string} group  heading in the list
 */

/** @typedef {{dataset: number, method: number, level: number, x: number, y: number, x_bar: number, y_bar: number, bin: number}} Point */

/** The axes an experiment has. @param {Experiment} e @returns {Axis[]} */
function axes_of(e) {
  const single = e.metrics.filter((m) => m.bin === 0),
    binned = e.metrics.filter((m) => m.bin > 0);
  const last = Math.max(0, ...binned.map((m) => m.bin));
  return [
    ...single.map((m) => ({ key: m.name, label: metric_label(m.name), group: "metrics" })),
    ...binned
      .filter((m) => m.bin === last || m.bin === 1)
      .map((m) => ({
        key: `${m.name}.${m.bin}`,
        label: `${metric_label(m.name)}, ${m.bin === 1 ? "easiest" : "hardest"} tenth`,
        group: "tenths of the points by local error",
      })),
    ...single
      .filter((m) => m.published)
      .map((m) => ({
        key: `paper:${m.name}`,
        label: `${metric_label(m.name)}, ${other_side}`,
        group: "published",
      })),
    ...single.map((m) => ({
      key: `rank:${m.name}`,
      label: `rank by ${metric_label(m.name)}`,
      group: "rank among the methods, from the smallest",
    })),
  ];
}

/** Whether it should be 1 − α. @param {string} key */
const is_coverage = (key) => /coverage|validity/.test(key) && !key.startsWith("rank:");

/** Metrics that have a value for each tenth. @param {Experiment} e */
const profiles_of = (e) => [...new Set(e.metrics.filter((m) => m.bin > 0).map((m) => m.name))];

/**
 * Mean and spread of an axis at a row of the table.
 * @param {Experiment} e
 * @param {string} key
 * @param {number} i
 * @returns {[number, number]}
 */
function axis_value(e, key, i) {
  if (key.startsWith("rank:")) return [rank_of(e, key.slice(5), i), 0];
  if (key.startsWith("paper:")) {
    const published = metric_of(e, key.slice(6))?.published;
    return [published?.mean[i] ?? NaN, published?.std[i] ?? NaN];
  }
  const [name, bin] = key.split(".");
  const metric = metric_of(e, name, Number(bin ?? 0));
  return [metric?.mean[i] ?? NaN, metric?.std[i] ?? NaN];
}

/** Place among the chosen methods on the same data set and level; ties share the mean place. @param {Experiment} e @param {string} name @param {number} i */
function rank_of(e, name, i) {
  const own = axis_value(e, name, i)[0];
  if (Number.isNaN(own)) return NaN;
  const values = chosen_methods().map((method) => {
    const other = row_of(e, e.table.dataset[i], method, e.table.level[i]);
    return other === undefined ? NaN : axis_value(e, name, other)[0];
  });
  return values.filter((value) => value < own).length + (values.filter((value) => value === own).length + 1) / 2;
}

/**
 * Dots in each method's own mark and colour.
 * @param {Point[]} points
 * @param {object} channels
 */
const dots = (points, channels) =>
  [true, false].map((filled) =>
    Plot.dot(
      points.filter((p) => method_mark(p.method).filled === filled),
      {
        ...channels,
        r: 4.5,
        symbol: (/** @type {Point} */ p) => method_mark(p.method).symbol,
        ...(filled
          ? { fill: (/** @type {Point} */ p) => method_colour(p.method) }
          : { stroke: (/** @type {Point} */ p) => method_colour(p.method), strokeWidth: 1.6 }),
      },
    ),
  );

/** Ticks of a logarithmic axis: 1, 2 and 5 times powers of ten, or as on any axis where that is too few. @param {number} low @param {number} high */
function log_ticks(low, high) {
  const powers = d3.range(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high)) + 1);
  const ticks = powers
    .flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power))
    .filter((value) => value >= low && value <= high);
  return ticks.length > 2 ? ticks : d3.ticks(low, high, 4).filter((value) => value > 0);
}

/**
 * An axis that shows all these values and their bars. A bar that would double its length is cut: it must
 * not squeeze the points.
 * @param {number[]} values
 * @param {number[]} ends  of the bars
 * @param {boolean} log
 * @param {number} ticks  about this many
 */
function value_axis(values, ends, log, ticks) {
  const place_of = log ? Math.log : Number;
  const [least, most] = /** @type {[number, number]} */ (d3.extent(values)),
    room = place_of(most) - place_of(least) || Infinity;
  const shown = ends.filter(
    (end) => (!log || end > 0) && place_of(least) - place_of(end) <= room && place_of(end) - place_of(most) <= room,
  );
  const [low, high] = /** @type {[number, number]} */ (d3.extent([...values, ...shown]));
  if (log) {
    const factor = Math.max(1.08, (high / low) ** 0.07),
      domain = [low / factor, high * factor];
    const all = log_ticks(domain[0], domain[1]);
    return {
      type: /** @type {const} */ ("log"),
      domain,
      ticks: all.length > 1.5 * ticks ? all.filter((value) => /^1/.test(value.toExponential())) : all,
    };
  }
  const margin = (high - low || Math.abs(high) || 1) * 0.08;
  return { domain: [low - margin, high + margin], ticks: Math.max(3, ticks) };
}

/**
 * Plot writes numbers beside some ticks of a logarithmic axis only; this writes them beside all.
 * @param {"x" | "y"} which
 * @param {{type?: string, ticks: number[] | number}} axis
 * @param {object} label
 */
function tick_labels(which, axis, label) {
  if (axis.type !== "log" || !Array.isArray(axis.ticks)) return [];
  const text = (/** @type {number} */ value) => String(Number(value.toPrecision(3)));
  return which === "x"
    ? [Plot.gridX(axis.ticks), Plot.axisX(axis.ticks, { text, ...label })]
    : [Plot.gridY(axis.ticks), Plot.axisY(axis.ticks, { text, ...label })];
}

/** An axis of whole numbers from 1. @param {number[]} values */
const whole_axis = (values) => ({
  domain: [0.6, (d3.max(values) ?? 1) + 0.4],
  ticks: d3.range(1, (d3.max(values) ?? 1) + 1),
  tickFormat: "d",
});

/** What all charts look like. @param {number} width @param {number} height */
const chart_frame = (width, height) => ({
  width,
  height,
  marginLeft: 52,
  marginRight: 14,
  marginTop: 22,
  marginBottom: 38,
  style: {
    background: "none",
    color: page_colour("--ink"),
    fontSize: "12px",
    fontFamily: "inherit",
    overflow: "visible",
  },
});

/** @param {string} id @param {number} least  width of a panel */
function panel_width(id, least) {
  const room = Math.max(280, place(id).clientWidth);
  const columns = Math.max(1, Math.floor((room + 16) / (least + 16)));
  return Math.floor((room - 16 * (columns - 1)) / columns);
}

/**
 * A chart with its heading.
 * @param {string} title
 * @param {Element} chart
 */
function figure(title, chart) {
  chart.setAttribute("role", "img");
  return element("figure", element("figcaption", title), chart);
}
