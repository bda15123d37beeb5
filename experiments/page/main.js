// Table 1 and the files, which no choice changes; the controls, and drawing again.
"use strict";

/** A program's answer and its counts, in a few lines. */
function paper_card({ title, answer, lines }) {
  const items = lines.map((line) => element("li", line));
  const verdict = element("p", "Table 1’s sizes are reproduced: ", element("strong", answer), ".");
  return element("article", { class: "answer" }, element("h3", prose(title)), verdict, element("ul", items));
}

/** One size of each program. */
const paper_texts = (cells) =>
  cells.flatMap(([text, differs], i) => [i > 0 && " / ", element(differs ? "b" : "span", text)]);

function write_paper() {
  const { paper } = report,
    [first] = report.experiments;
  const title = paper ? "Does the paper’s Table 1 come out?" : report.experiments.length === 1 ? first.title : "Results";
  place("top-title").textContent = title;
  document.title = title;
  place("paper-table").hidden = !paper;
  if (!paper) {
    fill("lead", counted(report.experiments.length, "experiment"));
    return;
  }
  const titles = ["Table 1", ...paper.cards.map((card) => card.title)];
  fill("lead", "Sizes of N. Colombo, ", element("cite", "On training locally adaptive CP"), " (COPA 2023), rerun.");
  fill("answers", paper.cards.map(paper_card));
  fill("paper-note", prose(`${titles.join(" / ")}. ${paper.legend}`));
  const levels = [...new Set(paper.rows.map(([, , level]) => level))];
  const rows = groups(paper.rows, ([dataset, method]) => `${dataset} ${method}`).map(([, cells]) => {
    const [dataset, method] = cells[0];
    return [row_head(dataset), text_cell(method), ...cells.map(([, , , texts]) => element("td", paper_texts(texts)))];
  });
  fill("paper-place", table_of({ class: "paper" }, ["data set", "method", ...levels.map((level) => `size, α = ${level}`)], rows));
}

function write_files() {
  const heads = ["experiment", "what", "data sets", "methods", "runs", "tasks done", "files"];
  const rows = report.experiments.map((e) => [
    row_head(e.name),
    text_cell(e.title, "what"),
    element("td", String(e.datasets.length)),
    element("td", String(e.methods.length)),
    element("td", String(e.runs)),
    element("td", `${e.done} of ${e.wanted}`),
    text_cell(file_links(e), "files"),
  ]);
  fill("files-place", table_of({}, heads, rows));
}

/** What was chosen stays chosen where the other experiment has some of it. */
function choose_experiment(name) {
  const e = report.experiments.find((x) => x.name === name);
  const kept = (chosen, all) => (chosen?.some((item) => all.includes(item)) ? chosen : null);
  choose({
    experiment: name,
    dataset: kept(state.dataset, e.datasets),
    method: kept(state.method, e.methods.map(method_name)),
    level: kept(state.level, e.levels),
  });
}

function render_choices() {
  const e = experiment(),
    metrics = e.metrics.map((m) => m.name);
  const experiments = report.experiments.map((x) => ({
    key: x.name,
    label: x.name === x.title ? x.name : `${x.name}: ${x.title}`,
  }));
  fill(
    "choices",
    list_of("experiment", experiments, e.name, choose_experiment),
    menu("menu-dataset", "data sets", e.datasets, state.dataset, (dataset) => choose({ dataset })),
    menu("menu-method", "methods", e.methods.map(method_name), state.method, (method) => choose({ method })),
    menu("menu-level", "levels α", e.levels, state.level, (level) => choose({ level })),
    menu("menu-column", "columns", metrics, state.column, (column) => choose({ column: column ?? metrics })),
    address_of_state() !== "" && button("reset", "reset", () => choose(first_state())),
  );
}

function render() {
  render_choices();
  render_table();
}

write_paper();
write_files();
read_address();
render();
window.addEventListener("hashchange", () => {
  if (/^#[^=]+$/.test(window.location.hash)) return; // a section of the page: the choices stay
  read_address();
  render();
});
document.addEventListener("click", (event) => {
  for (const open of document.querySelectorAll("details.menu[open]"))
    if (event.target.isConnected && !open.contains(event.target)) open.removeAttribute("open");
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const open of document.querySelectorAll("details.menu[open]")) {
    open.removeAttribute("open");
    open.querySelector("summary").focus();
  }
});
