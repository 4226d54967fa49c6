"""The results as a web page: one section an experiment, one page of all sections that needs no other file."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from .result import Claim, Picture, Table, shown

if TYPE_CHECKING:
    from .reproduce import Run

INDEX = "index.html"


def section(run: Run) -> str:
    """What stands about one experiment on the page; pictures are named, not included."""
    experiment, result = run.experiment, run.result
    parts = [
        f'<section id="{experiment.name}">',
        f"<h2>{escape(experiment.title)}</h2>",
        f'<p class="source">{escape(experiment.source)}</p>',
        f"<p>{escape(experiment.question)}</p>",
        _claims(result.claims),
        *(
            _picture(run.file(picture.name, "png"), picture, run.file(picture.name, "csv"))
            for picture in result.pictures
        ),
        *(_table(table, run.file(table.name, "csv")) for table in result.tables),
    ]
    if result.notes:
        parts.append("<ul>" + "".join(f"<li>{escape(note)}</li>" for note in result.notes) + "</ul>")
    parts += [f'<p class="made">{escape(run.made)}</p>', "</section>", ""]
    return "\n".join(part for part in parts if part)


def _claims(claims: Iterable[Claim]) -> str:
    items = []
    for claim in claims:
        numbers = "; ".join(f"{name}: {shown(value)}" for name, value in claim.numbers.items())
        mark = ("holds", "&#10003;") if claim.holds else ("fails", "&#10007;")
        items.append(
            f'<li class="{mark[0]}"><span class="mark" title="{mark[0]}">{mark[1]}</span> {escape(claim.sentence)}'
            + (f'<div class="numbers">{escape(numbers)}</div>' if numbers else "")
            + (f'<div class="against">The source says: {escape(claim.against)}</div>' if claim.against else "")
            + "</li>"
        )
    return f'<ul class="claims">{"".join(items)}</ul>' if items else ""


def _picture(file: str, picture: Picture, data: str) -> str:
    width = round(100 * picture.size[0])
    return (
        f'<figure><img src="{file}" alt="{escape(picture.caption, quote=True)}" width="{width}" loading="lazy">'
        f"<figcaption>{escape(picture.caption)} "
        f'<a href="{data}">Numbers</a></figcaption></figure>'
    )


def _table(table: Table, data: str) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    rows = "".join("<tr>" + "".join(_cell(cell) for cell in row) + "</tr>" for row in table.rows)
    return (
        f'<h3>{escape(table.title)} <a href="{data}">CSV</a></h3>'
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _cell(cell: object) -> str:
    text = escape(shown(cell))
    return f"<td>{text}</td>" if isinstance(cell, str) else f'<td class="number">{text}</td>'


def assembled(folder: Path, names: Iterable[str]) -> str:
    """The page of all sections in a folder, pictures included."""
    files = {name: folder / f"{name}.html" for name in names}
    sections = {name: file.read_text(encoding="utf-8") for name, file in files.items() if file.exists()}
    titles = {name: re.search(r"<h2>(.*?)</h2>", text) for name, text in sections.items()}
    links = "".join(f'<li><a href="#{name}">{found[1]}</a></li>' for name, found in titles.items() if found)
    body = re.sub(
        r'<img src="([^"]+\.png)"',
        lambda found: f'<img src="{_included(folder / found[1])}"',
        "".join(sections.values()),
    )
    return PAGE.substitute(links=links, body=body)


def _included(file: Path) -> str:
    return "data:image/png;base64," + base64.b64encode(file.read_bytes()).decode("ascii")


PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>bochner: published results, measured again</title>
<style>
:root { --paper: #ffffff; --ink: #1d1d1f; --pale: #5f6368; --rule: #dcdcdc; --link: #0b5cad;
  --good: #1a7f4b; --bad: #b3001b; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #121212; --ink: #e8e8e8; --pale: #a3a7ad; --rule: #383838; --link: #7db8f0;
    --good: #5fcf92; --bad: #ff7b8a; }
  figure img { filter: invert(.93) hue-rotate(180deg); }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 52rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.35rem; line-height: 1.25; margin: 0 0 .3rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
h3 a, figcaption a { font-weight: normal; font-size: .85em; margin-left: .4em; }
a { color: var(--link); }
section { border-top: 1px solid var(--rule); margin-top: 2.5rem; padding-top: 1.5rem; }
.source, .made, figcaption, .numbers, .against { color: var(--pale); font-size: .88rem; }
.source { margin-top: 0; }
figure { margin: 1.6rem 0; }
figure img { display: block; max-width: 100%; height: auto; }
.claims { list-style: none; padding: 0; }
.claims li { padding-left: 1.7rem; margin: .55rem 0; position: relative; }
.mark { position: absolute; left: 0; font-weight: bold; }
.holds .mark { color: var(--good); }
.fails .mark { color: var(--bad); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
th, td { padding: .28rem .7rem .28rem 0; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
th { color: var(--pale); font-weight: 600; }
td.number { white-space: nowrap; }
</style>
</head>
<body>
<h1>Published results, measured again</h1>
<p>Each section regenerates a published result: <code>python -m bochner.experiments NAME --out FOLDER</code>.
A tick is a statement that the numbers bear out. In pictures lines are theory, markers are measurements and stars are
published numbers.</p>
<nav><ul>$links</ul></nav>
$body</body>
</html>
""")
