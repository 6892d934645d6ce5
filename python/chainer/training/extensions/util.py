# SPDX-License-Identifier: MIT
"""The cursor of the console, for extensions that print over their last output."""
import sys


def erase_console(x, y, mode=0, out=sys.stdout):
    """Erases the console: from the cursor to its end (0), from its begin to the cursor (1), or all of it (2)."""
    out.write('\033[{}J'.format(mode))


def set_console_cursor_position(x, y, out=sys.stdout):
    """Moves the cursor by x columns and y lines."""
    for n, forward, back in ((x, 'C', 'D'), (y, 'B', 'A')):
        if n:
            out.write('\033[{}{}'.format(abs(n), forward if n > 0 else back))
