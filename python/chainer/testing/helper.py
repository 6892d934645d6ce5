# SPDX-License-Identifier: MIT
import contextlib
import importlib.metadata
import re
import sys
import unittest
from unittest import mock
import warnings


def _numbers(version, count):
    """Returns the leading numbers of a version: 1.22.4rc1 -> (1, 22, 4)."""
    found = [int(n) for n in re.match(r'\d+(?:\.\d+)*', version).group().split('.')]
    return tuple((found + [0] * count)[:count])


def _holds(version, operator, wanted):
    prefix = wanted.endswith('.*')
    wanted = wanted[:-2] if prefix else wanted
    count = wanted.count('.') + 1 if prefix else max(version.count('.'), wanted.count('.')) + 1
    a, b = _numbers(version, count), _numbers(wanted, count)
    if operator == '~=':
        return a >= b and a[:wanted.count('.')] == b[:wanted.count('.')]
    return {'==': a == b, '!=': a != b, '>=': a >= b, '<=': a <= b, '>': a > b, '<': a < b}[operator]


def _is_there(requirement):
    """Returns True if a package is installed in a version that satisfies a requirement such as `numpy>=1.14,<2`."""
    name, conditions = re.match(r'\s*([\w.-]+)\s*(?:\[[^]]*\])?\s*\(?([^)]*)\)?\s*$', requirement).groups()
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return all([_holds(version, *re.match(r'\s*(==|!=|>=|<=|>|<|~=)\s*(\S+)\s*$', c).groups())
                for c in conditions.split(',') if c.strip()])


def with_requires(*requirements):
    """Runs a test only if the packages are installed."""
    return unittest.skipIf(not all([_is_there(r) for r in requirements]), 'requires: {}'.format(','.join(requirements)))


def without_requires(*requirements):
    """Runs a test only if one of the packages is missing."""
    return unittest.skipIf(all([_is_there(r) for r in requirements]), 'requires: {}'.format(','.join(requirements)))


@contextlib.contextmanager
def assert_warns(expected):
    """Raises AssertionError unless the block emits a warning of the class."""
    for m in list(sys.modules.values()):
        if hasattr(m, '__warningregistry__'):
            m.__warningregistry__ = {}
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter('always')
        yield
    if any(isinstance(m.message, expected) for m in w):
        return
    raise AssertionError('%s was not triggerred' % getattr(expected, '__name__', expected))


def patch(target, *args, **kwargs):
    """mock.patch() with a mock that wraps the object."""
    return mock.patch(target, *args, **kwargs)


def run_module(name, file):
    """Runs the tests of a file if it is the main program."""
    if name == '__main__':
        import pytest
        pytest.main([file, '-vvs', '-x', '--pdb'])
