# SPDX-License-Identifier: MIT
"""Compares outcomes with the list of cases that fail: compare.py OUTCOMES LEFT_OUT.

A line of the list is a pattern of a case's name (* stands for anything), two blanks, and the reason."""
import fnmatch
import re
import sys


def main(outcomes, left_out):
    cases = {}
    with open(outcomes) as f:
        for line in f:
            name, _, outcome, _ = line.rstrip('\n').split('\t')
            cases[name] = 'failed' if 'failed' in (outcome, cases.get(name)) else outcome
    patterns = []
    with open(left_out) as f:
        for line in f:
            if line.strip() and not line.startswith('#'):
                pattern, _, reason = line.strip().partition('  ')
                if not reason:
                    sys.exit('left_out.txt: no reason for ' + pattern)
                patterns.append(re.compile(fnmatch.translate('tests/chainer_tests/' + pattern)))
    listed = {name for name in cases if any(p.match(name) for p in patterns)}
    failed = {name for name, outcome in cases.items() if outcome == 'failed'}
    passed = sum(outcome == 'passed' for outcome in cases.values())
    for name in sorted(failed - listed)[:200]:
        print('fails, and is not listed:', name)
    recovered = sorted(n for n in listed - failed if cases[n] == 'passed')
    for name in recovered[:50]:
        print('passes, and is listed:', name)
    print('{} passed, {} failed as listed, {} failed otherwise, {} listed pass'.format(
        passed, len(failed & listed), len(failed - listed), len(recovered)))
    return bool(failed - listed or recovered)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
