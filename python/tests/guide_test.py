# SPDX-License-Identifier: MIT
"""The Python code of the guide's pages prints what the pages say."""
import os
import re
import subprocess
import sys

import pytest

PAGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'docs', 'guide')
BLOCK = re.compile(r'```python\n(.*?)```\n\n```text\n(.*?)```', re.DOTALL)


def pages():
    """Returns the pages with Python code, and their blocks with what they print."""
    found = []
    for name in sorted(os.listdir(PAGES)):
        if name.endswith('.md'):
            with open(os.path.join(PAGES, name), encoding='utf-8') as f:
                blocks = BLOCK.findall(f.read())
            if blocks:
                found.append((name, blocks))
    assert found
    return found


@pytest.mark.parametrize('name, blocks', pages())
def test_page(name, blocks, tmp_path):
    mark = '-- end of block --\n'
    program = ''.join(['{}print({!r}, end="")\n'.format(code, mark) for code, _ in blocks])
    out = subprocess.run([sys.executable, '-c', program], check=True, cwd=str(tmp_path), stdout=subprocess.PIPE,
                         text=True, encoding='utf-8').stdout
    printed = out.split(mark)
    assert printed.pop() == ''
    for (code, expected), text in zip(blocks, printed):
        assert text.rstrip() == expected.rstrip(), code
