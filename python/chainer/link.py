# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import collections
import contextlib
import copy
import warnings

import numpy

from chainer import _core
from chainer import backend
from chainer import initializers
from chainer import link_hook
from chainer import variable
from chainer.backends import cuda


def _is_shape(value):
    if value is None or isinstance(value, (int, numpy.integer)):
        return True
    return isinstance(value, (tuple, list)) and all([isinstance(v, (int, numpy.integer)) for v in value])


class Link(object):
    """Parameters with a computation. Parameters are attributes set in init_scope()."""

    _local_link_hooks = None
    __init_done = False

    def __init__(self, **params):
        self._params = set()
        self._persistent = set()
        self._cpu = True
        self._device_id = None
        self._within_init_scope = False
        self.name = None
        self.__init_done = True
        for name, value in params.items():
            if _is_shape(value):
                self.add_param(name, value)
            else:
                shape, dtype = value
                self.add_param(name, shape, dtype=dtype)

    def __check_init_done(self):
        if not self.__init_done:
            raise RuntimeError('Link.__init__() has not been called.')

    @property
    def local_link_hooks(self):
        if self._local_link_hooks is None:
            self._local_link_hooks = collections.OrderedDict()
        return self._local_link_hooks

    @property
    def _n_local_link_hooks(self):
        return len(self._local_link_hooks or ())

    @property
    def _device(self):
        return cuda.get_device_from_id(self._device_id)

    @property
    def xp(self):
        """The module of the link's arrays: NumPy, or that of arrays on devices."""
        return numpy if self._cpu else cuda.cupy

    @property
    def within_init_scope(self):
        return getattr(self, '_within_init_scope', False)

    @contextlib.contextmanager
    def init_scope(self):
        """A scope in which parameters (and children of chains) are registered as attributes are set."""
        self.__check_init_done()
        old = self.within_init_scope
        self._within_init_scope = True
        try:
            yield
        finally:
            self._within_init_scope = old

    def __call__(self, *args, **kwargs):
        self.__check_init_done()
        hooks = link_hook._get_link_hooks()
        if self._local_link_hooks:
            hooks = collections.OrderedDict(hooks)
            hooks.update(self._local_link_hooks)
        elif not hooks:
            return self._find_forward()(*args, **kwargs)
        forward = self._find_forward()
        hooks = list(hooks.values())
        before = link_hook._ForwardPreprocessCallbackArgs(self, 'forward', args, kwargs)
        begun = []
        try:
            for hook in hooks:
                hook.forward_preprocess(before)
                begun.append(hook)
            out = forward(*args, **kwargs)
        except BaseException:
            for hook in reversed(begun):
                getattr(hook, 'forward_aborted', lambda args: None)(before)
            raise
        after = link_hook._ForwardPostprocessCallbackArgs(self, 'forward', args, kwargs, out)
        for hook in hooks:
            hook.forward_postprocess(after)
        return after.out

    def _find_forward(self):
        forward = getattr(self, 'forward', None)
        if forward is None:
            # A mixin may define __call__ after this class in the MRO.
            forward = super(Link, self).__call__
        return forward

    def __setattr__(self, name, value):
        if self.within_init_scope and isinstance(value, variable.Parameter):
            value.name = name
            if not self._cpu:
                value.to_gpu(self._device_id)
            self._params.add(name)
            self._persistent.discard(name)
        super(Link, self).__setattr__(name, value)

    def __delattr__(self, name):
        self._params.discard(name)
        self._persistent.discard(name)
        super(Link, self).__delattr__(name)

    def add_param(self, name, shape=None, dtype=numpy.float32, initializer=None):
        """Registers a new parameter; with initializer None its initial values are NaN."""
        if name in self.__dict__:
            raise AttributeError('cannot register a new parameter %s: attribute exists' % name)
        if initializer is None:
            initializer = initializers.NaN(dtype)
        param = variable.Parameter(initializer, shape)
        with self.init_scope():
            setattr(self, name, param)

    def add_persistent(self, name, value):
        """Registers a value that is saved with the parameters."""
        if name in self.__dict__:
            raise AttributeError('cannot register a new persistent value %s: attribute exists' % name)
        self._persistent.add(name)
        self._params.discard(name)
        super(Link, self).__setattr__(name, value)

    def register_persistent(self, name):
        """Makes an attribute persistent."""
        if not hasattr(self, name):
            raise AttributeError('cannot register non-existent attribute %s as a persistent value' % name)
        self._persistent.add(name)
        self._params.discard(name)

    def repeat(self, n_repeat, mode='init'):
        """A Sequential of copies of this link."""
        from chainer.sequential import Sequential
        ret = Sequential()
        if n_repeat <= 0:
            return ret
        if mode not in ('init', 'copy', 'share'):
            raise ValueError('The \'mode\' argument should be either \'init\',\'copy\', or \'share\'. '
                             'But {} was given.'.format(mode))
        for _ in range(n_repeat):
            ret.append(self.copy(mode))
        return ret

    def copy(self, mode='share'):
        """Returns a copy that shares the parameters ('share'), copies them ('copy') or initializes new ones
        ('init')."""
        if mode == 'share':
            ret = copy.copy(self)
            ret._params = set(self._params)
            ret._persistent = set(self._persistent)
            ret.name = None
            d = ret.__dict__
            for name in ret._params:
                d[name] = copy.copy(d[name])
                d[name].cleargrad()
            return ret
        if mode == 'copy':
            return copy.deepcopy(self)
        if mode == 'init':
            ret = copy.deepcopy(self)
            for param in ret.params(include_uninit=False):
                param.initialize(param.shape)
                param.grad = param.xp.full_like(param.array, numpy.nan)
            return ret
        raise ValueError('The \'mode\' argument should be either \'init\',\'copy\', or \'share\'. But {} was given.'
                         .format(mode))

    def to_cpu(self):
        """Copies parameters, persistent values and states to the host."""
        if not self._cpu:
            self._move(lambda v: v.to_cpu(), cuda.to_cpu, cuda.ndarray)
            self._cpu, self._device_id = True, None
        self._move_states(*self._all_states())
        return self

    def to_gpu(self, device=None):
        """Copies parameters, persistent values and states to a device, by default the current one."""
        cuda.check_cuda_available()
        if self._cpu:
            with cuda._get_device(device):
                self._move(lambda v: v.to_gpu(), cuda.to_gpu, numpy.ndarray)
                self._cpu, self._device_id = False, int(cuda.Device())
        self._move_states(*self._all_states())
        return self

    _states = ()  # attributes that are a Variable or None

    def _all_states(self):
        return [s for s in [self.__dict__.get(name) for name in self._states] if s is not None]

    def _move_states(self, *states):
        """Moves Variables to the link's device."""
        for state in states:
            state.to_cpu() if self._cpu else state.to_gpu(self._device_id)

    def _zeros(self, shape, dtype):
        """Returns zeros on the link's device."""
        with self._device:
            return self.xp.zeros(shape, dtype)

    def _move(self, move, moved, array_type):
        d = self.__dict__
        for name in self._params:
            move(d[name])
        for name in self._persistent:
            if isinstance(d[name], array_type):
                d[name] = moved(d[name])

    def to_intel64(self):
        from chainer.backends import intel64
        intel64.check_ideep_available()

    def params(self, include_uninit=True):
        """Yields the parameters of this link and its descendants."""
        found = []
        self._append_params(include_uninit, found)
        return iter(found)

    params._of_the_library = True

    def _append_params(self, include_uninit, found):
        d = self.__dict__
        for name in sorted(self._params):
            if include_uninit or d[name]._has_array:
                found.append(d[name])

    def _append_params_of(self, children, include_uninit, found):
        # A child's overridden params() is called.
        for child in children:
            if getattr(getattr(type(child), 'params', None), '_of_the_library', False):
                child._append_params(include_uninit, found)
            else:
                found.extend(child.params(include_uninit))

    def namedparams(self, include_uninit=True):
        """Yields pairs of paths and parameters."""
        d = self.__dict__
        for name in sorted(self._params):
            if include_uninit or d[name]._has_array:
                yield '/' + name, d[name]

    def links(self, skipself=False):
        if not skipself:
            yield self

    def namedlinks(self, skipself=False):
        if not skipself:
            yield '/', self

    def children(self):
        return iter(())

    def copyparams(self, link, copy_persistent=True):
        """Copies the elements of another link's parameters, and its persistent values."""
        src, dst = link.__dict__, self.__dict__
        for name in self._params:
            dst[name].copydata(src[name])
        if copy_persistent:
            for name in self._persistent:
                d, s = dst[name], src[name]
                arrays = numpy.ndarray, cuda.ndarray
                if isinstance(d, arrays) and isinstance(s, arrays):
                    backend.copyto(d, s)
                else:
                    dst[name] = copy.deepcopy(s)

    def cleargrads(self):
        _core.clear_grads(self.params(), variable.Parameter)

    def zerograds(self):
        warnings.warn('Link.zerograds is deprecated. Use Link.cleargrads instead.', DeprecationWarning)
        for param in self.params():
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                param.zerograd()

    def addgrads(self, link):
        """Adds the gradients of another link to this link's."""
        src, dst = link.__dict__, self.__dict__
        for name in self._params:
            dst[name].addgrad(src[name])

    def enable_update(self):
        for param in self.params():
            if param.update_rule is not None:
                param.update_rule.enabled = True

    def disable_update(self):
        for param in self.params():
            if param.update_rule is not None:
                param.update_rule.enabled = False

    @property
    def update_enabled(self):
        return any([p.update_rule is not None and p.update_rule.enabled for p in self.params()])

    def serialize(self, serializer):
        """Saves or loads parameters and persistent values."""
        d = self.__dict__
        for name in self._params:
            param = d[name]
            data = serializer(name, param.array)
            if param.array is None and data is not None:
                param.initialize(data.shape)
                param.array[...] = data
        for name in self._persistent:
            d[name] = serializer(name, d[name])
            if not self._cpu and isinstance(d[name], numpy.ndarray):
                d[name] = cuda.to_gpu(d[name], self._device_id)

    def count_params(self):
        """Returns the number of all elements; warns about uninitialized parameters."""
        size = 0
        for name, param in self.namedparams():
            if param.array is None:
                warnings.warn('Parameter \'{}\' has not been initialized, so the resulting count will not include '
                              'the number of parameters in it.'.format(name))
            else:
                size += param.size
        return size

    def add_hook(self, hook, name=None):
        if not isinstance(hook, link_hook.LinkHook):
            raise TypeError('Hook must be of type LinkHook')
        name = hook.name if name is None else name
        if name in self.local_link_hooks:
            raise KeyError('Hook %s already exists' % name)
        self.local_link_hooks[name] = hook
        hook.added(self)
        return self

    def delete_hook(self, name):
        if name not in self.local_link_hooks:
            raise KeyError('Hook %s does not exist' % name)
        self.local_link_hooks[name].deleted(self)
        del self.local_link_hooks[name]

    def __deepcopy__(self, memo):
        ret = self.__class__.__new__(self.__class__)
        memo[id(self)] = ret
        for k, v in self.__dict__.items():
            ret.__dict__[k] = copy.deepcopy(v, memo)
        return ret


from chainer._chains import Chain, ChainList  # NOQA (they derive from Link)
