// What lies behind a number of the table: ours, the paper's, and the single runs.
"use strict";

/**
 * Our runs as dots and both means with their standard deviations.
 * @param {Metric} metric
 * @param {number} i
 * @param {number} method
 */
function runs_chart(metric, i, method) {
  const runs = (metric.runs?.[i] ?? []).filter(Number.isFinite);
  const means = [{ who: "ours", mean: metric.mean[i], std: metric.std[i] }];
  if (metric.published) means.push({ who: other_side, mean: metric.published.mean[i], std: metric.published.std[i] });
  const shown = means.filter((m) => Number.isFinite(m.mean));
  if (shown.length === 0) return null;
  const ink = page_colour("--ink");
  return Plot.plot({
    width: 300,
    height: 34 + 26 * shown.length,
    marginLeft: 58,
    marginRight: 12,
    marginTop: 4,
    marginBottom: 26,
    style: { background: "none", color: ink, fontSize: "11px" },
    x: { label: null, ticks: 4, nice: true },
    y: { label: null, domain: shown.map((m) => m.who), tickSize: 0 },
    ariaLabel: `The runs as dots, ${shown.map((m) => `${m.who}: mean ${display(m.mean)}`).join(", ")}`,
    marks: [
      Plot.ruleY(
        shown.filter((m) => Number.isFinite(m.std)),
        { y: "who", x1: (m) => m.mean - m.std, x2: (m) => m.mean + m.std, stroke: ink, strokeOpacity: 0.45 },
      ),
      Plot.dot(runs, { x: (value) => value, y: () => "ours", r: 3, fill: method_colour(method), fillOpacity: 0.55 }),
      Plot.tickX(shown, { x: "mean", y: "who", stroke: ink, strokeWidth: 2, inset: 4 }),
    ],
  });
}

/** @param {HTMLElement} td */
function card_content(td) {
  const e = experiment(),
    i = Number(td.dataset.row);
  const metric = /** @type {Metric} */ (metric_of(e, td.dataset.metric ?? ""));
  const method = e.table.method[i],
    published = metric.published;
  const pair = (/** @type {number} */ mean, /** @type {number} */ std) => `${display(mean)} ± ${display(std)}`;
  const facts = [["ours", `${pair(metric.mean[i], metric.std[i])} (${counted(e.table.runs[i], "run")})`]];
  if (published && !Number.isNaN(published.mean[i])) {
    const p = published.p[i],
      how = agreement(metric, i);
    facts.push([other_side, pair(published.mean[i], published.std[i])]);
    facts.push(["z", `${display(published.z[i], 1)}${how ? `: ${agreement_words[how]}` : ""}`]);
    facts.push(["corrected p", p > 0 && p < 0.0005 ? "< 0.001" : display(p)]);
  }
  for (const kind of /** @type {("infinite" | "empty")[]} */ (["infinite", "empty"]))
    if (e.table[kind][i] > 0) facts.push([kind, `${display(100 * e.table[kind][i], 1)} % of the intervals`]);
  return [
    element("strong", method_label(method), " on ", e.datasets[e.table.dataset[i]]),
    element("div", { class: "quiet" }, `${metric_label(metric.name)} at α = ${e.levels[e.table.level[i]]}`),
    element("dl", facts.map(([name, value]) => [element("dt", name), element("dd", value)]).flat()),
    runs_chart(metric, i, method),
  ];
}

/** @param {HTMLElement} td */
function show_card(td) {
  const card = fill("card", card_content(td));
  card.hidden = false;
  for (const other of document.querySelectorAll("[aria-describedby=card]")) other.removeAttribute("aria-describedby");
  td.setAttribute("aria-describedby", "card");
  const at = td.getBoundingClientRect(),
    width = card.offsetWidth,
    height = card.offsetHeight;
  const left = Math.min(
    Math.max(8, at.left + at.width / 2 - width / 2),
    document.documentElement.clientWidth - width - 8,
  );
  const below = at.bottom + height + 12 < window.innerHeight || at.top < height + 12;
  card.style.left = `${left + window.scrollX}px`;
  card.style.top = `${(below ? at.bottom + 6 : at.top - height - 6) + window.scrollY}px`;
}

function hide_card() {
  place("card").hidden = true;
}

function listen_to_table() {
  const there = place("table-place");
  /** @param {Event} event */
  const number = (event) =>
    event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest("td[data-row]")) : null;
  there.addEventListener("mousemove", (event) => {
    const td = number(event);
    if (!event.movementX && !event.movementY) return; // the page moved, not the pointer
    if (td && (place("card").hidden || td.getAttribute("aria-describedby") !== "card")) show_card(td);
  });
  there.addEventListener("mouseleave", () => {
    const focused = document.activeElement;
    if (focused instanceof HTMLElement && focused.matches("td[data-row]:focus-visible")) show_card(focused);
    else hide_card();
  });
  there.addEventListener("focusin", (event) => {
    const td = number(event);
    if (td) show_card(td);
  });
  there.addEventListener("focusout", hide_card);
  there.addEventListener("keydown", move_in_table);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide_card();
  });
}
