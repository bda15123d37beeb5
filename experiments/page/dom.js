// Making elements and texts. Nothing here, or in the files after it, ever reads a text as markup.
"use strict";

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * An element with attributes, listeners (names that begin with "on") and children.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
  }
  for (const child of children.flat()) if (child) made.append(child);
  return made;
}

/** A table: the texts above its columns, and its rows. @param {Record<string, unknown>} attributes @param {string[]} heads @param {Child[][]} rows */
const table_of = (attributes, heads, rows) =>
  element(
    "table",
    attributes,
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        heads.map((head) => element("th", { scope: "col" }, head)),
      ),
    ),
    element(
      "tbody",
      {},
      rows.map((row) => element("tr", {}, row)),
    ),
  );

/** The cell that names a row. @param {Child} text @param {string} [title] */
const row_head = (text, title) => element("th", { scope: "row", title }, text);

/** A cell of words; numbers are plain cells. @param {Child | Child[]} text @param {string} [kind] */
const text_cell = (text, kind = "") => element("td", { class: `text ${kind}`.trim() }, text);

/** @param {string} id */
function place(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** @param {string} id @param {...(Child | Child[])} children */
function fill(id, ...children) {
  const there = place(id);
  there.replaceChildren(
    ...children
      .flat()
      .filter((child) => !!child)
      .map((child) => /** @type {Node | string} */ (child)),
  );
  return there;
}

/**
 * Text with `code` and [links](to/pages) of the report, and a \ before what is no mark; any other link is only its words.
 * @param {string} text
 * @returns {Child[]}
 */
function prose(text) {
  return text.split(/(\\[\\`*_[\]<>&~#$]|`[^`]*`|\[[^\]]*\]\([^)]*\))/).map((part) => {
    if (part.length === 2 && part.startsWith("\\")) return part[1];
    if (part.length > 2 && part.startsWith("`") && part.endsWith("`")) return element("code", {}, part.slice(1, -1));
    const link = /^\[([^\]]*)\]\(([^)]*)\)$/.exec(part);
    if (!link) return part;
    return known_pages.has(link[2]) ? element("a", { href: link[2] }, link[1]) : link[1];
  });
}

/** @param {number} value @param {number} decimals  as the program rounds: a tie goes to the even digit */
function rounded(value, decimals) {
  const halves = value * 2 ** (decimals + 1); // only such numbers can be ties
  if (Number.isInteger(halves) && Math.abs((value * 10 ** decimals) % 1) === 0.5) {
    const low = Math.floor(value * 10 ** decimals);
    return ((low % 2 === 0 ? low : low + 1) / 10 ** decimals).toFixed(decimals);
  }
  return value.toFixed(decimals);
}

/** @param {string} text  "1e-8" as "1e-08" */
const long_exponent = (text) => text.replace(/e([+-])(\d)$/, "e$10$2");

/** A number for people, as in the report. @param {number} value */
function display(value, decimals = 3) {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Math.abs(value) >= 1e4) return long_exponent(value.toExponential(2));
  const text = rounded(value, decimals);
  return /^-[0.]*$/.test(text) ? text.slice(1) : text;
}

/** A number as in the csv files: ten significant digits. @param {number} value */
function number_text(value) {
  if (Number.isNaN(value)) return "";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (value === 0) return "0";
  const exponent = Number(value.toExponential(9).split("e")[1]);
  if (exponent >= -4 && exponent < 10) return String(Number(value.toPrecision(10)));
  return long_exponent(value.toExponential(9).replace(/\.?0*e/, "e"));
}

/** Links to files of an experiment: all, or those of these kinds. @param {Experiment} e @param {RegExp} [kind] @returns {Child[]} */
const file_links = (e, kind = /./) =>
  e.files
    .filter((file) => kind.test(file))
    .flatMap((file) => {
      const address = `${e.link}/${file}`.split("/").map(encodeURIComponent).join("/");
      return [element("a", { href: address }, file), " "];
    });

/** @param {number} count @param {string} thing */
const counted = (count, thing) => `${count} ${thing}${count === 1 ? "" : "s"}`;

/** @param {string} text */
const with_capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Said to those who listen to the page, and shown for a moment. @param {string} text */
function say(text) {
  place("said").textContent = text;
  window.clearTimeout(say.later);
  say.later = window.setTimeout(() => (place("said").textContent = ""), 4000);
}
say.later = 0;
