# SPDX-License-Identifier: MIT
"""Parameters have the names and the order of the manual's lines."""
import inspect
import os
import re
import subprocess
import sys

import pytest

import chainer.functions as F

HERE = os.path.dirname(os.path.abspath(__file__))


def lines():
    with open(os.path.join(HERE, 'signatures.txt')) as f:
        return [line.strip() for line in f if not line.startswith('#')]


def split(text):
    """The names in a list of parameters, without defaults."""
    parts, depth, part = [], 0, ''
    for c in text + ',':
        depth += (c in '([{') - (c in ')]}')
        if c == ',' and depth == 0:
            parts.append(part.strip().split('=')[0])
            part = ''
        else:
            part += c
    return [p for p in parts if p and p not in ('*', '/')]


def names(function):
    """The same of a function: of Python, or of the bindings, whose first line of documentation is the signature."""
    if type(function).__name__ == 'nb_func':  # whose inspect.signature() says nothing, or (*args, **kwargs)
        return re.findall(r'[(,] ?(\w+):', function.__doc__.split(' -> ')[0])
    parameters = inspect.signature(function).parameters.items()
    stars = {inspect.Parameter.VAR_POSITIONAL: '*', inspect.Parameter.VAR_KEYWORD: '**'}
    found = [stars.get(p.kind, '') + n for n, p in parameters]
    # What is left takes arguments that are not supported any more, for their errors.
    return found[:-1] if found[-1:] == ['**kwargs'] else found


@pytest.mark.parametrize('line', lines())
def test_signature(line):
    name, _, rest = line.partition('(')
    wanted = [w for w in split(rest[:-1]) if w != '**kwargs']
    assert names(getattr(F, name)) == wanted


def test_every_function_has_a_line():
    assert len(lines()) > 190


def test_every_function_is_documented():
    """help(F.relu) shows formulas and shapes: the headers' comments."""
    for line in lines():
        name = line.partition('(')[0]
        text = getattr(F, name).__doc__
        if text.startswith(name + '('):
            text = text.partition('\n\n')[2]
        assert len(text) > 8, name
    assert 'max(x, 0)' in F.relu.__doc__
    assert 'softmax' in F.softmax_cross_entropy.__doc__ and '(N, C' in F.softmax_cross_entropy.__doc__


def test_type_checker_reads_the_stubs(tmp_path):
    pytest.importorskip('mypy')
    import chainer
    folder = os.path.dirname(chainer.__file__)
    assert os.path.exists(os.path.join(folder, 'py.typed'))
    good, bad = tmp_path / 'good.py', tmp_path / 'bad.py'
    good.write_text("""
import numpy as np
import chainer
import chainer.functions as F
import chainer.links as L

x = chainer.Variable(np.ones((2, 3), 'f'))
y = F.relu(x) * 2 + x
h: chainer.Variable = F.concat((y, F.dropout(x, .2)), axis=1)
loss = F.softmax_cross_entropy(h, np.zeros(2, 'i'), reduce='mean')
loss.backward()
z = F.max_pooling_2d(np.ones((1, 1, 4, 4), 'f'), 2, stride=(1, 2))
print(x.grad, y.shape[0] + 1, L.Linear(3, 4)(x), F.convolution_2d(z, z, stride=1))
""")
    bad.write_text("""
import chainer.functions as F
F.relu('text')
F.softmax(axis=1)
F.clipped_relu(F.relu, 1)
n: int = F.sum(F.relu(None))
""")
    for path, errors in ((good, 0), (bad, 4)):
        done = subprocess.run([sys.executable, '-m', 'mypy', '--no-error-summary', '--cache-dir', str(tmp_path / 'cache'),
                               '--ignore-missing-imports', '--follow-imports=silent', str(path)],
                              stdout=subprocess.PIPE, cwd=str(tmp_path), universal_newlines=True)
        found = [line for line in done.stdout.splitlines() if ' error: ' in line]
        assert len(found) >= errors and bool(found) == bool(errors), done.stdout
