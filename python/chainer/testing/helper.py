import contextlib
import sys
import unittest
import warnings

import mock
import pkg_resources


def with_requires(*requirements):
    """Runs a test only where the packages are there."""
    message = 'requires: {}'.format(','.join(requirements))
    try:
        ok = bool(pkg_resources.require(requirements)) or True
    except pkg_resources.ResolutionError:
        ok = False
    return unittest.skipIf(not ok, message)


def without_requires(*requirements):
    """Runs a test only where one of the packages is not there."""
    try:
        pkg_resources.require(requirements)
        skip = True
    except pkg_resources.ResolutionError:
        skip = False
    return unittest.skipIf(skip, 'requires: {}'.format(','.join(requirements)))


@contextlib.contextmanager
def assert_warns(expected):
    """AssertionError unless the block gives a warning of the class."""
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
    """mock.patch() whose mock is wrapped around the object."""
    return mock.patch(target, *args, **kwargs)


def run_module(name, file):
    """Runs the tests of a file that is the main program."""
    if name == '__main__':
        import pytest
        pytest.main([file, '-vvs', '-x', '--pdb'])
