# SPDX-License-Identifier: MIT
import heapq

from chainer import variable


class ComputationalGraph(object):
    """The computational graph of variables, for Graphviz."""

    def __init__(self, nodes, edges, variable_style=None, function_style=None, rankdir='TB', remove_variable=False,
                 show_name=True):
        if rankdir not in ('TB', 'BT', 'LR', 'RL'):
            raise ValueError('rankdir must be in TB, BT, LR or RL.')
        self.nodes, self.edges = nodes, edges
        self.variable_style = {'shape': 'octagon', 'fillcolor': '#E0E0E0', 'style': 'filled'} \
            if variable_style is None else variable_style
        self.function_style = {'shape': 'record', 'fillcolor': '#6495ED', 'style': 'filled'} \
            if function_style is None else function_style
        self.rankdir, self.remove_variable, self.show_name = rankdir, remove_variable, show_name

    def _label(self, node):
        label = node.label
        if self.show_name and isinstance(node, variable.VariableNode) and node.name is not None:
            label = node.name + ': ' + label
        return label

    def _to_dot(self):
        lines = ['digraph graphname{rankdir=%s;' % self.rankdir]
        for node in self.nodes:
            is_variable = isinstance(node, variable.VariableNode)
            if is_variable and self.remove_variable:
                continue
            style = dict(self.variable_style if is_variable else self.function_style)
            style.setdefault('label', self._label(node))
            lines.append('%s [%s];' % (id(node), ','.join(['%s="%s"' % (k, style[k]) for k in sorted(style)])))
        for head, tail in self.edges:
            lines.append('%s -> %s;' % (id(head), id(tail)))
        lines.append('}')
        return '\n'.join(lines)

    def dump(self, format='dot'):
        if format == 'dot':
            return self._to_dot()
        raise NotImplementedError('Currently, only dot format is supported.')


def build_computational_graph(outputs, remove_split=True, variable_style=None, function_style=None, rankdir='TB',
                              remove_variable=False, show_name=True):
    """Returns the graph from which the outputs were computed."""
    if not remove_split:
        raise ValueError('remove_split=False is not supported anymore')
    nodes, edges, heap, seen, count = [], [], [], set(), [0]
    kept = []

    def push(node):
        if id(node) in seen:
            return
        seen.add(id(node))
        kept.append(node)
        nodes.append(node)
        heapq.heappush(heap, (-node.rank, count[0], node))
        count[0] += 1

    for o in outputs:
        push(o.node if isinstance(o, variable.Variable) else o)
    while heap:
        _, _, node = heapq.heappop(heap)
        if isinstance(node, variable.VariableNode):
            creator = node.creator_node
            if creator is not None:
                kept.append(creator)
                edges.append((creator, node))
                push(creator)
        else:
            for x in node.inputs or ():
                kept.append(x)
                edges.append((x, node))
                push(x)
    if remove_variable:
        makers = {id(tail): head for head, tail in edges if isinstance(tail, variable.VariableNode)}
        edges = [(makers[id(head)], tail) for head, tail in edges
                 if isinstance(head, variable.VariableNode) and id(head) in makers]
    return ComputationalGraph(nodes, edges, variable_style, function_style, rankdir, remove_variable, show_name)
