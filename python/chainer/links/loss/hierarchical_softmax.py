# SPDX-License-Identifier: MIT
import heapq
import types

import numpy

from chainer import functions as F
from chainer import link, utils, variable
from chainer.backends import cuda
from chainer.configuration import get_dtype
from chainer.functions._gradients.base import Old
from chainer.initializers import uniform
from chainer.utils import type_check


class TreeParser(object):
    """Computes the paths from the root of a tree of tuples to its words: inner nodes, and 1 for left, -1 for right."""

    def __init__(self, dtype=numpy.float32):
        self.next_id, self.dtype = 0, dtype

    def size(self):
        """The number of inner nodes."""
        return self.next_id

    def get_paths(self):
        return self.paths

    def get_codes(self):
        return self.codes

    def parse(self, tree):
        self.next_id = 0
        self.paths, self.codes = {}, {}
        self._walk(tree, (), ())

    def _walk(self, node, path, code):
        if not isinstance(node, tuple):
            self.paths[node] = numpy.array(path, dtype=numpy.int32)
            self.codes[node] = numpy.array(code, dtype=self.dtype)
            return
        if len(node) != 2:
            raise ValueError('All internal nodes must have two child nodes')
        path += (self.next_id,)
        self.next_id += 1
        self._walk(node[0], path, code + (1,))
        self._walk(node[1], path, code + (-1,))


def _paths_of(tree):
    """Returns the inner nodes and the codes of each word's path, filled up with zeros, and the number of nodes."""
    parser = TreeParser()
    parser.parse(tree)
    paths, codes = parser.get_paths(), parser.get_codes()
    shape = max(paths) + 1, max([len(p) for p in paths.values()])
    nodes, signs = numpy.zeros(shape, numpy.int32), numpy.zeros(shape, numpy.int8)
    for word, path in paths.items():
        nodes[word, :len(path)] = path
        signs[word, :len(path)] = codes[word]
    return nodes, signs, parser.size()


def _flat(nodes, signs, dtype, size):
    """The paths as flat arrays; `begins` delimits each word's part."""
    there = signs != 0
    return {'paths': nodes[there], 'codes': signs[there].astype(dtype), 'parser_size': size,
            'begins': numpy.concatenate([[0], numpy.cumsum(there.sum(axis=1))]).astype(numpy.int32)}


def _check(x, t, W):
    types = type_check.get_types((x, t, W), 'in_types', False)
    type_check.expect(
        types[0].dtype.kind == 'f', types[0].ndim == 2, types[1].dtype.kind == 'i', types[1].ndim == 1,
        types[1].shape[0] == types[0].shape[0], types[2].dtype == types[0].dtype,
        types[2].shape[1] == types[0].shape[1])


def _loss(nodes, signs, x, t, W):
    words = cuda.to_cpu(t.array)
    nodes, codes = cuda.like(nodes[words], t.array), cuda.like(signs[words], t.array)
    rows = F.embed_id(nodes, W)
    scores = F.sum(F.broadcast_to(F.expand_dims(x, 1), rows.shape) * rows, axis=2)
    losses = F.softplus(-(scores * codes.astype(x.dtype)))
    return F.sum(losses * utils.force_array((codes != 0).astype(x.dtype)))


class BinaryHierarchicalSoftmaxFunction(Old):
    """The loss of words at the leaves of a binary tree, from (x, t, W)."""

    def __init__(self, tree, dtype=None):
        self._nodes, self._signs, size = _paths_of(tree)
        self.__dict__.update(_flat(self._nodes, self._signs, get_dtype(dtype), size))

    def to_cpu(self):
        return self

    def to_gpu(self, device=None):
        cuda.check_cuda_available()
        return self

    def check_type_forward(self, in_types):
        type_check.expect(in_types.size() == 3)

    def compute(self, x, t, W):
        _check(x.array, t.array, W.array)
        return _loss(self._nodes, self._signs, x, t, W)


class BinaryHierarchicalSoftmax(link.Link):
    """The loss of words at the leaves of a binary tree: the sum of softplus(-b x W[node]) on the path to each word."""

    def __init__(self, in_size, tree, dtype=None):
        super(BinaryHierarchicalSoftmax, self).__init__()
        self._paths, self._codes, size = _paths_of(tree)
        with self.init_scope():
            self.W = variable.Parameter(uniform.Uniform(1, dtype=dtype), (size, in_size))

    @property
    def _func(self):
        """The tree as flat arrays; `begins` delimits each word's part."""
        return types.SimpleNamespace(**_flat(self._paths, self._codes, self.W.dtype, len(self.W.array)))

    @staticmethod
    def create_huffman_tree(word_counts):
        """Returns the Huffman tree of word counts; rare words have long paths."""
        if not word_counts:
            raise ValueError('Empty vocabulary')
        queue = [(count, i, word) for i, (word, count) in enumerate(word_counts.items())]
        heapq.heapify(queue)
        while len(queue) > 1:
            count1, i, left = heapq.heappop(queue)
            count2, j, right = heapq.heappop(queue)
            heapq.heappush(queue, (count1 + count2, min(i, j), (left, right)))
        return queue[0][2]

    def forward(self, x, t):
        x, t = variable.as_variable(x), variable.as_variable(t)
        _check(x.array, t.array, self.W.array)
        return _loss(self._paths, self._codes, x, t, self.W)
