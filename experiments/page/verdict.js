// The verdict on each protocol, the claims, and which intervals to use.
"use strict";

/** How many numbers lie within two standard errors, beside how many should. @param {Experiment} e */
function gauge(e) {
  const v = e.verdict;
  if (!v || v.numbers === 0) return null;
  const expected = Math.round(v.expected * v.numbers);
  const words = `${v.within} of ${v.numbers} numbers within 2 standard errors, ${expected} expected`;
  const style = `--share: ${v.within / v.numbers}; --expected: ${v.expected};`;
  const bar = element("span", { class: "gauge", role: "img", "aria-label": words, style }, span("full"), span("tick")),
    more = span("quiet", ` (${expected} expected), ${v.different === 0 ? "none" : v.different} beyond chance`),
    count = span("count", `${v.within} of ${v.numbers}`, more);
  return element("div", { class: "gauged" }, span("who", counted(e.runs, "run")), bar, count);
}

/** "**A sentence.** What shows it." @param {string} text */
const headline_and_evidence = (text) => (/^\*\*(.*?)\*\* ?(.*)$/s.exec(text.trim()) ?? ["", text, ""]).slice(1);

function write_answers() {
  const compared = report.answers.length > 0;
  const title = compared
    ? "Does the paper reproduce?"
    : report.experiments.length === 1
      ? report.experiments[0].title
      : "Results";
  place("top-title").textContent = title;
  document.title = title;
  const [first] = report.experiments;
  fill(
    "lead",
    compared
      ? [
          "N. Colombo, ",
          element("cite", "On training locally adaptive CP"),
          " (COPA 2023), rerun. Its Table 1 has the size of prediction intervals and their validity, the share of points inside, each a mean over five runs.",
        ]
      : `${counted(report.experiments.length, "experiment")}${report.experiments.length === 1 ? `: ${first.name}, ${first.done} of ${counted(first.wanted, "task")} done` : ""}.`,
  );
  place("answers-note").hidden = !compared;
  fill(
    "answers",
    report.answers.map((answer) => {
      const [headline, evidence] = headline_and_evidence(answer);
      const name = /\(`([^`]*)`\)/.exec(headline)?.[1] ?? "";
      const own = report.experiments.filter(
        (e) => e.verdict && (e.name === name || (e.role === 1 && e.name.startsWith(`${name}, `))),
      );
      const files = own.map((e) => {
        const table = section_link("table", "its table", () => choose_experiment(e.name)),
          others = file_links(e, /^(table|comparison|manifest)/);
        return element("p", { class: "files" }, `${counted(e.runs, "run")}: `, table, others);
      });
      const shown = [element("h3", prose(headline)), ...own.map(gauge), element("p", prose(evidence)), ...files];
      return element("article", { class: "answer" }, shown);
    }),
  );
}

function write_claims() {
  place("claims").hidden = report.claims.length === 0;
  /** @type {Record<string, [string, string]>} */
  const kinds = { holds: ["✓", "good"], "holds with exceptions": ["≈", "mixed"], "does not hold": ["✗", "bad"] };
  fill(
    "claims-list",
    table_of(
      { class: "claims" },
      ["claim", "answer", "the numbers that show it"],
      report.claims.map(([claim, answer, shown]) => {
        const [sign, kind] = kinds[answer] ?? ["?", "open"];
        const chip = span(`chip ${kind}`, element("span", { "aria-hidden": "true" }, sign), answer);
        return [row_head(prose(claim)), text_cell(chip), text_cell(prose(with_capital(shown)))];
      }),
    ),
  );
}

function write_advice() {
  place("advice").hidden = report.advice.length === 0;
  const [headline, evidence] = headline_and_evidence(report.advised);
  for (const [id, text] of Object.entries({ "advice-lead": headline, "advice-evidence": evidence }))
    fill(id, prose(text)).hidden = !text;
  fill(
    "advice-list",
    report.advice.map(([name, title, lines]) => {
      const items = lines.split("\n").filter((line) => line !== "");
      const made = items.map((line) => {
        const [, bold, rest] = /^- (?:\*\*(.*?)\*\*)?(.*)$/.exec(line) ?? ["", "", line];
        return element("li", bold && element("strong", bold), prose(rest));
      });
      const heading = element("h3", name === title ? name : `${title} (${name})`);
      return element("article", { class: "answer" }, heading, element("ul", made));
    }),
  );
}
