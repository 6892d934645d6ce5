# SPDX-License-Identifier: MIT
"""Writes the type stubs of the module and of chainer.functions from the bindings.

    stubs.py PACKAGE_FOLDER      (run with PACKAGE_FOLDER's parent on the path)
"""
import inspect
import os
import re
import sys

HEAD = '''# Written by stubs.py.
from typing import Any, Callable, Iterator, Optional, Sequence, Tuple, Union
import numpy
'''
# Parameters that take a variable also take an ndarray.
ARGUMENTS = {'Variable': 'ArrayLike', 'tuple': 'Sequence[Any]', 'int | tuple': 'Union[int, Sequence[int]]',
             'numpy.ndarray': 'ArrayLike', 'numpy.dtype': 'Any', 'str': 'str', 'int': 'int', 'float': 'float',
             'bool': 'bool', 'object': 'Any', 'handle': 'Any'}
RESULTS = {'Variable': 'Variable', 'numpy.ndarray': 'numpy.ndarray', 'tuple': 'Tuple[Any, ...]', 'None': 'None',
           'int': 'int', 'float': 'float', 'bool': 'bool', 'str': 'str'}
OPERATORS = ['add', 'radd', 'sub', 'rsub', 'mul', 'rmul', 'truediv', 'rtruediv', 'floordiv', 'rfloordiv', 'pow',
             'rpow', 'matmul', 'rmatmul']


def split(text):
    """Splits at commas outside of brackets."""
    parts, depth, part = [], 0, ''
    for c in text + ',':
        depth += (c in '([{') - (c in ')]}')
        if c == ',' and depth == 0:
            parts.append(part.strip())
            part = ''
        else:
            part += c
    return [p for p in parts if p]


def argument(text):
    """Converts a parameter of a binding's signature to a type hint."""
    if ':' not in text:
        return text
    name, _, rest = text.partition(':')
    kind, equal, default = rest.partition('=')
    kind = kind.strip()
    none = kind.endswith(' | None')
    kind = kind[:-len(' | None')] if none else kind
    kind = ARGUMENTS.get(kind, 'Any')
    # If a binding accepts None, only a default of None shows that the parameter is optional.
    if none and default.strip() == 'None':
        kind = 'Optional[%s]' % kind
    return '%s: %s%s' % (name, kind, ' = ...' if equal else '')


def bound(name, line, method=False):
    """Returns the stub line of a binding, made from the first line of its documentation."""
    m = re.match(r'\w+\((.*)\) -> (.*)$', line)
    if not m:
        return 'def %s(*args: Any, **kwargs: Any) -> Any' % name
    arguments = [argument(a) for a in split(m.group(1))]
    return 'def %s(%s) -> %s' % (name, ', '.join(arguments), RESULTS.get(m.group(2), 'Any'))


def adapted(name, function):
    """Returns the stub line of a function written in Python."""
    parts, bare = [], False
    for p in inspect.signature(function).parameters.values():
        if p.kind is p.KEYWORD_ONLY and not bare:
            parts.append('*')
        bare = bare or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        stars = {p.VAR_POSITIONAL: '*', p.VAR_KEYWORD: '**'}.get(p.kind, '')
        parts.append('%s%s: Any%s' % (stars, p.name, '' if p.default is p.empty else ' = ...'))
    single = name not in ('split_axis', 'broadcast', 'tree_lstm', 'dropout', 'gaussian', 'rrelu', 'identity', 'forget',
                          'precision', 'recall', 'f1_score', 'classification_summary')
    return 'def %s(%s) -> %s' % (name, ', '.join(parts), 'Variable' if single else 'Any')


def quoted(text, indent):
    text = text.replace('\\', '\\\\').replace('"""', "'''").strip()
    return '%s"""%s"""\n' % (indent, text.replace('\n', '\n' + indent)) if text else ''


def function_stub(name, function):
    text = function.__doc__ or ''
    try:
        inspect.signature(function)
        line = adapted(name, function)
    except (TypeError, ValueError):
        first, _, text = text.partition('\n')
        line = bound(name, first)
    return '%s:\n%s    ...\n' % (line, quoted(text, '    '))


def functions_stub(functions, places):
    out = HEAD + 'from chainer._core import Variable\nArrayLike = Union[Variable, numpy.ndarray]\n\n'
    for name in sorted(places):
        out += function_stub(name, getattr(functions, name))
    return out


def variable_stub(core, variable):
    out = HEAD + '\nArrayLike = Union[\'Variable\', numpy.ndarray]\nfunctions: Any\n\n'
    out += 'class Variable:\n' + quoted(variable.__doc__ or '', '    ')
    out += '    def __init__(self, data: Optional[numpy.ndarray] = ..., *, name: Optional[str] = ..., ' \
           'grad: Optional[numpy.ndarray] = ..., requires_grad: bool = ...) -> None: ...\n'
    for operator in OPERATORS:
        out += '    def __%s__(self, other: Any) -> \'Variable\': ...\n' % operator
    for operator in ('neg', 'abs'):
        out += '    def __%s__(self) -> \'Variable\': ...\n' % operator
    out += '    def __len__(self) -> int: ...\n    def __getitem__(self, slices: Any) -> \'Variable\': ...\n' \
           '    def __iter__(self) -> Iterator[\'Variable\']: ...\n'
    kinds = {'array': 'Optional[numpy.ndarray]', 'data': 'Optional[numpy.ndarray]', 'grad': 'Optional[numpy.ndarray]',
             'grad_var': 'Optional[\'Variable\']', 'shape': 'Tuple[int, ...]', 'ndim': 'int', 'size': 'int',
             'dtype': 'numpy.dtype', 'T': '\'Variable\'', 'name': 'Optional[str]', 'rank': 'int',
             'requires_grad': 'bool', 'label': 'str', 'xp': 'Any'}
    for name in sorted(n for n in dir(variable) if not n.startswith('_')):
        value = inspect.getattr_static(variable, name)
        kind = kinds.get(name, 'Any')
        if callable(getattr(variable, name, None)) and not isinstance(value, property):
            out += '    def %s(self, *args: Any, **kwargs: Any) -> %s: ...\n' % (
                name, '\'Variable\'' if name in ('reshape', 'transpose') else
                'None' if name.endswith('backward') or name in ('cleargrad', 'zerograd', 'unchain', 'addgrad') else 'Any')
        else:
            out += '    @property\n    def %s(self) -> %s: ...\n' % (name, kind)
            if name in ('array', 'data', 'grad', 'grad_var', 'name'):
                out += '    @%s.setter\n    def %s(self, value: %s) -> None: ...\n' % (name, name, kind)
    return out + '\ndef __getattr__(name: str) -> Any: ...\n'


def write(path, text):
    with open(path + '.new', 'w') as f:
        f.write(text)
    os.replace(path + '.new', path)


def main(folder):
    sys.path.insert(0, os.path.dirname(os.path.abspath(folder)))
    import chainer
    from chainer import _core, _places
    write(os.path.join(folder, '_core.pyi'), variable_stub(_core, chainer.Variable))
    write(os.path.join(folder, 'functions', '__init__.pyi'), functions_stub(chainer.functions, _places.PLACES))
    write(os.path.join(folder, 'py.typed'), '')


if __name__ == '__main__':
    main(*sys.argv[1:])
