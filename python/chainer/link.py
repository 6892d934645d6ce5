from __future__ import absolute_import

import collections
import collections.abc
import contextlib
import copy
import warnings

import numpy

from chainer import initializers
from chainer import link_hook
from chainer import variable
from chainer.backends import cuda


def _is_shape(value):
    if value is None or isinstance(value, (int, numpy.integer)):
        return True
    return isinstance(value, (tuple, list)) and all([isinstance(v, (int, numpy.integer)) for v in value])


class Link(object):
    """Parameters with a computation on them. Parameters are attributes that are set in init_scope()."""

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
        return cuda.DummyDevice

    @property
    def xp(self):
        return numpy

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
        for hook in hooks:
            hook.forward_preprocess(before)
        out = forward(*args, **kwargs)
        after = link_hook._ForwardPostprocessCallbackArgs(self, 'forward', args, kwargs, out)
        for hook in hooks:
            hook.forward_postprocess(after)
        return out

    def _find_forward(self):
        forward = getattr(self, 'forward', None)
        if forward is None:
            # A mixin may define __call__ behind this class.
            forward = super(Link, self).__call__
        return forward

    def __setattr__(self, name, value):
        if self.within_init_scope and isinstance(value, variable.Parameter):
            value.name = name
            self._params.add(name)
            self._persistent.discard(name)
        super(Link, self).__setattr__(name, value)

    def __delattr__(self, name):
        self._params.discard(name)
        self._persistent.discard(name)
        super(Link, self).__delattr__(name)

    def add_param(self, name, shape=None, dtype=numpy.float32, initializer=None):
        """Registers a new parameter; with initializer None it is NaN at first."""
        if name in self.__dict__:
            raise AttributeError('cannot register a new parameter %s: attribute exists' % name)
        if initializer is None:
            initializer = initializers.NaN(dtype)
        param = variable.Parameter(initializer, shape)
        with self.init_scope():
            setattr(self, name, param)

    def add_persistent(self, name, value):
        """Registers a value that is saved along with the parameters."""
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
        """A copy: of the structure alone ('share'), with parameters ('copy'), or with new ones ('init')."""
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
                param.array = initializers.generate_array(param.initializer, param.shape, numpy)
                param.grad = numpy.full_like(param.array, numpy.nan)
            return ret
        raise ValueError('The \'mode\' argument should be either \'init\',\'copy\', or \'share\'. But {} was given.'
                         .format(mode))

    def to_cpu(self):
        return self

    def to_gpu(self, device=None):
        cuda.check_cuda_available()

    def to_intel64(self):
        from chainer.backends import intel64
        intel64.check_ideep_available()

    def params(self, include_uninit=True):
        """The parameters of this link and those below it."""
        d = self.__dict__
        for name in sorted(self._params):
            if include_uninit or d[name].array is not None:
                yield d[name]

    def namedparams(self, include_uninit=True):
        """Pairs of paths and parameters."""
        d = self.__dict__
        for name in sorted(self._params):
            if include_uninit or d[name].array is not None:
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
                if isinstance(d, numpy.ndarray) and isinstance(s, numpy.ndarray):
                    d[...] = s
                else:
                    dst[name] = copy.deepcopy(s)

    def cleargrads(self):
        for param in self.params():
            param.cleargrad()

    def zerograds(self):
        warnings.warn('Link.zerograds is deprecated. Use Link.cleargrads instead.', DeprecationWarning)
        for param in self.params():
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                param.zerograd()

    def addgrads(self, link):
        """Adds another link's gradients to these."""
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

    def count_params(self):
        """The number of all elements; parameters that wait for a shape are a warning."""
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


