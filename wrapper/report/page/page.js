/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// The page is whole without this. It adds what a table cannot do by itself: colours by choice, cells by arrow keys with
// their reason and source in one place, and a search through all findings. Texts become text nodes, never markup.
"use strict";

const by_id = (id) => document.getElementById(id);

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function choose_theme() {
  const select = by_id("theme");
  by_id("theme-label").hidden = false;
  select.addEventListener("change", () => {
    if (select.value) document.documentElement.dataset.theme = select.value;
    else delete document.documentElement.dataset.theme;
  });
}

// One stop for Tab; arrows, Home and End go from cell to cell.
function walk_matrix() {
  const table = by_id("matrix");
  if (!table) return;
  const detail = by_id("cell-detail");
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].slice(1));
  const headers = [...table.tHead.rows[0].cells].slice(1);
  const first_line = (cell) => cell.firstChild.textContent.trim();
  table.setAttribute("role", "grid");
  let current = table.querySelector("td.chosen") || rows[0][0];
  current.tabIndex = 0;

  const tell = (cell) => {
    const row = cell.parentElement.cells[0];
    const words = cell.querySelector(".mark").textContent.trim().replace(/^\S+\s+/, "");
    const reason = cell.querySelector(".reason").firstChild?.textContent.trim() ?? "";
    const source = cell.dataset.source;
    detail.hidden = false;
    detail.replaceChildren(
      element("strong", {}, `${first_line(row)} for ${first_line(headers[cell.cellIndex - 1])}: ${words}`),
      reason ? `, ${reason}.` : ".",
      source ? ` Source: ${source}` : "",
    );
  };
  const go = (cell) => {
    for (const row of rows) for (const one of row) one.tabIndex = -1;
    cell.tabIndex = 0;
    current = cell;
    cell.focus();
  };
  for (const row of rows) for (const cell of row) if (cell !== current) cell.tabIndex = -1;
  table.addEventListener("focusin", (event) => {
    const cell = event.target.closest("td");
    if (cell) tell(cell);
  });
  table.addEventListener("focusout", (event) => {
    if (!table.contains(event.relatedTarget)) detail.hidden = true;
  });
  table.addEventListener("click", (event) => {
    const cell = event.target.closest("td");
    if (cell) go(cell);
  });
  table.addEventListener("keydown", (event) => {
    const y = rows.findIndex((row) => row.includes(current));
    const x = rows[y].indexOf(current);
    const last = rows[y].length - 1;
    const to = {
      ArrowRight: [y, x + 1], ArrowLeft: [y, x - 1], ArrowDown: [y + 1, x], ArrowUp: [y - 1, x],
      Home: event.ctrlKey ? [0, 0] : [y, 0], End: event.ctrlKey ? [rows.length - 1, last] : [y, last],
    }[event.key];
    if (!to) return;
    event.preventDefault();
    const cell = rows[to[0]]?.[to[1]];
    if (cell) go(cell);
  });
}

// So many findings are in the page at once, however many there are.
const page_size = 100;
// And so many where all that are chosen are to be printed.
const print_limit = 2000;

const severities = [["error", "bad", "✕"], ["warning", "doubtful", "!"], ["note", "quiet", "i"]];

function finding_item(data, row, is_open) {
  const [severity, rule, path, place, reference, resolved, why, fix, fingerprint] = row;
  const [word, style, sign] = severities[severity] ?? ["unknown", "doubtful", "?"];
  const list = element("dl", {});
  const add = (name, text) => {
    if (text) list.append(element("div", {}, element("dt", {}, name), element("dd", {}, text)));
  };
  add("Where", place);
  add("Leads to", resolved);
  add("Why", why);
  add("Rule", data.rules[rule][1]);
  add("Fix", data.fixes[fix]);
  add("Fingerprint", fingerprint);
  const summary = element("summary", {},
    element("span", { class: `mark ${style}` }, element("span", { "aria-hidden": "true" }, sign), ` ${word}`), " ",
    element("code", { class: "rule" }, data.rules[rule][0]), " ",
    element("span", { class: "path" }, path), " ",
    element("span", { class: "reference" }, reference));
  const details = element("details", is_open ? { open: "" } : {}, summary, list);
  return element("li", { class: "finding" }, details);
}

const number = (value) => value.toLocaleString("en");

