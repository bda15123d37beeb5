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
    if (group) select.append(element("optgroup", { label: group }, entries));
    else select.append(...entries);
  }
  select.value = value;
  select.addEventListener("change", () => chosen(select.value));
  return element("label", {}, element("span", { class: "quiet" }, label), select);
}

/** Fills a place with controls again; the one in use stays in use. @param {string} id @param {...(Child | Child[])} controls */
function controls(id, ...controls) {
  const used = place(id).contains(document.activeElement) ? document.activeElement?.id : "";
  fill(id, ...controls);
  if (used) place(used)?.focus();
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
    const box = element("input", { type: "checkbox", id: `${id}-${i}`, value: name });
    box.checked = chosen === null || chosen.includes(name);
    box.addEventListener("change", () => change(switched(names, chosen, name)));
    return element("li", {}, element("label", {}, box, picture(name), name));
  });
  return element(
    "details",
    { class: "menu", id, open },
    element(
      "summary",
      { id: `${id}-summary` },
      label,
      element("span", { class: "quiet" }, count === names.length ? " all" : ` ${count} of ${names.length}`),
    ),
    element(
      "div",
      { class: "sheet" },
      element(
        "div",
        { class: "tools" },
        element("button", { type: "button", id: `${id}-all`, onclick: () => change(null) }, "all"),
        element("button", { type: "button", id: `${id}-none`, onclick: () => change([]) }, "none"),
      ),
      element("ul", {}, boxes),
    ),
  );
}
