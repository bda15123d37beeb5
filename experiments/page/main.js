// The controls of each section, and drawing again what a choice changes.
"use strict";

/** What was chosen stays chosen where the other experiment has some of it. @param {string} name */
function choose_experiment(name) {
  const e = /** @type {Experiment} */ (report.experiments.find((x) => x.name === name));
  const kept = (/** @type {string[] | null} */ chosen, /** @type {string[]} */ all) =>
    chosen?.some((item) => all.includes(item)) ? chosen : null;
  choose({
    experiment: name,
    dataset: kept(state.dataset, e.datasets),
    method: kept(state.method, methods_of(e).map(method_name)),
    level: kept(state.level, e.levels),
  });
}

function render_choices() {
  const e = experiment(),
    names = methods_of(e).map(method_name);
  controls(
    "choices",
    list_of(
      "experiment",
      report.experiments.map((x) => ({ key: x.name, label: x.name === x.title ? x.name : `${x.name}: ${x.title}` })),
      e.name,
      choose_experiment,
    ),
    menu("menu-dataset", "data sets", e.datasets, state.dataset, (dataset) => choose({ dataset })),
    menu(
      "menu-method",
      "methods",
      names,
      state.method,
      (method) => choose({ method }),
      (name) => method_key(report.methods.findIndex(([n]) => n === name)),
    ),
    menu("menu-level", "levels α", e.levels, state.level, (level) => choose({ level })),
    address_of_state() !== "" &&
      element("button", { type: "button", id: "reset", onclick: () => choose(first_state()) }, "reset"),
  );
}

function render_table_tools() {
  const group = element("input", { type: "checkbox", id: "group" });
  group.checked = state.group === "yes";
  group.addEventListener("change", () => choose({ group: group.checked ? "yes" : "no" }));
  const metrics = experiment()
    .metrics.filter((m) => m.bin === 0)
    .map((m) => m.name);
  controls(
    "table-tools",
    menu("menu-column", "columns", metrics, state.column, (column) => choose({ column: column ?? metrics })),
    element("label", {}, group, "keep data sets together"),
    element("button", { type: "button", id: "copy-csv", onclick: () => copy(selection_csv(), "csv") }, "copy as csv"),
    element(
      "button",
      { type: "button", id: "copy-tex", onclick: () => copy(selection_tex(), "LaTeX") },
      "copy as LaTeX",
    ),
  );
}

function explore_controls() {
  const e = experiment(),
    axes = axes_of(e),
    now = view(),
    { x, y } = now;
  const profiles = profiles_of(e).map((name) => ({
    key: name,
    label: `${metric_label(name)} by tenth`,
    group: "all tenths by local error",
  }));
  const tenth = profiles.length
    ? [{ key: "tenth", label: "tenth by local error", group: "all tenths by local error" }]
    : [];
  const log = (/** @type {string} */ axis) => {
    const box = element("input", { type: "checkbox", id: `log-${axis}` });
    box.checked = now.log.includes(axis);
    box.addEventListener("change", () =>
      choose_view({ log: ["x", "y"].filter((a) => (a === axis ? box.checked : now.log.includes(a))).join("") }),
    );
    return element("label", {}, box, `log ${axis}`);
  };
  controls(
    "explore-presets",
    presets().map(({ label, change }, i) => {
      const active = Object.entries(change).every(
        ([key, value]) => /** @type {Record<string, unknown>} */ ({ ...state, ...now })[key] === value,
      );
      return element(
        "button",
        { type: "button", id: `preset-${i}`, "aria-pressed": String(active), onclick: () => choose(change) },
        label,
      );
    }),
  );
  controls(
    "explore-tools",
    list_of("across", [...axes, ...tenth], x, (key) =>
      choose_view(
        key === "tenth"
          ? { x: key, y: profiles[0].key }
          : { x: key, y: profiles.some((p) => p.key === y) ? "validity" : y },
      ),
    ),
    list_of("up", [...axes, { key: "method", label: "method", group: "names" }, ...profiles], y, (key) =>
      choose_view(
        profiles.some((p) => p.key === key) ? { y: key, x: "tenth" } : { y: key, x: x === "tenth" ? "size" : x },
      ),
    ),
    list_of(
      "level α",
      [...e.levels.map((level) => ({ key: level, label: level })), { key: "all", label: "all" }],
      now.at,
      (level) => choose_view({ at: level }),
    ),
    list_of(
      "bars",
      [
        { key: "std", label: "standard deviation" },
        { key: "error", label: "two standard errors" },
        { key: "none", label: "none" },
      ],
      now.bars,
      (bars) => choose_view({ bars }),
    ),
    list_of(
      "panels",
      [
        { key: "one", label: "one" },
        { key: "each", label: "one per data set" },
      ],
      now.panels,
      (panels) => choose_view({ panels }),
    ),
    list_of(
      "relative to",
      [{ key: "", label: "nothing" }, ...methods_of(e).map((m) => ({ key: method_name(m), label: method_label(m) }))],
      now.base,
      (base) => choose_view({ base }),
    ),
    log("x"),
    log("y"),
  );
}

function render_sections() {
  const links = [...document.querySelectorAll("main section")]
    .filter((section) => !(/** @type {HTMLElement} */ (section).hidden))
    .map((section) =>
      element(
        "a",
        {
          href: `#${section.id}`,
          onclick: (/** @type {Event} */ event) => {
            event.preventDefault(); // the address holds the choices
            section.scrollIntoView();
            /** @type {HTMLElement} */ (section).tabIndex = -1;
            /** @type {HTMLElement} */ (section).focus({ preventScroll: true });
          },
        },
        section.id === "top" ? "Verdict" : with_capital(section.id),
      ),
    );
  if (report.answers.length === 0) links[0].textContent = "Top";
  fill("sections", links);
}

function render() {
  hide_card();
  render_choices();
  render_table_tools();
  render_table();
  render_explore();
  render_intervals();
  render_times();
  render_settings();
  render_sections();
}

write_answers();
write_claims();
write_advice();
write_failures();
write_files();
listen_to_table();
read_address();
render();
window.addEventListener("hashchange", () => {
  if (/^#[^=]+$/.test(window.location.hash)) return; // a section of the page: the choices stay
  read_address();
  render();
});
if (/^#[\w-]+$/.test(window.location.hash)) document.querySelector(window.location.hash)?.scrollIntoView();
dark.addEventListener("change", render);
window.addEventListener("beforeprint", () => (document.documentElement.setAttribute("data-printed", ""), render()));
window.addEventListener("afterprint", () => (document.documentElement.removeAttribute("data-printed"), render()));
document.addEventListener("click", (event) => {
  for (const open of document.querySelectorAll("details.menu[open]"))
    if (event.target instanceof Node && event.target.isConnected && !open.contains(event.target))
      open.removeAttribute("open");
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const open of document.querySelectorAll("details.menu[open]")) {
    open.removeAttribute("open");
    open.querySelector("summary")?.focus();
  }
});
let last_width = window.innerWidth,
  resizing = 0;
window.addEventListener("resize", () => {
  if (window.innerWidth === last_width) return; // a phone that hides its address bar
  last_width = window.innerWidth;
  window.clearTimeout(resizing);
  resizing = window.setTimeout(() => (render_explore(), render_intervals()), 150);
});
