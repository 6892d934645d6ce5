"""Parameters have the names and the order of the manual's lines."""
import inspect
import os
import re

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
    try:
        parameters = inspect.signature(function).parameters.items()
    except (TypeError, ValueError):
        return re.findall(r'[(,] ?(\w+):', function.__doc__.split(' -> ')[0])
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
