# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""look.py WHAT PAGE [FILE...]: one kind of look at a report in a browser; each fault is a line, and exit code 1."""
import json
import re
import sys

from browser import Browser

faults = []


def fault(text):
    faults.append(text)
    print(text)


def expect(is_so, text):
    if not is_so:
        fault(text)


# Whoever may be given the page: what it asks of the net, and whether it is quiet, is looked at in every kind.
def quiet(browser):
    expect(not browser.complaints, f"the console says: {browser.complaints[:3]}")
    others = [url for url in browser.requests if url != browser.url]
    expect(not others, f"the page asks for {others[:3]}")


# ------------------------------------------------------------------------------------------------- the matrix

def verdicts(browser, page, *doctors):
    """Each FILE is doctor --json with one toolkit in use."""
    browser.open(page)
    cells = browser.js("""[...document.querySelectorAll('#matrix td')].map((cell) => ({...cell.dataset,
        words: cell.querySelector('.mark').innerText, text: cell.querySelector('.reason').innerText}))""")
    shown = {(cell["driver"], cell["toolkit"]): cell for cell in cells}
    words = {"fits": "fits", "other-target": "other target", "too-new": "too new", "too-old": "too old", "broken": "broken", "unknown": "unknown"}
    count = 0
    for name in doctors:
        with open(name, encoding="utf-8") as file:
            doctor = json.load(file)
        for candidate in doctor["candidates"]:
            count += 1
            pair = (candidate["driver"], doctor["toolkit"])
            cell = shown.get(pair)
            if cell is None:
                fault(f"no cell for {pair}")
                continue
            verdict, reason = candidate["verdict"], candidate["reason"]
            if verdict == "fits" and candidate["other_target"]:
                verdict, reason = "other-target", f"makes programs for {candidate['target']}"
            expect(cell["verdict"] == verdict, f"{pair}: {cell['verdict']}, doctor says {verdict}")
            expect(cell["words"].split(maxsplit=1)[1] == words[verdict], f"{pair} reads {cell['words']}")
            expect(reason in cell["text"], f"{pair} gives no reason: {cell['text']}")
            if candidate["wraps"]:
                expect(f"a wrapper of {candidate['wraps']}" in cell["text"], f"{pair} is no wrapper: {cell['text']}")
            expect(cell["source"] == candidate["source"], f"{pair} has the source {cell['source']}")
    expect(count == len(cells) and count > 0, f"{len(cells)} cells for {count} verdicts")
    print(f"{count} verdicts held")


def keyboard(browser, page):
    browser.open(page)
    browser.key("Tab")
    expect(browser.js("document.activeElement.className") == "skip", "the first stop is not the skip link")
    browser.key("Enter", "\r")
    expect(browser.js("document.activeElement.id") == "main", "the skip link does not lead to the report")
    stops = []
    for _ in range(60):
        browser.key("Tab")
        stops.append(browser.js("document.activeElement.tagName + '#' + document.activeElement.id"))
        if browser.js("document.activeElement.tagName") == "TD":
            break
        outline = browser.js("getComputedStyle(document.activeElement).outlineStyle")
        expect(outline != "none" or stops[-1].startswith("BODY"), f"{stops[-1]} has the focus and does not show it")
    expect(stops[-1].startswith("TD"), f"Tab does not reach the matrix: {stops}")
    at = "[document.activeElement.parentElement.rowIndex, document.activeElement.cellIndex].join()"
    browser.key("Home")
    start = browser.js(at)
    browser.key("ArrowDown")
    down = browser.js(at)
    expect(start != down and down.split(",")[1] == start.split(",")[1], f"the arrow goes from {start} to {down}")
    detail = browser.js("document.getElementById('cell-detail').innerText")
    expect("Source:" in detail, f"the cell's source is not told: {detail}")
    browser.key("ArrowUp")
    expect(browser.js(at) == start, "up is not back")
    expect(browser.js("document.querySelectorAll('#matrix td[tabindex=\"0\"]').length") == 1, "more than one cell is a stop")
    browser.key("Tab")
    expect(browser.js("document.activeElement.tagName") != "TD", "Tab does not leave the matrix")


# ------------------------------------------------------------------------------------------------- for everybody