// A search through rows, of which `list` has a page at a time. `item` makes the elements of one, given the one before it;
// `fits`: what else is chosen; `top`: where a page begins.
function search_rows({ list, status, top, noun, rows, texts, item, fits }) {
  let chosen = rows;
  let page = 0;

  const show = (from, count, is_open) => {
    const items = document.createDocumentFragment();
    let previous = null;
    for (const row of chosen.slice(from, from + count)) {
      items.append(...item(row, is_open, previous));
      previous = row;
    }
    list.replaceChildren(items);
  };
  const turn = () => {
    const pages = Math.max(1, Math.ceil(chosen.length / page_size));
    page = Math.min(Math.max(page, 0), pages - 1);
    const from = page * page_size;
    show(from, page_size, false);
    if ("start" in list) list.start = from + 1;
    status.textContent = chosen.length === 0
      ? `None of ${number(rows.length)} ${noun} is like that.`
      : `${number(from + 1)} to ${number(Math.min(from + page_size, chosen.length))} of ${number(chosen.length)} ${noun}` +
        (chosen.length < rows.length ? `, chosen from ${number(rows.length)}.` : ".");
    by_id("page").textContent = `Page ${number(page + 1)} of ${number(pages)}`;
    by_id("pager").hidden = pages === 1;
    by_id("previous").disabled = page === 0;
    by_id("next").disabled = page === pages - 1;
  };
  const choose = () => {
    const words = by_id("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const is_chosen = fits();
    chosen = rows.filter((row, index) => is_chosen(row) && words.every((word) => texts[index].includes(word)));
    page = 0;
    turn();
  };
  const step = (by) => {
    page += by;
    turn();
    top.scrollIntoView();
  };

  by_id("controls").hidden = false;
  by_id("cut")?.remove();
  by_id("controls").addEventListener("input", choose);
  by_id("controls").addEventListener("submit", (event) => event.preventDefault());
  by_id("previous").addEventListener("click", () => step(-1));
  by_id("next").addEventListener("click", () => step(1));
  // On paper there is nothing to open and no page to turn.
  addEventListener("beforeprint", () => {
    for (const folded of document.querySelectorAll("details")) folded.open = true;
    show(0, print_limit, true);
  });
  addEventListener("afterprint", turn);
  turn();
}

function search_findings() {
  const list = by_id("finding-list");
  if (!list) return;
  const data = JSON.parse(by_id("data").textContent);
  search_rows({
    list, status: by_id("findings-status"), top: by_id("findings"), noun: "findings", rows: data.rows,
    texts: data.rows.map((row) =>
      [data.rules[row[1]][0], row[2], row[3], row[4], row[5], row[6], data.fixes[row[7]], row[8]].join("\n").toLowerCase()),
    item: (row, is_open) => [finding_item(data, row, is_open)],
    fits: () => {
      const rule = by_id("rule").value;
      const shown = new Set([...document.querySelectorAll("#controls [name=severity]")]
        .map((box, index) => (box.checked ? index : -1)));
      return (row) => (shown.has(row[0]) || row[0] >= severities.length) && (!rule || data.rules[row[1]][0] === rule);
    },
  });
}

const mark_element = ([style, sign, word]) =>
  element("span", { class: `mark ${style}` }, element("span", { "aria-hidden": "true" }, sign), ` ${word}`);

// A cell of a matrix, after the name of its group if it is the first one of it.
function cell_rows(data, row, is_open, previous, columns) {
  const [group, id, state, cause, details, before, ...axes] = row;
  const text = (index) => data.texts[index];
  const cells = axes.map((axis) => element("td", {}, text(axis)));
  const line = element("td", { class: "line" }, text(cause));
  if (text(details))
    line.append(element("details", is_open ? { open: "" } : {}, element("summary", {}, "details"),
      element("pre", {}, text(details))));
  cells.push(element("td", {}, mark_element(data.states[state])), line);
  if (data.before) cells.push(element("td", { class: "line" }, text(before)));
  const made = [element("tr", {}, element("th", { scope: "row" }, id), ...cells)];
  if (previous?.[0] !== group) {
    const kind = data.groups[group][3];
    made.unshift(element("tr", { class: "group" }, element("th", { scope: "rowgroup", colspan: columns },
      mark_element(data.groups[group]), " ", ...(kind ? [element("code", {}, kind), " "] : []),
      `${number(data.groups[group][4])} ${data.groups[group][4] === 1 ? "cell" : "cells"}`)));
  }
  return made;
}

function search_cells() {
  const table = by_id("cell-table");
  if (!table) return;
  const data = JSON.parse(by_id("data").textContent);
  const columns = table.tHead.rows[0].cells.length;
  search_rows({
    list: table.tBodies[0], status: by_id("cells-status"), top: by_id("cells"), noun: "cells", rows: data.cells,
    texts: data.cells.map(([group, id, state, ...texts]) =>
      [...data.groups[group].slice(2, 4), id, data.states[state][2], ...texts.map((index) => data.texts[index])]
        .join("\n").toLowerCase()),
    item: (row, is_open, previous) => cell_rows(data, row, is_open, previous, columns),
    fits: () => {
      const group = by_id("group").value;
      return (row) => !group || row[0] === Number(group);
    },
  });
}

choose_theme();
walk_matrix();
search_findings();
search_cells();
