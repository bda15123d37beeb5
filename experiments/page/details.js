// What does not change with the choices: the verdicts, the claims, failures, settings, files. And the times.
"use strict";

/** How many numbers lie within two standard errors, beside how many should. @param {Experiment} e */
function gauge(e) {
  const v = e.verdict;
  if (!v || v.numbers === 0) return null;
  const share = v.within / v.numbers, expected = Math.round(v.expected * v.numbers);
  const words = `${v.within} of ${v.numbers} numbers within 2 standard errors, ${expected} expected`;
  const bar = element("span", { class: "gauge", role: "img", "aria-label": words }, element("span", { class: "full" }), element("span", { class: "tick" }));
  bar.style.setProperty("--share", String(share));
  bar.style.setProperty("--expected", String(v.expected));
  return element("div", { class: "gauged" }, element("span", { class: "who" }, counted(e.runs, "run")), bar,
    element("span", { class: "count" }, `${v.within} of ${v.numbers}`, element("span", { class: "quiet" }, ` (${expected} expected), ${v.different === 0 ? "none" : v.different} beyond chance`)));
}

function write_answers() {
  const compared = report.answers.length > 0;
  const title = compared ? "Does the paper reproduce?" : report.experiments.length === 1 ? report.experiments[0].title : "Results";
  place("top-title").textContent = title;
  document.title = title;
  const [first] = report.experiments;
  fill("lead", compared
    ? ["N. Colombo, ", element("cite", {}, "On training locally adaptive CP"), " (COPA 2023), rerun. Its Table 1 has the size of prediction intervals and their validity, the share of points inside, each a mean over five runs."]
    : `${counted(report.experiments.length, "experiment")}${report.experiments.length === 1 ? `: ${first.name}, ${first.done} of ${counted(first.wanted, "task")} done` : ""}.`);
  place("answers-note").hidden = !compared;
  fill("answers", report.answers.map((answer) => {
    const [, headline, evidence] = /^\*\*(.*?)\*\* ?(.*)$/s.exec(answer) ?? ["", answer, ""];
    const name = /\(`([^`]*)`\)/.exec(headline)?.[1] ?? "";
    const gauges = report.experiments.filter((e) => e.verdict && (e.name === name || (e.role === 1 && e.name.startsWith(`${name}, `))));
    return element("article", { class: "answer" }, element("h3", {}, prose(headline)), gauges.map(gauge), element("p", {}, prose(evidence)));
  }));
}

function write_claims() {
  place("claims").hidden = report.claims.length === 0;
  /** @type {Record<string, [string, string]>} */
  const kinds = { holds: ["✓", "good"], "holds with exceptions": ["≈", "mixed"], "does not hold": ["✗", "bad"] };
  fill("claims-list", element("table", { class: "claims" },
    element("thead", {}, element("tr", {}, ["claim", "answer", "the numbers that show it"].map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, report.claims.map(([claim, answer, shown]) => {
      const [sign, kind] = kinds[answer] ?? ["?", "open"];
      return element("tr", {}, element("th", { scope: "row" }, prose(claim)),
        element("td", { class: "text" }, element("span", { class: `chip ${kind}` }, element("span", { "aria-hidden": "true" }, sign), answer)),
        element("td", { class: "text" }, prose(with_capital(shown))));
    }))));
}

function write_failures() {
  const rows = report.experiments.flatMap((e) => e.failures.map((failure) => [e.name, ...failure]));
  const table = () => element("div", { class: "wide" }, element("table", {},
    element("thead", {}, element("tr", {}, ["experiment", "data set", "run", "method", "reason"].map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, rows.map((row) => element("tr", {}, row.map((text) => element("td", { class: "text" }, text)))))));
  const missing = report.experiments.filter((e) => e.done < e.wanted).map((e) => `${e.name}: ${e.wanted - e.done} of ${e.wanted}`);
  fill("failures-place",
    element("p", {}, rows.length === 0 ? "No task failed. " : `${counted(rows.length, "task")} failed; they are left out of the means. `,
      missing.length > 0 && `Missing, failed or not: ${missing.join("; ")}.`),
    rows.length > 8 ? element("details", {}, element("summary", {}, "Every failure and its reason"), table()) : rows.length > 0 && table());
}

function render_times() {
  const e = experiment(), datasets = chosen_datasets(), methods = chosen_methods();
  place("times").hidden = e.times.length === 0;
  if (e.times.length === 0) return;
  const total = d3.sum(e.times, ([, , tasks, mean]) => tasks * mean);
  fill("times-about", `Seconds per task of ${e.name}, mean over runs; darker is longer. All ${d3.sum(e.times, (t) => t[2])} timed tasks took ${total < 600 ? `${display(total, 0)} seconds` : total < 36000 ? `${display(total / 60, 0)} minutes` : `${display(total / 3600, 0)} hours`} of one core.`);
  const shade = d3.scaleLog([0.01, Math.max(0.1, ...e.times.map((t) => t[3]))], [0, 0.5]).clamp(true);
  fill("times-place", element("table", { class: "times" },
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "data set"), methods.map((m) => element("th", { scope: "col", class: "number" }, method_label(m))))),
    element("tbody", {}, datasets.map((d) => element("tr", {}, element("th", { scope: "row" }, e.datasets[d]), methods.map((m) => {
      const time = e.times.find((t) => t[0] === d && t[1] === m);
      if (!time) return element("td", {}, "–");
      const td = element("td", { title: `${counted(time[2], "task")}, the longest ${display(time[4], 1)} s` }, display(time[3], time[3] < 10 ? 2 : 0));
      td.style.setProperty("--shade", String(shade(Math.max(0.01, time[3]))));
      return td;
    }))))));
}

function render_settings() {
  const keys = [...new Set(report.experiments.flatMap((e) => e.settings.map(([key]) => key)))].filter((key) => key !== "title");
  const meanings = new Map(report.meanings.map(([key, words]) => [key, words]));
  const values = report.experiments.map((e) => new Map(e.settings.map(([key, value]) => [key, value])));
  const rows = keys.map((key) => ({ key, values: values.map((map) => map.get(key) ?? "") }));
  const differs = (/** @type {string[]} */ list) => new Set(list).size > 1;
  const few = state.settings === "different" && report.experiments.length > 1;
  const box = element("input", { type: "checkbox", id: "different" });
  box.checked = few;
  box.addEventListener("change", () => choose({ settings: box.checked ? "different" : "all" }));
  fill("settings-tools", report.experiments.length > 1 && element("label", {}, box, "only what differs"));
  fill("settings-place", element("table", { class: "settings" },
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "key"), report.experiments.map((e) => element("th", { scope: "col" }, e.name)))),
    element("tbody", {}, rows.filter((row) => !few || differs(row.values)).map((row) => {
      const usual = d3.greatest(d3.rollup(row.values, (list) => list.length, (value) => value), ([, count]) => count)?.[0];
      return element("tr", {}, element("th", { scope: "row", title: meanings.get(row.key) }, element("code", {}, row.key)),
        row.values.map((value) => element("td", { class: differs(row.values) && value !== usual ? "text other" : "text" }, value)));
    }))));
}

function write_files() {
  fill("files-place", element("table", {},
    element("thead", {}, element("tr", {}, ["experiment", "what", "data sets", "methods", "runs", "tasks done", "commit", "files"].map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, report.experiments.map((e) => element("tr", {},
      element("th", { scope: "row" }, e.name), element("td", { class: "text" }, e.title), element("td", {}, String(e.datasets.length)),
      element("td", {}, String(methods_of(e).length)), element("td", {}, String(e.runs)), element("td", {}, `${e.done} of ${e.wanted}`),
      element("td", { class: "text" }, element("code", {}, e.commits.join(" "))),
      element("td", { class: "text files" }, e.files.map((file) => element("a", { href: `${e.link}/${file}`.split("/").map(encodeURIComponent).join("/") }, file))))))));
}
