// Figure 1: the intervals of the methods on data sets with one attribute.
"use strict";

/** The experiment that is chosen, or the first that kept its intervals. */
const interval_experiment = () => [experiment(), ...report.experiments].find((e) => e.intervals.panels.length > 0);

/** @param {number} method */
const band_shown = (method) => state.band === null || state.band.includes(method_name(method));

/** What the figure shows: the points, the true band, and of each band at least half. @param {Panel} panel */
function interval_range(panel) {
  const ends = [...panel.y, ...panel.true_lower, ...panel.true_upper];
  panel.methods.forEach((method, k) => {
    if (band_shown(method)) for (const side of [panel.lower[k], panel.upper[k]]) ends.push(d3.median(side) ?? NaN);
  });
  const [low, high] = /** @type {[number, number]} */ (d3.extent(ends.filter(Number.isFinite)));
  const margin = 0.08 * (high - low);
  return [low - margin, high + margin];
}

/** @param {Panel} panel @param {number} width */
function interval_chart(panel, width) {
  const ink = page_colour("--ink"),
    quiet = page_colour("--quiet"),
    { x, f, y, true_lower, true_upper } = panel,
    rows = d3.range(x.length);
  const known = !true_lower.every(Number.isNaN);
  const bands = panel.methods.map((method, k) => ({ method, k })).filter(({ method }) => band_shown(method));
  return Plot.plot({
    ...chart_frame(width, Math.max(240, width * 0.66)),
    clip: true,
    ariaLabel: `Intervals on ${panel.dataset}: ${bands.map(({ method }) => method_label(method)).join(", ")}`,
    x: { label: "x →", nice: false },
    y: { label: "↑ y", domain: interval_range(panel), grid: true },
    marks: [
      known ? Plot.areaY(rows, { x, y1: true_lower, y2: true_upper, fill: ink, fillOpacity: 0.12 }) : [],
      state.points === "yes" ? Plot.dot(rows, { x, y, r: 1.7, fill: quiet }) : [],
      Plot.line(rows, { x, y: f, stroke: quiet, strokeWidth: 1 }),
      bands.flatMap(({ method, k }) =>
        [panel.lower[k], panel.upper[k]].map((side) =>
          Plot.line(rows, {
            x,
            y: side,
            stroke: method_colour(method),
            strokeWidth: 1.8,
            strokeDasharray: method_dash(method),
          }),
        ),
      ),
    ],
  });
}

function render_intervals() {
  const e = interval_experiment();
  place("intervals").hidden = !e;
  if (!e) return;
  const methods = [...new Set(e.intervals.panels.flatMap((panel) => panel.methods))];
  fill(
    "intervals-about",
    `${report.answers.length ? "Figure 1 of the paper, drawn again from" : "From"} the first run of ${e.name} at α = ${e.intervals.level}`,
    e === experiment() ? ". " : ", since the chosen experiment kept no intervals. ",
    "The grey line is the prediction, the grey band where y truly lies with probability 1 − α, the dots are the test points.",
  );
  const draw_points = (/** @type {boolean} */ yes) => choose({ points: yes ? "yes" : "no" });
  fill("intervals-tools", checkbox("points", "test points", state.points === "yes", draw_points));
  legend(
    "intervals-legend",
    methods,
    band_shown,
    (m) => choose({ band: switched(methods.map(method_name), state.band, method_name(m)) }),
    true,
  );
  const width = panel_width("intervals-place", 420);
  fill(
    "intervals-place",
    e.intervals.panels.map((panel) => figure(panel.dataset, interval_chart(panel, width))),
  );
}