ACCESS = r"""(() => {
  const faults = [];
  const levels = [...document.querySelectorAll('h1,h2,h3,h4')].filter((h) => h.checkVisibility()).map((h) => +h.tagName[1]);
  levels.forEach((level, i) => { if (level > (levels[i - 1] ?? 0) + 1) faults.push(`heading ${i} leaps to ${level}`); });
  if (levels.filter((level) => level === 1).length !== 1) faults.push('not one h1');
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  if (new Set(ids).size !== ids.length) faults.push('an id twice: ' + ids.filter((id, i) => ids.indexOf(id) !== i));
  for (const e of document.querySelectorAll('[aria-labelledby],[aria-describedby]'))
    for (const id of (e.getAttribute('aria-labelledby') ?? e.getAttribute('aria-describedby')).split(' '))
      if (!document.getElementById(id)) faults.push(`nothing has the id ${id}`);
  for (const e of document.querySelectorAll('a[href^="#"]'))
    if (!document.getElementById(e.hash.slice(1))) faults.push(`${e.hash} leads nowhere`);
  for (const table of document.querySelectorAll('table')) {
    if (!table.caption) faults.push('a table without caption');
    for (const th of table.querySelectorAll('th')) if (!th.scope) faults.push('a th without scope');
    for (const row of table.tBodies[0].rows) if (!row.querySelector('th[scope=row], th[scope=rowgroup]')) faults.push('a row without head');
  }
  for (const svg of document.querySelectorAll('svg'))
    if (svg.getAttribute('role') !== 'img' || !svg.querySelector('title') || !svg.querySelector('desc')?.textContent)
      faults.push('a picture without words');
  for (const svg of document.querySelectorAll('svg'))
    for (const text of svg.querySelectorAll('.box text')) {
      const box = text.parentElement.querySelector('rect').getBBox();
      const own = text.getBBox();
      if (own.width > 0 && own.x + own.width > box.x + box.width) faults.push(`text leaves its box: ${text.textContent}`);
    }
  for (const e of document.querySelectorAll('[aria-hidden=true]')) if (e.querySelector('a,button,input')) faults.push('hidden control');
  for (const e of document.querySelectorAll('.scroll')) if (e.tabIndex !== 0 || !e.ariaLabel) faults.push('scrolls by mouse alone');
  return faults;
})()"""

# Luminance and ratio as WCAG 2 defines them, of every text that is shown against what is painted behind it.
CONTRAST = r"""(() => {
  const parse = (c) => { const m = c.match(/[\d.]+/g).map(Number); return m.length < 4 ? [...m.slice(0, 3), 1] : m; };
  const light = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = (e) => { for (let at = e; at; at = at.parentElement) {
    if (at.namespaceURI?.endsWith('svg') && at.tagName === 'g') { const f = at.querySelector('rect'); if (f) return parse(getComputedStyle(f).fill); }
    const c = parse(getComputedStyle(at).backgroundColor); if (c[3] === 1) return c; }
    return [255, 255, 255, 1]; };
  const faults = []; let least = 99; let count = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || ['SCRIPT', 'STYLE', 'title', 'desc', 'OPTION'].includes(e.tagName) || !e.checkVisibility()) continue;
    const style = getComputedStyle(e);
    const fore = parse(e.namespaceURI.endsWith('svg') ? style.fill : style.color).slice(0, 3);
    const [a, b] = [light(fore), light(behind(e).slice(0, 3))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    least = Math.min(least, ratio); count += 1;
    if (ratio < 4.5) faults.push(`${ratio.toFixed(2)}:1 ${e.className?.baseVal ?? e.className} "${walker.currentNode.data.trim().slice(0, 40)}"`);
  }
  return {faults: [...new Set(faults)].slice(0, 10), least, count};
})()"""


def named(browser):
    """Every control has a name in the tree that screen readers see."""
    roles = {"button", "link", "combobox", "searchbox", "checkbox", "grid", "region", "image", "table", "textbox"}
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    for node in nodes:
        role = node.get("role", {}).get("value")
        if role in roles and not node.get("ignored"):
            expect(node.get("name", {}).get("value", "").strip(), f"a {role} without a name")
    seen = {node.get("role", {}).get("value") for node in nodes}
    expect({"main", "banner", "navigation", "heading"} <= seen, f"landmarks are missing: {seen}")


def access(browser, page):
    browser.open(page)
    for one in browser.js(ACCESS):
        fault(one)
    named(browser)
    browser.js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for scheme in ("light", "dark"):
        browser.media(prefers_color_scheme=scheme)
        seen = browser.js(CONTRAST)
        for one in seen["faults"]:
            fault(f"{scheme}: {one}")
        print(f"{scheme}: least contrast {seen['least']:.2f}:1 of {seen['count']} texts")
    page_colour = "getComputedStyle(document.body).backgroundColor"
    dark = browser.js(page_colour)
    choose = "(() => {{ const s = document.getElementById('theme'); s.value = '{}'; s.dispatchEvent(new Event('change')); }})()"
    browser.js(choose.format("light"))
    light = browser.js(page_colour)
    expect(light != dark, "the choice of colours changes nothing")
    browser.media(prefers_color_scheme="light")
    browser.js(choose.format("dark"))
    expect(browser.js(page_colour) == dark, "dark by choice is not dark by the system")


