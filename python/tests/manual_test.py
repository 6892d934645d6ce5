# SPDX-License-Identifier: MIT
"""Every name of the manual is there, with the manual's parameters. (Those of functions: signatures_test.py.)"""
import importlib
import inspect
import os

import pytest

import chainer  # NOQA

HERE = os.path.dirname(os.path.abspath(__file__))
# The manual leaves out what the release takes.
OTHERWISE = {'links.Deconvolution2D': ['in_channels', 'out_channels', 'ksize=None', 'stride=1', 'pad=0', 'nobias=False',
                                       'outsize=None', 'initialW=None', 'initial_bias=None', '*', 'dilate=1',
                                       'groups=1']}


def lines():
    with open(os.path.join(HERE, 'manual.txt')) as f:
        return [line.strip() for line in f if line.strip() and not line.startswith('#')]


def find(name):
    value, path = chainer, 'chainer'
    for part in name.split('.'):
        path += '.' + part
        value = getattr(value, part) if hasattr(value, part) else importlib.import_module(path)
    return value


def split(text):
    """Parameters as they are written, without values that are objects."""
    parts, depth, part = [], 0, ''
    for c in text + ',':
        depth += (c in '([{') - (c in ')]}')
        if c == ',' and depth == 0:
            parts.append(part.strip())
            part = ''
        else:
            part += c
    return [p for p in parts if p]


def plain(value):
    return isinstance(value, (int, float, str, tuple, bool, type(None)))


@pytest.mark.parametrize('line', lines())
def test_name(line):
    name, found, rest = line.partition('(')
    value = find(name)
    if not found:
        return
    wanted = split(rest[:-1])
    mine, bare = [], False
    for p in inspect.signature(value).parameters.values():
        if p.kind is p.KEYWORD_ONLY and not bare:
            mine.append('*')
        bare = bare or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        stars = {p.VAR_POSITIONAL: '*', p.VAR_KEYWORD: '**'}.get(p.kind, '')
        mine.append(stars + p.name + ('' if p.default is p.empty else '=%r' % (p.default,)))
    if wanted[-1:] != mine[-1:] and mine and mine[-1].startswith('**'):
        mine.pop()  # keywords that are not supported any more, for their errors

    def comparable(parameters):
        # Numbers are written in several ways, and objects in words.
        out = []
        for text in parameters:
            key, equal, default = text.partition('=')
            try:
                default = eval(default) if equal else None
            except Exception:
                default = 'an object'
            out.append((key, bool(equal), default))
        return out
    assert comparable(mine) == comparable(OTHERWISE.get(name, wanted)), (mine, wanted)
