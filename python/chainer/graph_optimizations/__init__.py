"""Static graphs: what calls them may stay; every call defines the graph anew, which gives the same values."""
from chainer.graph_optimizations.static_graph import static_graph  # NOQA
from chainer.graph_optimizations.static_graph_utilities import static_code  # NOQA
