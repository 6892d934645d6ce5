# SPDX-License-Identifier: MIT
import heapq
import types

import numpy

from chainer import functions as F
from chainer import link, utils, variable
from chainer.initializers import uniform
from chainer.utils import type_check


class TreeParser(object):
    """Computes the paths from the root of a tree of tuples to its words: inner nodes, and 1 for left, -1 for right."""

    def __init__(self):
        self.next_id = 0

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
            self.codes[node] = numpy.array(code, dtype=numpy.float32)
            return
        if len(node) != 2:
            raise ValueError('All internal nodes must have two child nodes')
        path += (self.next_id,)
        self.next_id += 1
        self._walk(node[0], path, code + (1,))
        self._walk(node[1], path, code + (-1,))


class BinaryHierarchicalSoftmax(link.Link):
    """The loss of words at the leaves of a binary tree: the sum of softplus(-b x W[node]) on the path to each word."""

    def __init__(self, in_size, tree, dtype=None):
        super(BinaryHierarchicalSoftmax, self).__init__()
        parser = TreeParser()
        parser.parse(tree)
        paths, codes = parser.get_paths(), parser.get_codes()
        longest = max([len(p) for p in paths.values()])
        words = max(paths) + 1
        self._paths = numpy.zeros((words, longest), numpy.int32)
        self._codes = numpy.zeros((words, longest), numpy.int8)
        for word, path in paths.items():
            self._paths[word, :len(path)] = path
            self._codes[word, :len(path)] = codes[word]
        with self.init_scope():
            self.W = variable.Parameter(uniform.Uniform(1, dtype=dtype), (parser.size(), in_size))

    @property
    def _func(self):
        """The tree as flat arrays; `begins` delimits each word's part."""
        there = self._codes != 0
        return types.SimpleNamespace(
            paths=self._paths[there], codes=self._codes[there].astype(self.W.dtype), parser_size=len(self.W.array),
            begins=numpy.concatenate([[0], numpy.cumsum(there.sum(axis=1))]).astype(numpy.int32))

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
        types = type_check.get_types((x.array, t.array, self.W.array), 'in_types', False)
        type_check.expect(
            types[0].dtype.kind == 'f', types[0].ndim == 2, types[1].dtype.kind == 'i', types[1].ndim == 1,
            types[1].shape[0] == types[0].shape[0], types[2].dtype == types[0].dtype,
            types[2].shape[1] == types[0].shape[1])
        nodes, codes = self._paths[t.array], self._codes[t.array]
        rows = F.embed_id(nodes, self.W)
        scores = F.sum(F.broadcast_to(F.expand_dims(x, 1), rows.shape) * rows, axis=2)
        losses = F.softplus(-(scores * codes.astype(x.dtype)))
        return F.sum(losses * utils.force_array((codes != 0).astype(x.dtype)))
