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
  fill(
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
    address_of_state() !== "" && button("reset", "reset", () => choose(first_state())),
  );
}

function render_table_tools() {
  const group = (/** @type {boolean} */ together) => choose({ group: together ? "yes" : "no" });
  const metrics = experiment()
    .metrics.filter((m) => m.bin === 0)
    .map((m) => m.name);
  fill(
    "table-tools",
    menu("menu-column", "columns", metrics, state.column, (column) => choose({ column: column ?? metrics })),
    checkbox("group", "keep data sets together", state.group === "yes", group),
    button("copy-csv", "copy as csv", () => copy(selection_csv(), "csv")),
    button("copy-tex", "copy as LaTeX", () => copy(selection_tex(), "LaTeX")),
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
  const log = (/** @type {string} */ axis) =>
    checkbox(`log-${axis}`, `log ${axis}`, now.log.includes(axis), (ticked) =>
      choose_view({ log: ["x", "y"].filter((a) => (a === axis ? ticked : now.log.includes(a))).join("") }),
    );
  fill(
    "explore-presets",
    presets().map(({ label, change }, i) => {
      const active = Object.entries(change).every(
        ([key, value]) => /** @type {Record<string, unknown>} */ ({ ...state, ...now })[key] === value,
      );
      return button(`preset-${i}`, label, () => choose(change), { "aria-pressed": String(active) });
    }),
  );
  fill(
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
      options_of({ std: "standard deviation", error: "two standard errors", none: "none" }),
      now.bars,
      (bars) => choose_view({ bars }),
    ),
    list_of("panels", options_of({ one: "one", each: "one per data set" }), now.panels, (panels) =>
      choose_view({ panels }),
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
  const top = report.answers.length > 0 ? "Verdict" : "Top";
  const links = [...document.querySelectorAll("main section")]
    .filter((section) => !(/** @type {HTMLElement} */ (section).hidden))
    .map(({ id }) => section_link(id, id === "top" ? top : with_capital(id)));
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
