// Colours, dashes and marks of the methods: those of the figures (experiments/figures/methods.csv).
"use strict";

const dark = window.matchMedia("(prefers-color-scheme: dark)");
/** On paper the page is light. */
const is_dark = () => dark.matches && !document.documentElement.hasAttribute("data-printed");

/** Of the page, for what a chart cannot take from the style sheet. @param {string} name */
const page_colour = (name) => window.getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** On a dark page black is white, dark greys are light ones, and the other colours are lighter. @param {number} method */
function method_colour(method) {
  const colour = d3.lab(report.methods[method][2]);
  if (Number.isNaN(colour.l)) return page_colour("--ink");
  if (!is_dark()) return colour.formatHex();
  if (colour.l < 5) return page_colour("--ink");
  if (Math.hypot(colour.a, colour.b) < 1) return d3.lab(105 - 0.75 * colour.l, 0, 0).formatHex();
  return d3.lab(Math.min(92, Math.max(60, colour.l + 8)), colour.a, colour.b).formatHex();
}

/** Dash types of gnuplot. @param {number} method */
const method_dash = (method) =>
  ["", "", "7 4", "2 3", "8 3 2 3", "8 3 2 3 2 3"][Number(report.methods[method][3])] ?? "";

/** A polygon with a corner at this angle from the top. @param {number} corners @param {number} angle @returns {import("d3").SymbolType} */
const polygon = (corners, angle) => ({
  draw(context, size) {
    const radius = Math.sqrt((2 * size) / corners / Math.sin((2 * Math.PI) / corners));
    for (let i = 0; i < corners; ++i) {
      const turn = angle + (2 * Math.PI * i) / corners;
      context[i === 0 ? "moveTo" : "lineTo"](radius * Math.sin(turn), -radius * Math.cos(turn));
    }
    context.closePath();
  },
});
const triangle_down = polygon(3, Math.PI),
  pentagon = polygon(5, 0);

/**
 * Point types of gnuplot: a symbol, and whether it is filled.
 * @param {number} method
 * @returns {{symbol: import("d3").SymbolType, filled: boolean}}
 */
function method_mark(method) {
  const type = Number(report.methods[method][4]);
  const lines = [d3.symbolPlus, d3.symbolTimes, d3.symbolAsterisk];
  if (type >= 1 && type <= 3) return { symbol: lines[type - 1], filled: false };
  const shapes = [d3.symbolSquare, d3.symbolCircle, d3.symbolTriangle, triangle_down, d3.symbolDiamond, pentagon];
  return { symbol: shapes[Math.floor(type / 2) - 2] ?? d3.symbolCircle, filled: type % 2 === 1 };
}

/** A small picture of how a method is drawn. @param {number} method @param {boolean} [line] */
function method_key(method, line = false) {
  const svg = d3
    .create("svg")
    .attr("class", "key")
    .attr("viewBox", line ? "0 0 28 14" : "-7 -7 14 14")
    .attr("aria-hidden", "true");
  const colour = method_colour(method),
    { symbol, filled } = method_mark(method);
  const drawn = line ? "M0,7H28" : d3.symbol(symbol, 40)();
  const path = svg.append("path").attr("d", drawn).attr("stroke", colour);
  if (line) path.attr("stroke-width", 2).attr("stroke-dasharray", method_dash(method));
  else path.attr("stroke-width", 1.6).attr("fill", filled ? colour : "none");
  return /** @type {Node} */ (svg.node());
}

/**
 * A list of methods that are switched on and off.
 * @param {string} id
 * @param {number[]} methods
 * @param {(method: number) => boolean} shown
 * @param {(method: number) => void} press
 * @param {boolean} line
 */
function legend(id, methods, shown, press, line) {
  const buttons = methods.map((m) => {
    const name = method_name(m),
      more = { "aria-pressed": String(shown(m)), "data-method": name };
    return button(`${id}-${name}`, [method_key(m, line), method_label(m)], () => press(m), more);
  });
  fill(
    id,
    buttons.map((made) => element("li", made)),
  );
}
