# SPDX-License-Identifier: MIT
"""Test classes generated for each set of parameters."""
import copy
import functools
import inspect
import itertools
import sys
import types

import pytest


def product(parameter):
    """Returns the dictionaries of all combinations of values."""
    if isinstance(parameter, dict):
        keys = sorted(parameter)
        values = [parameter[k] for k in keys]
        return [dict(zip(keys, vs)) for vs in itertools.product(*values)]
    if isinstance(parameter, list):
        if not all(isinstance(p, list) for p in parameter):
            raise TypeError('product() takes a list of lists of dictionaries')
        return product_dict(*parameter)
    raise TypeError('product() takes a dictionary or a list, not {}'.format(type(parameter)))


def product_dict(*parameters):
    """Returns the unions of one dictionary from each list, for all combinations."""
    out = []
    for dicts in itertools.product(*parameters):
        union = {}
        for d in dicts:
            union.update(d)
        out.append(union)
    return out


def _parameters_text(param):
    text = ', '.join(['{}={!r}'.format(k, v).replace('\n', ' ') for k, v in sorted(param.items())])
    return text if len(text) < 100 else text[:99] + '...'


def _guarded(method, param):
    """Adds the parameters to the message of a failure."""
    @functools.wraps(method)
    def run(self, *args, **kwargs):
        try:
            return method(self, *args, **kwargs)
        except AssertionError as e:
            raise type(e)('{}\n\nParameters:\n{}'.format(e, '\n'.join(
                ['  {}: {}'.format(k, v) for k, v in sorted(param.items())]))).with_traceback(e.__traceback__) \
                from None
    return run


def make_cases(cls, params, module, suffix='param'):
    """Adds a class for each set of parameters to a module."""
    for i, param in enumerate(params):
        name = '{}_{}_{}'.format(cls.__name__, suffix, i)

        def __str__(self, _name=name, _param=param):
            return '{}.{} ({})'.format(_name, getattr(self, '_testMethodName', ''), _parameters_text(_param))
        members = {'__str__': __str__, '__module__': cls.__module__}
        members.update({k: copy.copy(v) if not callable(v) or isinstance(v, types.FunctionType) is False else v
                        for k, v in param.items()})
        for k, v in list(members.items()):
            if isinstance(v, types.FunctionType) and k != '__str__':
                members[k] = staticmethod(v)
        for k, m in inspect.getmembers(cls, predicate=inspect.isfunction):
            if k.startswith('test_'):
                members[k] = _guarded(m, param)
        made = type(str(name), (cls,), members)
        made._parameters = param
        setattr(module, name, made)


def parameterize(*params):
    """Replaces a test class by one class for each set of parameters."""
    def decorate(cls):
        module = sys.modules[cls.__module__]
        make_cases(cls, params, module)
        return None
    return decorate


def parameterize_pytest(names, values):
    return pytest.mark.parametrize(names, values)
