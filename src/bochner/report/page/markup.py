"""The page around the sections: one file, no network, light and dark, wide and narrow, on paper too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from string import Template

from .svg import shown


@dataclass(frozen=True)
class Section:
    """A part of the page: its name in links, its heading, its content."""

    name: str
    title: str
    body: str

    def html(self) -> str:
        """As it stands in the page."""
        heading = f'<h2 id="{self.name}-h">{escape(self.title)}</h2>'
        return f'<section id="{self.name}" aria-labelledby="{self.name}-h">{heading}{self.body}</section>'


def paragraph(words: str, kind: str = "") -> str:
    """Some sentences."""
    return f'<p class="{kind}">{escape(words)}</p>' if kind else f"<p>{escape(words)}</p>"


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table; numbers are rounded and stand at the right."""
    top = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    body = "".join("<tr>" + "".join(_cell(cell) for cell in row) + "</tr>" for row in rows)
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption)}">'
        f"<table><caption>{escape(caption)}</caption>"
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def figure(picture: str, caption: str, numbers: str) -> str:
    """A picture, what it shows, and its numbers as a table that opens."""
    return (
        f"<figure>{picture}<figcaption>{escape(caption)}</figcaption>"
        f"<details><summary>The numbers</summary>{numbers}</details></figure>"
    )


def page(title: str, sections: Sequence[Section], made: str) -> str:
    """The whole file."""
    links = "".join(f'<li><a href="#{one.name}">{escape(one.title)}</a></li>' for one in sections)
    body = "".join(one.html() for one in sections)
    series = "\n".join(SERIES.substitute(series=series) for series in range(N_SERIES))
    return PAGE.substitute(title=escape(title), links=links, body=body, made=escape(made), series=series)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f'<td class="number">{shown(value)}</td>'
    if isinstance(value, int):
        return f'<td class="number">{value:,}</td>'
    return f"<td>{escape(str(value))}</td>"


N_SERIES = 10
SERIES = Template(
    "line.s$series, polyline.s$series { stroke: var(--s$series); } circle.s$series, rect.s$series, polygon.s$series, "
    ".key.s$series { fill: var(--s$series); background: var(--s$series); }"
)
PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<style>
:root { --paper: #ffffff; --ink: #1c1c1e; --pale: #5a5f66; --rule: #dddfe3; --link: #0b5cad;
  --wash: #f4f5f7;
  --s0: #0b62b0; --s1: #b8500f; --s2: #177a55; --s3: #8b3fa0; --s4: #8a6d00;
  --s5: #5a5f66; --s6: #b3203a; --s7: #2f7f8f;
  --s8: #6a5acd; --s9: #3f6f2f; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #141416; --ink: #ececee; --pale: #a7acb4; --rule: #3a3c40; --link: #86bdf5;
    --wash: #202226;
    --s0: #6fb2f2; --s1: #f2a268; --s2: #63cfa2; --s3: #cf97e0; --s4: #dcc257;
    --s5: #a7acb4; --s6: #ff8f9c; --s7: #79ccdb;
    --s8: #b3a8ff; --s9: #9fd08c; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem 1rem 4rem; max-width: 46rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: .4rem 0; }
h2 { font-size: 1.25rem; margin: 0 0 .4rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; }
a { color: var(--link); }
nav ul { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; list-style: none; padding: 0; }
section { border-top: 1px solid var(--rule); margin-top: 2rem; padding-top: 1.3rem; }
.verdict { font-size: 1.15rem; }
figcaption, caption, .made, .tick, .name { color: var(--pale); font-size: .88rem; }
figure { margin: 1.2rem 0; }
svg { display: block; width: 100%; max-width: 35rem; height: auto; }
svg text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: var(--pale); }
svg .name { fill: var(--ink); }
.grid { stroke: var(--rule); stroke-width: 1; }
.line { fill: none; stroke-width: 2; }
.whisker { stroke: var(--ink); stroke-width: 1.5; }
.band { opacity: .22; }
.mark:hover, .mark:focus, .bar:hover, .bar:focus, .cell:hover, .cell:focus { outline: none; stroke: var(--ink);
  stroke-width: 2; }
$series
.legend { list-style: none; padding: 0; margin: .2rem 0; display: flex; flex-wrap: wrap; gap: .2rem 1rem;
  font-size: .88rem; }
.key { display: inline-block; width: .8rem; height: .8rem; border-radius: 2px; margin-right: .4rem;
  vertical-align: -.05rem; }
.wide { overflow-x: auto; }
.several { display: grid; grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); gap: 0 1rem; }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .3rem 0; }
th, td { padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
th { color: var(--pale); font-weight: 600; }
td.number { text-align: right; white-space: nowrap; }
summary { cursor: pointer; color: var(--link); font-size: .88rem; }
pre { background: var(--wash); padding: .7rem; overflow-x: auto; font-size: .85rem; }
#tip { position: fixed; pointer-events: none; background: var(--ink); color: var(--paper); padding: .2rem .5rem;
  border-radius: 4px;
  font-size: .85rem; max-width: 18rem; visibility: hidden; z-index: 2; }
@media print { body { max-width: none; } figure, table { break-inside: avoid; } nav, summary { display: none; } }
</style>
</head>
<body>
<header><h1>$title</h1><nav aria-label="Sections"><ul>$links</ul></nav></header>
<main>$body</main>
<footer><p class="made">$made</p></footer>
<div id="tip" role="status"></div>
<script>
(function () {
  var tip = document.getElementById("tip");
  function show(event) {
    var words = event.target.querySelector ? event.target.querySelector(":scope > title") : null;
    if (!words) { return; }
    var box = event.target.getBoundingClientRect();
    tip.textContent = words.textContent;
    tip.style.left = Math.max(4, Math.min(box.left, window.innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = Math.max(4, box.top - tip.offsetHeight - 6) + "px";
    tip.style.visibility = "visible";
  }
  function hide() { tip.style.visibility = "hidden"; }
  ["mouseover", "focusin"].forEach(function (name) { document.addEventListener(name, show); });
  ["mouseout", "focusout"].forEach(function (name) { document.addEventListener(name, hide); });
}());
</script>
</body>
</html>
""")
