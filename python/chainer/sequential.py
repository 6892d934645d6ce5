# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import copy
import functools

from chainer import function
from chainer import link


def _name(layer):
    """Returns the name of a link's class, or of a function."""
    return type(layer).__name__ if isinstance(layer, link.Link) else layer.__name__


def _line(layer):
    """Returns the text of a layer for print()."""
    name = type(layer).__name__
    if isinstance(layer, Sequential):
        return '%s\twhich has %d layers' % (name, len(layer))
    if isinstance(layer, (link.Chain, link.ChainList)):
        kind = 'Chain' if isinstance(layer, link.Chain) else 'ChainList'
        return '%s\tThe structure behind a %s is determined at runtime.' % (name, kind)
    if isinstance(layer, link.Link):
        shapes = [p.name + (str(p.shape) if p._has_array else '(None)') + '\t'
                  for p in sorted(layer.params(), key=lambda p: p.name)]
        return name + '\t' + ''.join(shapes)
    if isinstance(layer, function.Function):
        return name
    if isinstance(layer, functools.partial):
        return repr(layer)
    if layer.__name__ == '<lambda>':
        import inspect
        try:
            return inspect.getsource(layer).strip()
        except OSError:  # typed into an interpreter
            return layer.__name__
    return layer.__name__


class Sequential(link.ChainList):
    """Links and functions that are called one after the other.

    The names of the links, and so the paths of parameters, are those of the release: the first link is 0, and each
    later link is inserted after the first, so the names of three links are 0, 2 and 1."""

    def __init__(self, *layers):
        super(Sequential, self).__init__()
        self._layers = []
        for layer in layers:
            self.append(layer)

    def __len__(self):
        return len(self._layers)

    def __reduce__(self):
        if any([getattr(layer, '__name__', None) == '<lambda>' for layer in self._layers]):
            raise ValueError('This Sequential object has at least one lambda function as its component. Lambda '
                             'function can not be pickled. Please consider to use functools.partial instead of the '
                             'lambda function or use "dill", which is an external package, to use pickle with this '
                             'object.')
        return super(Sequential, self).__reduce__()

    def __getitem__(self, i):
        return self._layers[i]

    def __setitem__(self, i, layer):
        if i >= len(self):
            raise ValueError('{} should be less than {}'.format(i, len(self)))
        if not callable(layer):
            raise ValueError('All elements of a Sequential class should be callable. But the {}-th argument is not '
                             'callable: {}'.format(i, type(layer)))
        i = range(len(self))[i]
        if self._layers[i] is not layer:
            del self[i]
            self.insert(i, layer)

    def __delitem__(self, i):
        self._drop(self._layers.pop(i))
        self._rename()

    def __iter__(self):
        return iter(self._layers)

    def __reversed__(self):
        return reversed(self._layers)

    def __contains__(self, item):
        return item in self._layers

    def __add__(self, other):
        if isinstance(other, Sequential):
            return Sequential(*(self._layers + other._layers))
        raise ValueError('add (+) operator supports only objects of Sequential class, but {} is given.'.format(
            type(other)))

    def __iadd__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError('add (+) operator supports only objects of Sequential class, but {} is given.'.format(
                type(other)))
        for layer in other:
            self.append(layer)
        return self

    def __str__(self):
        return ''.join(['%d\t%s\n' % (i, _line(layer)) for i, layer in enumerate(self._layers)])

    def _drop(self, layer):
        """Removes a layer's link from the children."""
        for i, child in enumerate(self._children):
            if child is layer:
                del self._children[i]
                return

    def _place(self, i):
        """Returns the index among the children of a link inserted before position i: after the first link, as in the
        release."""
        if i == 0:
            return 0
        return 1 + next((j for j in range(i) if isinstance(self._layers[j], link.Link)), 0)

    def append(self, layer):
        self.insert(len(self), layer)

    def extend(self, sequential):
        for layer in list(sequential):
            self.append(layer)

    def insert(self, i, layer):
        """Inserts a callable before a position."""
        if not callable(layer):
            raise ValueError('All elements of the argument should be callable. But given {} is not callable.'.format(
                layer))
        n = len(self._layers)
        i = min(i, n) if i >= 0 else max(i + n, 0)
        if isinstance(layer, link.Link):
            self._children.insert(self._place(i), layer)
        self._layers.insert(i, layer)
        self._rename()

    def remove(self, layer):
        if layer not in self:
            raise ValueError('There is no layer object that is same as {}'.format(layer))
        del self[self.index(layer)]

    def remove_by_layer_type(self, type_name):
        """Removes the layers whose class or function has this name."""
        for i in reversed(range(len(self._layers))):
            if _name(self._layers[i]) == type_name:
                del self[i]

    def pop(self, i=-1):
        layer = self[i]
        del self[i]
        return layer

    def clear(self):
        self._layers = []
        self._children = []

    def index(self, layer, start=None, end=None):
        return self._layers[start:end].index(layer)

    def count(self, layer):
        return self._layers.count(layer)

    def count_by_layer_type(self, type_name):
        """Returns the number of layers of this class or function."""
        return sum([_name(layer) == type_name for layer in self._layers])

    def copy(self, mode='share'):
        ret = Sequential()
        for layer in self:
            ret.append(layer.copy(mode) if isinstance(layer, link.Link) else copy.copy(layer))
        return ret

    def copyparams(self, link, copy_persistent=True):
        if not isinstance(link, Sequential):
            raise ValueError('Objects other than Sequential object cannot be copied to a Sequential object.')
        super(Sequential, self).copyparams(link, copy_persistent)

    def forward(self, *x):
        for layer in self._layers:
            x = layer(*x) if isinstance(x, tuple) else layer(x)
        return x

    def flatten(self):
        """Returns a Sequential without nested Sequentials."""
        ret = Sequential()
        for layer in self:
            if isinstance(layer, Sequential):
                ret.extend(layer.flatten())
            else:
                ret.append(layer)
        return ret
