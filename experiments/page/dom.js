// Making elements and texts. Nothing here, or in the files after it, ever reads a text as markup.
"use strict";

/** @typedef {Node | string | null | undefined | false} Child */

/** @typedef {Record<string, unknown>} Attributes */

/**
 * An element with children, and with attributes and listeners (names that begin with "on"), where it has any.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {...(Attributes | Child | Child[])} parts
 * @returns {HTMLElementTagNameMap[K]}
 */
function element(tag, ...parts) {
  const made = document.createElement(tag);
  for (const part of parts.flat()) {
    if (part instanceof Node || typeof part === "string") made.append(part);
    else if (part)
      for (const [name, value] of Object.entries(part)) {
        if (name.startsWith("on")) made.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
        else if (value === true) made.setAttribute(name, "");
        else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
      }
  }
  return made;
}

/** Words of a kind. @param {string} kind @param {...Child} words */
const span = (kind, ...words) => element("span", { class: kind }, ...words);

/** A table: the texts above its columns, and its rows. @param {Attributes} attributes @param {string[]} heads @param {Child[][]} rows */
function table_of(attributes, heads, rows) {
  const names = heads.map((head) => element("th", { scope: "col" }, head)),
    lines = rows.map((row) => element("tr", row));
  return element("table", attributes, element("thead", element("tr", names)), element("tbody", lines));
}

/** The cell that names a row. @param {Child | Child[]} text @param {string} [title] */
const row_head = (text, title) => element("th", { scope: "row", title }, text);

/** A cell of words; numbers are plain cells. @param {Child | Child[]} text @param {string} [kind] */
const text_cell = (text, kind = "") => element("td", { class: `text ${kind}`.trim() }, text);

/** @param {string} id */
function place(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** Fills a place again; a control that is in use stays in use. @param {string} id @param {...(Child | Child[])} children */
function fill(id, ...children) {
  const there = place(id),
    used = there.contains(document.activeElement) ? document.activeElement?.id : "";
  there.replaceChildren(...element("div", ...children).childNodes);
  if (used) place(used)?.focus();
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
    if (part.length > 2 && part.startsWith("`") && part.endsWith("`")) return element("code", part.slice(1, -1));
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

/**
 * Leads to a section; the address, which holds the choices, stays.
 * @param {string} id
 * @param {string} words
 * @param {() => void} [before]
 */
function section_link(id, words, before = () => {}) {
  const go = (/** @type {Event} */ event) => {
    event.preventDefault();
    before();
    place(id).scrollIntoView();
    place(id).tabIndex = -1;
    place(id).focus({ preventScroll: true });
  };
  return element("a", { href: `#${id}`, onclick: go }, words);
}

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
