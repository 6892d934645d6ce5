# SPDX-License-Identifier: MIT
"""Links that contain other links."""
from __future__ import absolute_import

import collections.abc

from chainer.backends import cuda
from chainer.link import Link


class Chain(Link):
    """A link whose children are attributes set in init_scope()."""

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

    def to_cpu(self):
        super(Chain, self).to_cpu()
        for child in self.children():
            child.to_cpu()
        return self

    def to_gpu(self, device=None):
        with cuda._get_device(device):
            super(Chain, self).to_gpu()
            for child in self.children():
                child.to_gpu()
        return self

    def children(self):
        d = self.__dict__
        for name in sorted(self._children):
            yield d[name]

    def _append_params(self, include_uninit, found):
        super(Chain, self)._append_params(include_uninit, found)
        d = self.__dict__
        self._append_params_of([d[name] for name in sorted(self._children)], include_uninit, found)

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
        """Inserts a link before a position."""
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

    def to_cpu(self):
        super(ChainList, self).to_cpu()
        for child in self.children():
            child.to_cpu()
        return self

    def to_gpu(self, device=None):
        with cuda._get_device(device):
            super(ChainList, self).to_gpu()
            for child in self.children():
                child.to_gpu()
        return self

    def children(self):
        for child in self._children:
            yield child

    def _append_params(self, include_uninit, found):
        super(ChainList, self)._append_params(include_uninit, found)
        self._append_params_of(self._children, include_uninit, found)

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
