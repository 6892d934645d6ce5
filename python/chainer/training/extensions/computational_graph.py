# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import os

from chainer import computational_graph
from chainer import configuration
from chainer import variable
from chainer.training import extension
from chainer.training.extensions import _keep_graph
from chainer.utils import _replaced


class DumpGraph(extension.Extension):
    """Writes the graph of an observed variable once."""

    default_name = 'dump_graph'

    def __init__(self, root_name, out_name='cg.dot', variable_style=None, function_style=None):
        self._root_name, self._out_name = root_name, out_name
        self._variable_style, self._function_style = variable_style, function_style
        self._original_flag = None
        self._flag_called = False
        self._graph = _keep_graph.KeepGraph()

    def initialize(self, trainer):
        if not self._flag_called:
            self._original_flag = configuration.config.keep_graph_on_report
            self._graph.hold()

    def trigger(self, trainer):
        return not self._flag_called

    def __call__(self, trainer):
        try:
            root = trainer.observation[self._root_name]
            if not isinstance(root, variable.Variable):
                raise TypeError('root value is not a Variable')
            graph = computational_graph.build_computational_graph(
                [root], variable_style=self._variable_style, function_style=self._function_style).dump()
            with _replaced.replaced(os.path.join(trainer.out, self._out_name)) as f:
                f.write(graph)
        finally:
            self._flag_called = True
            self._graph.release()

    def finalize(self):
        self._graph.release()

    def serialize(self, serializer):
        self._original_flag = serializer('_original_flag', self._original_flag)
        self._flag_called = serializer('_flag_called', self._flag_called)


dump_graph = DumpGraph
