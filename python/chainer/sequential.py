from __future__ import absolute_import

import copy

from chainer import link


class Sequential(link.ChainList):
    """Links and functions that are called one after the other.

    Names of the links, and so paths of parameters, are the release's: the first link is 0, and each later one is put
    behind the first, so that three links are 0, 2 and 1."""

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
        self._drop(self._layers.pop(i))
        self.insert(i, layer)

    def __delitem__(self, i):
        gone = self._layers[i]
        del self._layers[i]
        for layer in gone if isinstance(gone, list) else [gone]:
            self._drop(layer)
        self._rename()

    def __iter__(self):
        return iter(self._layers)

    def __reversed__(self):
        return reversed(self._layers)

    def __contains__(self, item):
        return any([layer is item for layer in self._layers])

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
        text = ',\n'.join(['  ({}): {}'.format(i, str(layer).replace('\n', '\n  '))
                           for i, layer in enumerate(self._layers)])
        return self.__class__.__name__ + ('(\n' + text + ',\n)' if text else '()')

    def _drop(self, layer):
        """Takes a layer's link out of the children."""
        for i, child in enumerate(self._children):
            if child is layer:
                del self._children[i]
                return

    def _place(self, i):
        """Where a link before position i goes among the children: behind the first link, as in the release's files."""
        if i == 0:
            return 0
        return 1 + next((j for j in range(i) if isinstance(self._layers[j], link.Link)), 0)

    def append(self, layer):
        self.insert(len(self), layer)

    def extend(self, sequential):
        for layer in list(sequential):
            self.append(layer)

    def insert(self, i, layer):
        """Puts a callable before a position."""
        n = len(self._layers)
        if not -n <= i <= n:
            raise IndexError('Index out of range: {}'.format(i))
        if not callable(layer):
            raise TypeError('All elements of the argument should be callable. But given {} is not callable.'.format(
                layer))
        i = range(n + 1)[i] if i >= 0 else i + n
        if isinstance(layer, link.Link):
            self._children.insert(self._place(i), layer)
        self._layers.insert(i, layer)
        self._rename()

    def remove(self, layer):
        if layer not in self:
            raise ValueError('There is no layer object that is same as {}'.format(layer))
        for i, mine in enumerate(self._layers):
            if mine is layer:
                del self[i]
                return

    def remove_by_layer_type(self, type_name):
        """Removes the layers whose class or function has this name."""
        names = [getattr(layer, '__name__', None) or type(layer).__name__ for layer in self]
        for i in reversed(range(len(names))):
            if type_name in (names[i], type(self._layers[i]).__name__):
                del self[i]

    def pop(self, i=-1):
        layer = self[i]
        del self[i]
        return layer

    def clear(self):
        self._layers = []
        self._children = []

    def index(self, layer, start=None, end=None):
        places = range(len(self._layers))[slice(start, end)]
        for i in places:
            if self._layers[i] is layer:
                return i
        raise ValueError('{} is not in the layers'.format(layer))

    def count(self, layer):
        return sum([mine is layer for mine in self._layers])

    def count_by_layer_type(self, type_name):
        """How many layers are of this class or function."""
        return sum([(getattr(layer, '__name__', None) or type(layer).__name__) == type_name for layer in self])

    def copy(self, mode='share'):
        ret = Sequential()
        for layer in self:
            ret.append(layer.copy(mode) if isinstance(layer, link.Link) else copy.copy(layer))
        return ret

    def copyparams(self, link, copy_persistent=True):
        super(Sequential, self).copyparams(link, copy_persistent)

    def forward(self, *x):
        for layer in self._layers:
            x = layer(*x) if isinstance(x, tuple) else layer(x)
        return x

    def flatten(self):
        """A Sequential without Sequentials in it."""
        ret = Sequential()
        for layer in self:
            if isinstance(layer, Sequential):
                ret.extend(layer.flatten())
            else:
                ret.append(layer)
        return ret