class Chain(Link):
    """A link with child links, which are attributes that are set in init_scope()."""

    def __init__(self, **links):
        super(Chain, self).__init__()
        self._children = set()
        for name, link in links.items():
            self.add_link(name, link)

    def __str__(self):
        text = ',\n'.join(['  ({}): {}'.format(c.name, str(c).replace('\n', '\n  ')) for c in self.children()])
        return self.__class__.__name__ + '(\n' + text + ',\n)' if text else self.__class__.__name__ + '()'

    def __getitem__(self, name):
        return getattr(self, name)

    def __setattr__(self, name, value):
        if self.within_init_scope and isinstance(value, Link):
            if hasattr(self, name):
                raise AttributeError('cannot register a new link %s: attribute exists' % name)
            value.name = name
            self._children.add(name)
        super(Chain, self).__setattr__(name, value)

    def __delattr__(self, name):
        self._children.discard(name)
        super(Chain, self).__delattr__(name)

    def add_link(self, name, link):
        if name in self.__dict__:
            raise AttributeError('cannot register a new link %s: attribute exists' % name)
        if not isinstance(link, Link):
            raise TypeError('cannot register a non-link object as a child')
        with self.init_scope():
            setattr(self, name, link)

    def copy(self, mode='share'):
        if mode != 'share':
            return super(Chain, self).copy(mode)
        ret = super(Chain, self).copy()
        ret._children = set(ret._children)
        d = ret.__dict__
        for name in ret._children:
            copied = d[name].copy(mode)
            copied.name = name
            d[name] = copied
        return ret

    def children(self):
        d = self.__dict__
        for name in sorted(self._children):
            yield d[name]

    def params(self, include_uninit=True):
        for p in super(Chain, self).params(include_uninit):
            yield p
        d = self.__dict__
        for name in sorted(self._children):
            for p in d[name].params(include_uninit):
                yield p

    def namedparams(self, include_uninit=True):
        for item in super(Chain, self).namedparams(include_uninit):
            yield item
        d = self.__dict__
        for name in sorted(self._children):
            for path, p in d[name].namedparams(include_uninit):
                yield '/' + name + path, p

    def links(self, skipself=False):
        if not skipself:
            yield self
        d = self.__dict__
        for name in sorted(self._children):
            for link in d[name].links():
                yield link

    def namedlinks(self, skipself=False):
        if not skipself:
            yield '/', self
        d = self.__dict__
        for name in sorted(self._children):
            child = d[name]
            prefix = '/' + name
            yield prefix, child
            for path, link in child.namedlinks(True):
                yield prefix + path, link

    def copyparams(self, link, copy_persistent=True):
        super(Chain, self).copyparams(link, copy_persistent)
        src, dst = link.__dict__, self.__dict__
        for name in self._children:
            dst[name].copyparams(src[name], copy_persistent)

    def addgrads(self, link):
        super(Chain, self).addgrads(link)
        src, dst = link.__dict__, self.__dict__
        for name in self._children:
            dst[name].addgrads(src[name])

    def serialize(self, serializer):
        super(Chain, self).serialize(serializer)
        d = self.__dict__
        for name in self._children:
            d[name].serialize(serializer[name])


class ChainList(Link, collections.abc.MutableSequence):
    """A link with a list of child links."""

    def __init__(self, *links):
        super(ChainList, self).__init__()
        self._children = []
        for link in links:
            self.add_link(link)

    def __str__(self):
        text = ',\n'.join(['  ({}): {}'.format(i, str(c).replace('\n', '\n  ')) for i, c in enumerate(self)])
        return self.__class__.__name__ + '(\n' + text + ',\n)' if text else self.__class__.__name__ + '()'

    def __setattr__(self, name, value):
        if self.within_init_scope and isinstance(value, Link):
            raise TypeError('cannot register a new link within a "with chainlist.init_scope():" block.')
        super(ChainList, self).__setattr__(name, value)

    def __setitem__(self, index, value):
        if isinstance(index, slice):
            self._children[index] = list(value)
        else:
            self._children[index] = value
        self._rename()

    def __getitem__(self, index):
        return self._children[index]

    def __delitem__(self, index):
        del self._children[index]
        self._rename()

    def __len__(self):
        return len(self._children)

    def __iter__(self):
        return iter(self._children)

    def _rename(self):
        for i, c in enumerate(self._children):
            c.name = str(i)

    def insert(self, index, link):
        """Puts a link before a position."""
        if index == len(self._children):
            self._children.append(link)
            link.name = str(index)
        else:
            self._children.insert(index, link)
            self._rename()

    def add_link(self, link):
        self.append(link)

    def copy(self, mode='share'):
        if mode != 'share':
            return super(ChainList, self).copy(mode)
        ret = super(ChainList, self).copy()
        ret._children = list(ret._children)
        for i, child in enumerate(ret._children):
            child = child.copy(mode)
            child.name = str(i)
            ret._children[i] = child
        return ret

    def children(self):
        for child in self._children:
            yield child

    def params(self, include_uninit=True):
        for p in super(ChainList, self).params(include_uninit):
            yield p
        for link in self._children:
            for p in link.params(include_uninit):
                yield p

    def namedparams(self, include_uninit=True):
        for item in super(ChainList, self).namedparams(include_uninit):
            yield item
        for i, link in enumerate(self._children):
            for path, p in link.namedparams(include_uninit):
                yield '/%d' % i + path, p

    def links(self, skipself=False):
        if not skipself:
            yield self
        for child in self._children:
            for link in child.links():
                yield link

    def namedlinks(self, skipself=False):
        if not skipself:
            yield '/', self
        for i, child in enumerate(self._children):
            prefix = '/%d' % i
            yield prefix, child
            for path, link in child.namedlinks(True):
                yield prefix + path, link

    def copyparams(self, link, copy_persistent=True):
        super(ChainList, self).copyparams(link, copy_persistent)
        for mine, other in zip(self._children, link._children):
            mine.copyparams(other, copy_persistent)

    def addgrads(self, link):
        super(ChainList, self).addgrads(link)
        for mine, other in zip(self._children, link._children):
            mine.addgrads(other)

    def serialize(self, serializer):
        super(ChainList, self).serialize(serializer)
        for i, child in enumerate(self._children):
            child.serialize(serializer['%d' % i])
