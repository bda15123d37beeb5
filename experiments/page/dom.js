// Making elements and texts. Nothing here, or in the files after it, ever reads a text as markup.
"use strict";

/** An element with children, and with attributes and listeners (names that begin with "on"), where it has any. */
function element(tag, ...parts) {
  const made = document.createElement(tag);
  for (const part of parts.flat()) {
    if (part instanceof Node || typeof part === "string") made.append(part);
    else if (part)
      for (const [name, value] of Object.entries(part)) {
        if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
        else if (value === true) made.setAttribute(name, "");
        else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
      }
  }
  return made;
}

const span = (kind, ...words) => element("span", { class: kind }, ...words);

/** A table: the texts above its columns, and its rows. */
function table_of(attributes, heads, rows) {
  const names = heads.map((head) => element("th", { scope: "col" }, head)),
    lines = rows.map((row) => element("tr", row));
  return element("table", attributes, element("thead", element("tr", names)), element("tbody", lines));
}

/** The cell that names a row. */
const row_head = (text) => element("th", { scope: "row" }, text);

/** A cell of words; numbers are plain cells. */
const text_cell = (text, kind = "") => element("td", { class: `text ${kind}`.trim() }, text);

const place = (id) => document.getElementById(id);

/** Fills a place again; a control that is in use stays in use. */
function fill(id, ...children) {
  const there = place(id),
    used = there.contains(document.activeElement) ? document.activeElement.id : "";
  there.replaceChildren(...element("div", ...children).childNodes);
  if (used) place(used)?.focus();
}

/** Text with `code`. */
const prose = (text) =>
  text.split(/(`[^`]*`)/).map((part) =>
    part.length > 2 && part.startsWith("`") ? element("code", part.slice(1, -1)) : part,
  );

/** Items by the key that they have in common, in the order in which the keys come. */
function groups(items, key) {
  const found = new Map();
  for (const item of items) found.set(key(item), [...(found.get(key(item)) ?? []), item]);
  return [...found];
}

/** As the program rounds: a tie goes to the even digit. */
function rounded(value, decimals) {
  const halves = value * 2 ** (decimals + 1); // only such numbers can be ties
  if (Number.isInteger(halves) && Math.abs((value * 10 ** decimals) % 1) === 0.5) {
    const low = Math.floor(value * 10 ** decimals);
    return ((low % 2 === 0 ? low : low + 1) / 10 ** decimals).toFixed(decimals);
  }
  return value.toFixed(decimals);
}

/** A number for people, as in the report. */
function display(value, decimals = 3) {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Math.abs(value) >= 1e4) return value.toExponential(2).replace(/e([+-])(\d)$/, "e$10$2");
  const text = rounded(value, decimals);
  return /^-[0.]*$/.test(text) ? text.slice(1) : text;
}

/** Links to the files of an experiment. */
const file_links = (e) =>
  e.files.flatMap((file) => {
    const address = `${e.link}/${file}`.split("/").map(encodeURIComponent).join("/");
    return [element("a", { href: address }, file), " "];
  });

const counted = (count, thing) => `${count} ${thing}${count === 1 ? "" : "s"}`;

/** A list of { key, label } to choose one from. */
function list_of(label, options, value, chosen) {
  const entries = options.map((option) => element("option", { value: option.key }, option.label));
  const select = element("select", { id: `list-${label}` }, entries);
  select.value = value;
  select.addEventListener("change", () => chosen(select.value));
  return element("label", span("quiet", label), select);
}

const button = (id, words, press, more = {}) =>
  element("button", { type: "button", id, onclick: press, ...more }, words);

/** A box to tick. */
function checkbox(id, words, ticked, change) {
  const box = element("input", { type: "checkbox", id });
  box.checked = ticked;
  box.addEventListener("change", () => change(box.checked));
  return element("label", box, words);
}

/** A list to choose several from, behind a button; `chosen` is null where all are. */
function menu(id, label, names, chosen, change) {
  const count = chosen === null ? names.length : names.filter((name) => chosen.includes(name)).length;
  const boxes = names.map((name, i) => {
    const ticked = chosen === null || chosen.includes(name);
    return element("li", checkbox(`${id}-${i}`, name, ticked, () => change(switched(names, chosen, name))));
  });
  const all = button(`${id}-all`, "all", () => change(null)),
    none = button(`${id}-none`, "none", () => change([])),
    shown = span("quiet", count === names.length ? " all" : ` ${count} of ${names.length}`);
  return element(
    "details",
    { class: "menu", id, open: place(id)?.open ?? false },
    element("summary", { id: `${id}-summary` }, label, shown),
    element("div", { class: "sheet" }, element("div", { class: "tools" }, all, none), element("ul", boxes)),
  );
}
