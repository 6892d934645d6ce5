# SPDX-License-Identifier: MIT
"""Shared by check_arrays.py and check_functions.py: runs a file of cases, each a line that calls check()."""
import sys
import warnings

import numpy as np


def main(difference, names):
    """Runs the lines of the file given on the command line, with the given names. difference(*case) is '' if both
    results are equal, None if both raise, or else a description of the difference. Returns True if any case differs."""
    warnings.simplefilter('ignore')
    np.seterr(all='ignore')
    counts = {'equal': 0, 'an error in both': 0, 'different': 0}
    with open(sys.argv[1]) as lines:
        for line in lines:
            def check(*case):
                found = difference(*case)
                counts['an error in both' if found is None else 'different' if found else 'equal'] += 1
                if found:
                    print(f'{line.strip()}\n  {found}')
            exec(line, {**names, 'nan': float('nan'), 'inf': float('inf'), 'check': check})
    print(', '.join(f'{n} {what}' for what, n in counts.items()))
    return counts['different'] > 0
