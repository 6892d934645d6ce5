# SPDX-License-Identifier: MIT
"""Compares two outputs of python_calls.py:  compare_python_calls.py THEIRS OURS

Prints how often each probe differs, and all differences. Exits with 1 if there are any."""
import collections
import json
import sys

TOLERANCE = {'float16': 2e-2, 'float32': 2e-4, 'float64': 1e-7}


def read(path):
    cases, begun = {}, None
    with open(path) as f:
        for line in f:
            try:
                c = json.loads(line)
            except ValueError:
                continue
            begun = (c[0], c[1]) if len(c) == 2 else None
            if len(c) == 4:
                cases[c[0], c[1]] = c[2], c[3]
    if begun:
        cases[begun] = [['error', 'the process ended']], ''
    return cases


def near(a, b, tolerance):
    a, b = float(a), float(b)
    return a == b or (a != a and b != b) or abs(a - b) <= tolerance * max(1, abs(a), abs(b))


def same(a, b, tolerance=1e-4):
    """Returns None, or a description of the difference."""
    if isinstance(a, list) and isinstance(b, list):
        if len(a) == len(b) == 4 and a[0] == b[0] and a[0] in ('array', 'scalar'):
            if a[1:3] != b[1:3]:
                return '%s %s, here %s %s' % (a[1], a[2], b[1], b[2])
            t = TOLERANCE.get(a[1], 0)
            for x, y in zip(a[3], b[3]):
                if not near(x, y, t):
                    return '%s %s: %s, here %s' % (a[1], a[2], x, y)
            return None
        if len(a) == len(b) == 2 and a[0] == b[0] == 'float':
            return None if near(a[1], b[1], tolerance) else '%s, here %s' % (a[1], b[1])
        if len(a) != len(b):
            return '%s, here %s' % (str(a)[:150], str(b)[:150])
        for x, y in zip(a, b):
            found = same(x, y, tolerance)
            if found:
                return found
        return None
    return None if a == b else '%s, here %s' % (str(a)[:150], str(b)[:150])


def main(theirs, ours):
    a, b = read(theirs), read(ours)
    differ = collections.OrderedDict()
    for case in a:
        if case not in b:
            continue
        x, y = a[case][0], b[case][0]
        found = None
        for k, (u, v) in enumerate(zip(x, y)):
            found = same(u, v)
            if found:
                found = 'note %d: %s\n        theirs: %s\n        ours:   %s' % (k, found, str(u)[:160], str(v)[:160])
                break
        if not found and len(x) != len(y):
            more = x if len(x) > len(y) else y
            found = '%d notes, here %d: %s' % (len(x), len(y), str(more[min(len(x), len(y))])[:100])
        if found:
            differ.setdefault(case[0], []).append((case[1], found, a[case][1], b[case][1]))
    for name, cases in sorted(differ.items(), key=lambda i: -len(i[1])):
        print('%s: %d differ' % (name, len(cases)))
        for case, found, x, y in cases[:3]:
            print('    case %d: %s' % (case, found))
            for who, text in (('theirs', x), ('ours', y)):
                if text:
                    print('        %s ends: %s' % (who, text.replace('\n', ' ')))
    wrong = sum(len(c) for c in differ.values())
    print('%d cases, %d passed, %d failed' % (len(b), len(b) - wrong, wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
