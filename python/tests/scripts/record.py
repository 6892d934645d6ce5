# SPDX-License-Identifier: MIT
"""Writes the losses that release 5.4.0 prints: record.py SCRIPT... with the release's Python."""
import collections
import collections.abc
import contextlib
import io
import os
import runpy
import sys

for name in ('Callable', 'Iterable', 'Mapping', 'MutableMapping', 'MutableSequence', 'Sequence'):
    setattr(collections, name, getattr(collections.abc, name))
for script in sys.argv[1:]:
    text = io.StringIO()
    sys.argv[1:] = []
    with contextlib.redirect_stdout(text):
        runpy.run_path(script, run_name='__main__')
    with open(os.path.splitext(script)[0] + '.losses', 'w') as f:
        f.write(text.getvalue().splitlines()[0] + '\n')
