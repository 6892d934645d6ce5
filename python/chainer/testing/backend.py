# SPDX-License-Identifier: MIT
"""The array types and accelerators of a test: only NumPy here."""
import collections
import functools
import inspect

import numpy

import chainer
from chainer.testing import attr


class BackendConfig(object):
    """A backend's options, as attributes and as a scope."""

    _defaults = collections.OrderedDict([
        ('use_cuda', False), ('use_cudnn', 'never'), ('cudnn_deterministic', False), ('autotune', False),
        ('use_ideep', 'never'), ('cudnn_fast_batch_normalization', False)])

    def __init__(self, params=None):
        self._params = dict(self._defaults)
        for k, v in (params or {}).items():
            if k not in self._defaults:
                raise ValueError('Parameter {} is not defined'.format(k))
            self._params[k] = v
        self._scopes = []

    def __getattr__(self, key):
        if key.startswith('_'):
            raise AttributeError(key)
        try:
            return self._params[key]
        except KeyError:
            raise AttributeError(key)

    @property
    def xp(self):
        return chainer.backends.cuda.cupy if self.use_cuda else numpy

    def __enter__(self):
        scopes = [chainer.using_config(k, self._params[k]) for k in (
            'use_cudnn', 'cudnn_deterministic', 'autotune', 'use_ideep', 'cudnn_fast_batch_normalization')]
        for s in scopes:
            s.__enter__()
        self._scopes.append(scopes)
        return self

    def __exit__(self, *info):
        for s in reversed(self._scopes.pop()):
            s.__exit__(*info)

    def __repr__(self):
        return '<BackendConfig {}>'.format(' '.join(['{}={!r}'.format(k, v) for k, v in self._params.items()]))

    def get_func_str(self):
        """The backend in a test's name."""
        return '__'.join(['{}_{}'.format(k, str(v).lower()) for k, v in self._params.items()])

    def get_pytest_marks(self):
        marks = []
        if self.use_cuda:
            marks.append(attr.gpu)
            if self.use_cudnn != 'never':
                marks.append(attr.cudnn)
        elif self.use_ideep != 'never':
            marks.append(attr.ideep)
        return marks

    def get_array(self, array):
        return chainer.backends.cuda.to_gpu(array) if self.use_cuda else array


def inject_backend_tests(method_names, params):
    """Makes a test of each method with each backend, which is passed as the last argument."""
    if not isinstance(params, list):
        raise TypeError('params must be a list of dictionaries')
    configs = [BackendConfig(p) for p in params]

    def decorate(case):
        names = method_names
        if names is None:
            names = [n for n, _ in inspect.getmembers(case, predicate=inspect.isfunction) if n.startswith('test_')]
        for name in names:
            method = getattr(case, name)
            if name in case.__dict__:
                delattr(case, name)
            else:
                setattr(case, name, None)
            for config in configs:
                @functools.wraps(method)
                def run(self, _config=config, _method=method, *args):
                    return _method(self, _config)
                run.__dict__.pop('pytestmark', None)
                for mark in list(getattr(method, 'pytestmark', [])) + [m.mark for m in config.get_pytest_marks()]:
                    run.pytestmark = getattr(run, 'pytestmark', []) + [mark]
                run.__signature__ = inspect.Signature([inspect.Parameter('self', inspect.Parameter.POSITIONAL_ONLY)])
                run.__name__ = name + '__' + config.get_func_str()
                setattr(case, run.__name__, run)
        return case
    return decorate