def narrow(browser, page):
    browser.size(360, 740)
    browser.open(page)
    wide = browser.js("document.documentElement.scrollWidth")
    expect(wide <= 360, f"at 360 pixels the page is {wide} wide")
    small = browser.js("""[...document.querySelectorAll('button,select,input')].filter((e) => e.checkVisibility() &&
        e.type !== 'checkbox' && e.getBoundingClientRect().height < 24).length""")
    expect(small == 0, f"{small} controls are too low to touch")


# Boxes of labels in pictures, in pixels of the window, and how far captions reach out of the region that scrolls their table.
LABELS = r"""(() => {
  const faults = [], boxes = (all) => [...all].map((e) => [e.textContent.trim(), e.getBoundingClientRect()]).filter(([, b]) => b.width > 0);
  // Labels have an outline in the colour of the page, which hides what is next to them.
  const overlap = (a, b, gap) => a.left < b.right + gap && b.left < a.right + gap && a.top < b.bottom && b.top < a.bottom;
  let count = 0;
  for (const svg of document.querySelectorAll('svg.picture')) {
    const own = svg.getBoundingClientRect(), labels = boxes(svg.querySelectorAll('.label'));
    const texts = boxes(svg.querySelectorAll('.box text'));
    count += labels.length;
    labels.forEach(([text, box], i) => {
      if (box.left < own.left - 0.5 || box.right > own.right + 0.5 || box.right > innerWidth) faults.push(`"${text}" is cut`);
      for (const [other, its] of labels.slice(i + 1)) if (overlap(box, its, 2)) faults.push(`"${text}" overlaps "${other}"`);
      for (const [other, its] of texts) if (overlap(box, its, 0)) faults.push(`"${text}" overlaps "${other}"`);
    });
  }
  for (const caption of document.querySelectorAll('caption')) {
    const region = caption.closest('.scroll').getBoundingClientRect(), range = document.createRange();
    range.selectNodeContents(caption);
    const box = range.getBoundingClientRect();
    count += 1;
    if (box.width > 0 && box.right > Math.min(region.right, innerWidth) + 0.5) faults.push(`"${caption.textContent.trim()}" is cut`);
  }
  return {faults, count};
})()"""


def labels(browser, page):
    for width in (420, 1200):
        browser.size(width, 900)
        browser.open(page)
        seen = browser.js(LABELS)
        for one in seen["faults"]:
            fault(f"at {width} pixels: {one}")
        expect(seen["count"] > 1, f"at {width} pixels the page has {seen['count']} labels")


def paper(browser, page, pdf):
    browser.size(718, 1000)  # A4 between margins of a centimetre
    browser.open(page)
    browser.media(media="print", prefers_color_scheme="dark")
    wide = browser.js("document.documentElement.scrollWidth")
    expect(wide <= 718, f"on paper of 718 pixels the page is {wide} wide")
    ink = browser.js("getComputedStyle(document.body).color")
    expect(ink == "rgb(0, 0, 0)", f"paper is printed in {ink}")
    expect(browser.js("[...document.querySelectorAll('nav, .controls, .theme')].every((e) => !e.checkVisibility())"),
           "what is of no use on paper is printed")
    browser.media()
    browser.pdf(pdf)


def scriptless(browser, page):
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(page)
    html = browser.call("DOM.getOuterHTML", nodeId=browser.call("DOM.getDocument")["root"]["nodeId"])["outerHTML"]
    for part in ('id="matrix"', 'class="finding"', "<svg", "Sources of the verdicts"):
        expect(part in html, f"without scripts there is no {part}")
    expect(re.search(r'id="controls"[^>]* hidden', html), "without scripts there are controls that do nothing")


# ------------------------------------------------------------------------------------------------- many findings

