# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import collections
import threading

_thread = threading.local()


def _get_link_hooks():
    hooks = getattr(_thread, 'hooks', None)
    if hooks is None:
        hooks = _thread.hooks = collections.OrderedDict()
    return hooks


class _ForwardPreprocessCallbackArgs(object):
    """The arguments of a hook before a link's forward."""

    def __init__(self, link, forward_name, args, kwargs):
        self.link, self.forward_name, self.args, self.kwargs = link, forward_name, args, kwargs


class _ForwardPostprocessCallbackArgs(object):
    """The arguments of a hook after a link's forward. The call returns `out`, which a hook may replace."""

    def __init__(self, link, forward_name, args, kwargs, out):
        self.link, self.forward_name, self.args, self.kwargs, self.out = link, forward_name, args, kwargs, out


class LinkHook(object):
    """Callbacks around each call of a link, within a with statement or for one link (add_hook)."""

    name = 'LinkHook'

    def __enter__(self):
        hooks = _get_link_hooks()
        if self.name in hooks:
            raise KeyError('hook %s already exists' % self.name)
        hooks[self.name] = self
        self.added(None)
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        hooks = _get_link_hooks()
        hooks[self.name].deleted(None)
        del hooks[self.name]

    def added(self, link):
        pass

    def deleted(self, link):
        pass

    def forward_preprocess(self, args):
        pass

    def forward_postprocess(self, args):
        pass

    def forward_aborted(self, args):
        """Is called instead of forward_postprocess() if forward() raises an exception; not in the release."""
