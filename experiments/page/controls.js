// Lists to choose from.
"use strict";

/**
 * A list to choose one from.
 * @param {string} label
 * @param {{key: string, label: string, group?: string}[]} options
 * @param {string} value
 * @param {(value: string) => void} chosen
 */
function list_of(label, options, value, chosen) {
  const id = `list-${label.replaceAll(/\W+/g, "-")}`;
  const select = element("select", { id });
  for (const [group, members] of d3.group(options, (option) => option.group ?? "")) {
    const entries = members.map((option) => element("option", { value: option.key }, option.label));
    select.append(...(group ? [element("optgroup", { label: group }, entries)] : entries));
  }
  select.value = value;
  select.addEventListener("change", () => chosen(select.value));
  return element("label", span("quiet", label), select);
}

/** Options of such a list: their keys, and what each is called. @param {Record<string, string>} labels */
const options_of = (labels) => Object.entries(labels).map(([key, label]) => ({ key, label }));

/** @param {string} id @param {Child | Child[]} words @param {() => void} press @param {Attributes} [more] */
const button = (id, words, press, more = {}) =>
  element("button", { type: "button", id, onclick: press, ...more }, words);

/** A box to tick. @param {string} id @param {Child | Child[]} words @param {boolean} ticked @param {(ticked: boolean) => void} change */
function checkbox(id, words, ticked, change) {
  const box = element("input", { type: "checkbox", id });
  box.checked = ticked;
  box.addEventListener("change", () => change(box.checked));
  return element("label", box, words);
}

/**
 * A list to choose several from, behind a button.
 * @param {string} id
 * @param {string} label
 * @param {string[]} names
 * @param {string[] | null} chosen
 * @param {(names: string[] | null) => void} change
 * @param {(name: string) => Child} [picture]
 */
function menu(id, label, names, chosen, change, picture = () => null) {
  const open = /** @type {HTMLDetailsElement | null} */ (document.getElementById(id))?.open ?? false;
  const count = chosen === null ? names.length : names.filter((name) => chosen.includes(name)).length;
  const boxes = names.map((name, i) => {
    const ticked = chosen === null || chosen.includes(name);
    const press = () => change(switched(names, chosen, name));
    return element("li", checkbox(`${id}-${i}`, [picture(name), name], ticked, press));
  });
  const all = button(`${id}-all`, "all", () => change(null)),
    none = button(`${id}-none`, "none", () => change([])),
    shown = span("quiet", count === names.length ? " all" : ` ${count} of ${names.length}`);
  return element(
    "details",
    { class: "menu", id, open },
    element("summary", { id: `${id}-summary` }, label, shown),
    element("div", { class: "sheet" }, element("div", { class: "tools" }, all, none), element("ul", boxes)),
  );
}
