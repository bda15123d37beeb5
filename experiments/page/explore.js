// Metric against metric.
"use strict";

/** Half the length of an error bar. @param {string} bars @param {number} std @param {number} runs */
const bar_of = (bars, std, runs) =>
  bars === "std" ? std : bars === "error" && runs > 1 ? (2 * std) / Math.sqrt(runs - 1) : NaN;

/** All points, in units of the base method's mean if there is one. @returns {Point[]} */
function chart_points() {
  const e = experiment(),
    { x, y, at, bars, base } = view(),
    points = [];
  const unit_method = methods_of(e).find((m) => method_name(m) === base);
  const levels = e.levels.map((_, i) => i).filter((i) => at === "all" || e.levels[i] === at);
  const bins = x === "tenth" ? e.metrics.filter((m) => m.name === y).map((m) => m.bin) : [0];
  for (const dataset of chosen_datasets())
    for (const method of chosen_methods())
      for (const level of levels)
        for (const bin of bins) {
          const i = row_of(e, dataset, method, level);
          if (i === undefined) continue;
          const unit = unit_method === undefined ? undefined : row_of(e, dataset, unit_method, level);
          /** @param {string} key @returns {[number, number]} */
          const value = (key) => {
            if (key === "tenth") return [bin, 0];
            if (key === "method") return [0, 0];
            const name = bin ? `${key}.${bin}` : key,
              [mean, std] = axis_value(e, name, i);
            const scale = unit !== undefined && has_unit(key) ? axis_value(e, name, unit)[0] : 1;
            return [mean / scale, bar_of(bars, std, key.startsWith("paper:") ? 5 : e.table.runs[i]) / scale];
          };
          const [px, x_bar] = value(x),
            [py, y_bar] = value(y);
          points.push({ dataset, method, level, x: px, y: py, x_bar, y_bar, bin });
        }
  return points;
}

/** Lengths are compared by their ratio; shares, ranks and what else there may be as they are. @param {string} key */
const has_unit = (key) => /^(size|winkler)/.test(key) && !/correlation/.test(key);

/** @param {string} key */
function axis_words(key) {
  const words =
    key === "tenth"
      ? "tenth of the points by local error"
      : key === "method"
        ? "method"
        : (axes_of(experiment()).find((axis) => axis.key === key)?.label ?? metric_label(key));
  const { base } = view();
  return base && has_unit(key) ? `${words} ÷ that of ${base}` : words;
}

/** @param {Point} p */
function point_words(p) {
  const e = experiment(),
    { x, y } = view();
  const value = (/** @type {string} */ key, /** @type {number} */ mean, /** @type {number} */ bar) =>
    `${axis_words(key)}: ${display(mean, Number.isInteger(mean) && !has_unit(key) ? 0 : 3)}${bar > 0 ? ` ± ${display(bar)}` : ""}`;
  return [
    `${method_label(p.method)} on ${e.datasets[p.dataset]}, α = ${e.levels[p.level]}`,
    value(x, p.x, p.x_bar),
    ...(y === "method" ? [] : [value(y, p.y, p.y_bar)]),
  ].join("\n");
}

/** Lines for methods, the best first; what lies at the same place is spread around the line. @param {Point[]} points */
function method_lines(points) {
  const mean = (/** @type {Point[]} */ group) => d3.mean(group, (p) => p.x) ?? 0;
  const means = d3.sort(
    d3.rollups(points, mean, (p) => p.method),
    (group) => group[1],
    (group) => group[0],
  );
  const order = means.map(([method]) => method);
  const spread = [...d3.group(points, (p) => `${p.method} ${p.x}`).values()].flatMap((same) => {
    const step = Math.min(0.2, 0.8 / same.length);
    return same.map((p, i) => ({ ...p, y: order.indexOf(p.method) + step * (i - (same.length - 1) / 2) }));
  });
  return { order, spread, means };
}

