#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws a chart of the output of functions.py --json and writes its table.

usage: functions_page.py TIMES.json OUT.svg [TABLE.md]

OUT.svg has one line per function, with dots at the ratios of chainer's time to PyTorch's, one colour per size, on a
logarithmic scale. TABLE.md gets the numbers after the line `<!-- times -->`; the text above this line is kept.
"""
import json
import math
import pathlib
import statistics
import sys

COLOURS = {'64': '#1b7837', 'cache': '#2166ac', '10M': '#b2182b'}
NAMES = {'64': '64 elements', 'cache': '262,144 elements', '10M': '10 million elements'}
LEFT, WIDTH, TOP, LINE = 260, 640, 70, 13
LEAST, MOST = 0.01, 10
TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 1.3, 2, 5, 10)


def by_function(results):
    functions = {}
    for r in results:
        functions.setdefault(r['name'], {})[r['size']] = r
    return dict(sorted(functions.items()))


def x_of(ratio):
    ratio = min(max(ratio, LEAST), MOST)
    return LEFT + WIDTH * math.log(ratio / LEAST) / math.log(MOST / LEAST)


def drawing(functions):
    height = TOP + LINE * len(functions) + 30
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 30}" height="{height}" '
           'font-family="sans-serif" font-size="10">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="{LEFT}" y="20" font-size="13">'
           'Time of a function, forward and backward, relative to PyTorch</text>']
    for i, (size, colour) in enumerate(COLOURS.items()):
        out.append(f'<circle cx="{LEFT + 8 + 170 * i}" cy="38" r="4" fill="{colour}"/>'
                   f'<text x="{LEFT + 16 + 170 * i}" y="42">{NAMES[size]}</text>')
    for tick in TICKS:
        x = x_of(tick)
        width, colour = (1.5, '#444') if tick == 1 else (0.5, '#bbb')
        out.append(f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{height - 20}" stroke="{colour}" '
                   f'stroke-width="{width}"/>')
        if tick != 1.3:
            out.append(f'<text x="{x:.1f}" y="{TOP - 12}" text-anchor="middle">{tick:g}</text>')
    for i, (name, sizes) in enumerate(functions.items()):
        y = TOP + LINE * i + LINE / 2
        if i % 2:
            out.append(f'<rect x="0" y="{y - LINE / 2}" width="{LEFT + WIDTH + 30}" height="{LINE}" fill="#00000008"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y + 3.5}" text-anchor="end">{name}</text>')
        for size, r in sizes.items():
            out.append(f'<circle cx="{x_of(r["ratio"]):.1f}" cy="{y}" r="3.5" fill="{COLOURS[size]}" '
                       f'fill-opacity="0.8"><title>{name}, {NAMES[size]}: {r["ours"]:.4g} ms, PyTorch '
                       f'{r["torch"]:.4g} ms, ratio {r["ratio"]:.2f}</title></circle>')
    return '\n'.join(out + ['</svg>', ''])


def table(functions):
    lines = ['| size | functions | geometric mean | above 1.0 | above 1.3 | largest |', '|---|---|---|---|---|---|']
    for size in COLOURS:
        ratios = {n: s[size]['ratio'] for n, s in functions.items() if size in s}
        if not ratios:
            continue
        worst = max(ratios, key=ratios.get)
        lines.append(f'| {NAMES[size]} | {len(ratios)} | {statistics.geometric_mean(ratios.values()):.2f} | '
                     f'{sum(r > 1 for r in ratios.values())} | {sum(r > 1.3 for r in ratios.values())} | '
                     f'`{worst}` {ratios[worst]:.2f} |')
    lines += ['', '| function | ' + ' | '.join(f'{s}: ms | PyTorch | ratio' for s in COLOURS) + ' |',
              '|---|' + '---|' * (3 * len(COLOURS))]
    for name, sizes in functions.items():
        cells = []
        for size in COLOURS:
            r = sizes.get(size)
            cells += [f'{r["ours"]:.3g}', f'{r["torch"]:.3g}', f'{r["ratio"]:.2f}'] if r else ['', '', '']
        lines.append(f'| `{name}` | ' + ' | '.join(cells) + ' |')
    return '\n'.join(lines) + '\n'


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    functions = by_function(json.loads(pathlib.Path(sys.argv[1]).read_text()))
    pathlib.Path(sys.argv[2]).write_text(drawing(functions))
    if len(sys.argv) == 4:
        page, mark = pathlib.Path(sys.argv[3]), '<!-- times -->\n'
        above = page.read_text().split(mark)[0] if page.exists() else ''
        page.write_text(above + mark + '\n' + table(functions))


main()
