# SPDX-License-Identifier: MIT
import atexit
import functools
import os
import random
import types
import unittest

import numpy

_old_python_random_state = None
_old_numpy_random_state = None


def do_setup(deterministic=True):
    """Sets a fixed seed, or with False a new seed."""
    global _old_python_random_state, _old_numpy_random_state
    if deterministic:
        return _setup_random()
    _old_python_random_state, _old_numpy_random_state = random.getstate(), numpy.random.get_state()
    random.seed()
    numpy.random.seed()


def do_teardown():
    """Restores the states saved by do_setup()."""
    _teardown_random()


def generate_seed():
    assert _old_python_random_state is not None, 'random numbers are not set up'
    return numpy.random.randint(0xffffffff)


def _setup_random():
    global _old_python_random_state, _old_numpy_random_state
    _old_python_random_state = random.getstate()
    _old_numpy_random_state = numpy.random.get_state()
    numpy.random.seed(int(os.environ.get('CHAINER_SEED', '0')))
    random.seed(0)


def _teardown_random():
    global _old_python_random_state, _old_numpy_random_state
    if _old_python_random_state is not None:
        random.setstate(_old_python_random_state)
        numpy.random.set_state(_old_numpy_random_state)
    _old_python_random_state = _old_numpy_random_state = None


def fix_random(setup_method='setUp', teardown_method='tearDown'):
    """Runs a test, or all tests of a class, with a fixed seed."""
    def decorate(impl):
        if isinstance(impl, types.FunctionType):
            @functools.wraps(impl)
            def test(*args, **kwargs):
                _setup_random()
                try:
                    impl(*args, **kwargs)
                finally:
                    _teardown_random()
            return test
        if isinstance(impl, type) and issubclass(impl, unittest.TestCase):
            setup, teardown = getattr(impl, setup_method), getattr(impl, teardown_method)

            @functools.wraps(setup)
            def set_up(self):
                _setup_random()
                setup(self)

            @functools.wraps(teardown)
            def tear_down(self):
                try:
                    teardown(self)
                finally:
                    _teardown_random()
            setattr(impl, setup_method, set_up)
            setattr(impl, teardown_method, tear_down)
            return impl
        raise ValueError('Can\'t apply fix_random to {}'.format(impl))
    return decorate


atexit.register(_teardown_random)
