# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import collections
import threading

from chainer import _core

_thread = threading.local()


def get_function_hooks():
    """This thread's hooks by name, in the order in which they were opened."""
    hooks = getattr(_thread, 'hooks', None)
    if hooks is None:
        hooks = _thread.hooks = collections.OrderedDict()
    return hooks


class FunctionHook(object):
    """Callbacks around each function, within a with statement or for one function (add_hook)."""

    name = 'FunctionHook'

    def __enter__(self):
        hooks = get_function_hooks()
        if self.name in hooks:
            raise KeyError('hook %s already exists' % self.name)
        hooks[self.name] = self
        if len(hooks) == 1:
            _core.open_hooks(hooks)
        self.added(None)
        return self

    def __exit__(self, *_):
        hooks = get_function_hooks()
        hooks[self.name].deleted(None)
        del hooks[self.name]
        if not hooks:
            _core.close_hooks()

    def added(self, function=None):
        pass

    def deleted(self, function=None):
        pass

    def forward_preprocess(self, function, in_data):
        pass

    def forward_postprocess(self, function, in_data):
        pass

    def backward_preprocess(self, function, in_data, out_grad):
        pass

    def backward_postprocess(self, function, in_data, out_grad):
        pass
