# SPDX-License-Identifier: MIT
"""Classes of the nodes that backward passes of the release consist of, such as convolution_2d.Convolution2DGradW.

The library has its own nodes for gradients. These classes compute the same values for programs that import them; a
class is created when its module is first asked for it.
"""
import importlib.util
import sys

_CHAPTERS = ('activation', 'array', 'connection', 'evaluation', 'loss', 'math', 'noise', 'normalization', 'pooling',
             'theano', 'util')
# Modules that modules of functions see under these names.
_SHARED = {name: 'chainer.' + path for name, path in (
    ('argument', 'utils.argument'), ('backend', 'backend'), ('configuration', 'configuration'),
    ('conv', 'utils.conv'), ('conv_nd', 'utils.conv_nd'), ('cuda', 'backends.cuda'), ('function', 'function'),
    ('function_node', 'function_node'), ('intel64', 'backends.intel64'), ('precision', 'utils.precision'),
    ('conv_nd_kernel', 'utils.conv_nd_kernel'), ('type_check', 'utils.type_check'), ('utils', 'utils'),
    ('variable', 'variable'))}
_SHARED.update(chainer='chainer', numpy='numpy')
_ALIASES = {'_floor': 'floor', '_sum': 'sum', 'c_sum': 'sum', 'pad_module': 'pad', 'sum_mod': 'sum'}


def _shared(name):
    """The module that modules of functions import under this name, or None."""
    if name in _SHARED:
        return importlib.import_module(_SHARED[name])
    plain = _ALIASES.get(name, name)
    for chapter in _CHAPTERS:
        found = sys.modules.get('chainer.functions.%s.%s' % (chapter, plain))
        if found is not None:
            return found
    return None


def find(module, name):
    """Returns what the module of functions has under this name in the release; raises AttributeError."""
    parts = module.__name__.split('.')[2:]
    if len(parts) == 2 and parts[0] in _CHAPTERS and not name.startswith('__'):
        value = None
        if importlib.util.find_spec('%s.%s' % (__name__, parts[0])) is not None:
            value = importlib.import_module('%s.%s' % (__name__, parts[0])).PLACES.get((parts[1], name))
        if value is None:
            value = _shared(name)
        if value is not None:
            setattr(module, name, value)
            return value
    raise AttributeError('module {} has no attribute {!r}'.format(module.__name__, name))