def many(browser, page, count):
    """COUNT findings: how many nodes the page has says whether it stays smooth, on any machine."""
    count, number = int(count), "document.getElementsByTagName('*').length"
    browser.open(page)
    status = "document.getElementById('findings-status').textContent"
    shown = "document.querySelectorAll('#finding-list > li').length"
    expect(f"of {count:,} findings" in browser.js(status), browser.js(status))
    counts = [browser.js(number)]
    for _ in range(3):
        browser.js("document.getElementById('next').click()")
        counts.append(browser.js(number))
    expect(browser.js(shown) == 100, f"{browser.js(shown)} findings at once")
    expect("301 to 400" in browser.js(status), browser.js(status))
    expect(max(counts) < 5000, f"the page has {max(counts)} elements")
    expect(max(counts) - min(counts) < 200, f"turning pages adds elements: {counts}")
    type_in = """(() => {{ const s = document.getElementById('search'); s.value = {}; s.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"""
    browser.js(type_in.format(json.dumps("file4321")))
    first = browser.js("document.querySelector('#finding-list .path')?.textContent")
    expect(first and "file4321" in first, f"a search for file4321 finds {first}")
    expect(browser.js("document.getElementById('pager').hidden"), "one page of results has a pager")
    browser.js(type_in.format(json.dumps("there is no such thing")))
    expect(browser.js(shown) == 0 and "None of" in browser.js(status), browser.js(status))
    browser.js(type_in.format('""'))
    browser.js("document.querySelectorAll('#controls [name=severity]').forEach((box) => { if (box.checked) box.click(); })")
    expect(browser.js(shown) == 0, "findings of no severity are shown")
    print(f"{max(counts)} elements with {count} findings")


def cells(browser, page, count):
    """COUNT cells of a matrix, differences first, a page of them at a time."""
    count, number = int(count), "document.getElementsByTagName('*').length"
    browser.open(page)
    status = "document.getElementById('cells-status').textContent"
    rows = "document.querySelectorAll('#cell-table th[scope=row]').length"
    groups = "[...document.querySelectorAll('#cell-table .group')].map((row) => row.textContent.replace(/[^a-z ]/g, '').trim())"
    expect(browser.js(status).endswith(f"of {count:,} cells."), browser.js(status))
    expect(browser.js(groups)[0].startswith("broken"), f"the first group is {browser.js(groups)}")
    counts = [browser.js(number)]
    for _ in range(3):
        browser.js("document.getElementById('next').click()")
        counts.append(browser.js(number))
    expect(browser.js(rows) == 100 and "301 to 400" in browser.js(status), browser.js(status))
    expect(max(counts) < 5000, f"the page has {max(counts)} elements")
    choose = """(() => {{ const s = document.getElementById('{}'); s.value = {}; s.dispatchEvent(new Event('input', {{bubbles: true}})); }})()"""
    options = browser.js("[...document.getElementById('group').options].map((one) => one.textContent)")
    at = next(index for index, text in enumerate(options) if text.startswith("broken: link"))
    browser.js(choose.format("group", json.dumps(str(at - 1))))
    expect(f"of {options[at].split('(')[1][:-1]} cells" in browser.js(status), f"{options[at]}: {browser.js(status)}")
    expect(browser.js("document.querySelectorAll('#cell-table b').length") == 0, "a text became an element")
    browser.js(choose.format("group", '""'))
    browser.js(choose.format("search", json.dumps("passed 12.4_g++-13_9.0 project-3")))
    expect(browser.js(rows) == 1, f"a search finds {browser.js(rows)} cells")
    print(f"{max(counts)} elements with {count} cells")


def hostile(browser, page, count):
    """COUNT findings whose texts would like to be markup."""
    browser.open(page)
    browser.js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    items = browser.js("document.querySelectorAll('#finding-list > li').length")
    expect(items == int(count), f"{items} findings")
    expect(browser.js("document.querySelectorAll('script').length") == 2, "a script too many")
    expect(browser.js("typeof globalThis.intruder") == "undefined", "a text was run")
    expect(browser.js("document.querySelectorAll('img,b,iframe,style').length") == 1, "a text became an element")
    expect("<img src=x" in browser.js("document.getElementById('finding-list').textContent"), "the text itself is lost")


LOOKS = {f.__name__: f for f in (verdicts, keyboard, access, narrow, labels, paper, scriptless, many, hostile, cells)}


def main():
    # look.py WHAT PAGE FILE... [and WHAT PAGE FILE...]...: several in one browser, which takes a second to start
    calls, words = [], sys.argv[1:]
    while "and" in words:
        at = words.index("and")
        calls.append(words[:at])
        words = words[at + 1:]
    calls.append(words)
    with Browser() as browser:
        for what, *files in calls:
            browser.size(1280, 900)
            browser.media()
            LOOKS[what](browser, *files)
            quiet(browser)
            browser.call("Emulation.setScriptExecutionDisabled", value=False)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