/** @param {Point[]} given @param {number} width @param {number} height */
function explore_chart(given, width, height) {
  const { x, y, at, base, log } = view(),
    ink = page_colour("--ink");
  const by_method = y === "method",
    many = new Set(given.map((p) => p.dataset)).size > 1;
  const { order, spread, means } = method_lines(by_method ? given : []);
  const points = by_method ? spread : given;
  const promised = (/** @type {string} */ key) =>
    is_coverage(key) && at !== "all" ? [1 - Number(at)] : base && has_unit(key) ? [1] : [];
  const diagonal = x.startsWith("paper:") && x.slice(6) === y ? [d3.extent(points.flatMap((p) => [p.x, p.y]))] : [];
  const stroke = (/** @type {Point} */ p) => method_colour(p.method),
    line = { stroke: ink, strokeDasharray: "4 3", strokeOpacity: 0.6 };
  const bars = { stroke, strokeOpacity: many ? 0.22 : 0.45, clip: /** @type {const} */ ("frame") };
  const ends = (/** @type {"x" | "y"} */ axis) =>
    points.flatMap((p) => (p[`${axis}_bar`] > 0 ? [p[axis] - p[`${axis}_bar`], p[axis] + p[`${axis}_bar`]] : []));
  const across =
    x === "tenth" || x.startsWith("rank:")
      ? whole_axis(points.map((p) => p.x))
      : value_axis([...points.map((p) => p.x), ...promised(x)], ends("x"), log.includes("x"), width / 80);
  const up = by_method
    ? {
        domain: [order.length - 0.5, -0.5],
        ticks: d3.range(order.length),
        tickFormat: (/** @type {number} */ i) => method_label(order[i]),
        tickSize: 0,
      }
    : value_axis([...points.map((p) => p.y), ...promised(y)], ends("y"), log.includes("y"), height / 50);
  const x_label = { label: `${axis_words(x)} →`, labelAnchor: /** @type {const} */ ("right") };
  const y_label = { label: by_method ? null : `↑ ${axis_words(y)}`, labelAnchor: /** @type {const} */ ("top") };
  return Plot.plot({
    ...chart_frame(width, by_method ? Math.max(160, 46 * order.length + 60) : height),
    marginLeft: by_method ? 110 : 52,
    ariaLabel: `${with_capital(axis_words(y))} against ${axis_words(x)}, ${counted(points.length, "point")}; the numbers are listed below the charts`,
    x: { ...x_label, ...across, ...("type" in across ? { axis: null } : { grid: true }) },
    y: { ...y_label, ...up, ...("type" in up ? { axis: null } : { grid: true }) },
    marks: [
      tick_labels("x", across, x_label),
      tick_labels("y", up, y_label),
      promised(y).map((value) => Plot.ruleY([value], line)),
      promised(x).map((value) => Plot.ruleX([value], line)),
      diagonal.map(([low, high]) =>
        Plot.line(
          [
            [low, low],
            [high, high],
          ],
          { ...line, clip: "frame" },
        ),
      ),
      x === "tenth" && !many ? Plot.line(points, { x: "x", y: "y", z: "method", stroke, strokeWidth: 1.6 }) : [],
      Plot.ruleX(
        points.filter((p) => p.y_bar > 0),
        { x: "x", y1: (p) => p.y - p.y_bar, y2: (p) => p.y + p.y_bar, ...bars },
      ),
      Plot.ruleY(
        points.filter((p) => p.x_bar > 0),
        { y: "y", x1: (p) => p.x - p.x_bar, x2: (p) => p.x + p.x_bar, ...bars },
      ),
      dots(points, { x: "x", y: "y" }),
      Plot.ruleX(means, { x: "1", y1: (_, i) => i - 0.4, y2: (_, i) => i + 0.4, stroke: ink, strokeWidth: 2.5 }),
      Plot.tip(
        points,
        Plot.pointer({
          x: "x",
          y: "y",
          title: point_words,
          fill: page_colour("--raised"),
          stroke: page_colour("--line"),
          fontSize: 12,
        }),
      ),
    ],
  });
}

function render_explore() {
  const e = experiment(),
    { x, y, panels, bars, base, log } = view(),
    all = chart_points();
  const drawable = (/** @type {number} */ value, /** @type {string} */ axis) =>
    Number.isFinite(value) && (value > 0 || !log.includes(axis));
  const points = all.filter((p) => drawable(p.x, "x") && (y === "method" || drawable(p.y, "y")));
  const each = panels === "each" || x === "tenth";
  const width = panel_width("explore-place", each ? 290 : 4000),
    height = each ? Math.max(220, width * 0.72) : Math.min(560, Math.max(320, width * 0.55));
  const groups = each
    ? chosen_datasets().map((d) => ({ title: e.datasets[d], points: points.filter((p) => p.dataset === d) }))
    : [{ title: `${e.name}, ${counted(chosen_datasets().length, "data set")}`, points }];
  const shown = groups.filter((group) => group.points.length > 0);
  fill(
    "explore-place",
    shown.length
      ? shown.map((group) => figure(group.title, explore_chart(group.points, width, height)))
      : element("p", { class: "empty" }, all.length ? "None of these numbers is finite." : "Nothing is chosen."),
  );
  const left_out = all.length - points.length;
  fill(
    "explore-note",
    left_out > 0 &&
      `${counted(left_out, "point")} ${left_out === 1 ? "is" : "are"} not drawn: missing, infinite, or not positive on a logarithmic axis. `,
    points.some((p) => p.x_bar > 0 || p.y_bar > 0) &&
      `Bars are ${bars === "error" ? "two standard errors of the mean, as if runs were independent" : "one standard deviation over runs"}; those much longer than the points are apart end at the frame. `,
    y === "method" && "Thick lines are means over the data sets. ",
    base && has_unit(x) && `Left of the dashed line: smaller than that of ${base}. `,
  );
  legend(
    "explore-legend",
    methods_of(e),
    (m) => chosen_methods().includes(m),
    (m) => choose({ method: switched(methods_of(e).map(method_name), state.method, method_name(m)) }),
    false,
  );
  const numbers = /** @type {HTMLDetailsElement} */ (place("explore-numbers"));
  numbers.ontoggle = () => numbers.open && list_points(points);
  if (numbers.open) list_points(points);
  explore_controls();
}

/** @param {Point[]} points */
function list_points(points) {
  const e = experiment(),
    { x, y } = view();
  const heads = ["data set", "method", "α", axis_words(x), ...(y === "method" ? [] : [axis_words(y)])];
  const value = (/** @type {number} */ mean, /** @type {number} */ bar) =>
    element("td", display(mean), bar > 0 && span("spread", ` ± ${display(bar)}`));
  place("explore-numbers").lastElementChild?.replaceChildren(
    table_of(
      {},
      heads,
      points.map((p) => [
        row_head(e.datasets[p.dataset]),
        text_cell(method_label(p.method)),
        element("td", e.levels[p.level]),
        value(p.x, p.x_bar),
        y !== "method" && value(p.y, p.y_bar),
      ]),
    ),
  );
}
