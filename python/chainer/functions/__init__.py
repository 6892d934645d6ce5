# SPDX-License-Identifier: MIT
"""The functions of the C++ library under the names and in the modules of the manual."""
import ast
import copyreg
import functools
import inspect
import re
import sys
import types

from chainer import _core
from chainer import _places
from chainer.functions import _adapters
from chainer.functions import _classes
from chainer.functions import _gradients

_CHAPTERS = ('activation', 'array', 'connection', 'evaluation', 'loss', 'math', 'noise', 'normalization', 'pooling',
             'util')
# Modules without functions of the manual.
_OTHERS = ('pooling.average_pooling_nd_kernel', 'pooling.max_pooling_nd_kernel', 'pooling.pooling_2d',
           'pooling.pooling_nd', 'pooling.pooling_nd_kernel', 'theano', 'theano.theano_function')
# Functions whose module has another name, or whose chapter has another name in C++.
_MODULES = {
    'lstm': ('activation', 'lstm'), 'slstm': ('activation', 'slstm'), 'tree_lstm': ('activation', 'tree_lstm'),
    'forget': ('util', 'forget'), 'absolute': ('math', 'basic_math'), 'add': ('math', 'basic_math'),
    'matmul': ('math', 'matmul'), 'batch_matmul': ('math', 'matmul'), 'fft': ('math', 'fft'), 'ifft': ('math', 'fft'),
    'sin': ('math', 'trigonometric'), 'cos': ('math', 'trigonometric'), 'tan': ('math', 'trigonometric'),
    'arcsin': ('math', 'trigonometric'), 'arccos': ('math', 'trigonometric'), 'arctan': ('math', 'trigonometric'),
    'arctan2': ('math', 'trigonometric'), 'sinh': ('math', 'hyperbolic'), 'cosh': ('math', 'hyperbolic'),
    'exp': ('math', 'exponential'), 'log': ('math', 'exponential'), 'log2': ('math', 'exponential'),
    'log10': ('math', 'exponential'), 'expm1': ('math', 'exponential_m1'), 'log1p': ('math', 'logarithm_1p'),
    'sqrt': ('math', 'sqrt'), 'rsqrt': ('math', 'sqrt'), 'max': ('math', 'minmax'), 'min': ('math', 'minmax'),
    'argmax': ('math', 'minmax'), 'argmin': ('math', 'minmax'), 'batch_inv': ('math', 'inv'), 'inv': ('math', 'inv'),
    'batch_det': ('math', 'det'), 'det': ('math', 'det'), 'bias': ('math', 'bias'),
    'broadcast_to': ('array', 'broadcast'),
    'discriminative_margin_based_clustering_loss': ('loss', 'discriminative_loss'),
    'get_item': ('array', 'get_item'), 'sum': ('math', 'sum'), 'sum_to': ('math', 'sum'),
    'mean': ('math', 'average'), 'average': ('math', 'average'), 'embed_id': ('connection', 'embed_id'),
    'softmax_cross_entropy': ('loss', 'softmax_cross_entropy'), 'crf1d': ('loss', 'crf1d'),
    'argmax_crf1d': ('loss', 'crf1d'), 'connectionist_temporal_classification': ('loss', 'ctc'),
    'bernoulli_nll': ('loss', 'vae'), 'gaussian_nll': ('loss', 'vae'), 'gaussian_kl_divergence': ('loss', 'vae'),
    'fixed_batch_normalization': ('normalization', 'batch_normalization'),
    'fixed_batch_renormalization': ('normalization', 'batch_renormalization'),
    'normalize': ('normalization', 'l2_normalization'),
    'precision': ('evaluation', 'classification_summary'), 'recall': ('evaluation', 'classification_summary'),
    'f1_score': ('evaluation', 'classification_summary'),
    'convolution_1d': ('connection', 'convolution_nd'), 'convolution_3d': ('connection', 'convolution_nd'),
    'deconvolution_1d': ('connection', 'deconvolution_nd'), 'deconvolution_3d': ('connection', 'deconvolution_nd'),
    'average_pooling_1d': ('pooling', 'average_pooling_nd'), 'average_pooling_3d': ('pooling', 'average_pooling_nd'),
    'max_pooling_1d': ('pooling', 'max_pooling_nd'), 'max_pooling_3d': ('pooling', 'max_pooling_nd'),
    'unpooling_1d': ('pooling', 'unpooling_nd'), 'unpooling_3d': ('pooling', 'unpooling_nd'),
    'deformable_convolution_2d_sampler': ('connection', 'deformable_convolution_2d_sampler'),
    'n_step_bilstm': ('connection', 'n_step_lstm'), 'n_step_bigru': ('connection', 'n_step_gru'),
    'n_step_birnn': ('connection', 'n_step_rnn'),
}


def _found_in(module, name):
    try:
        return _classes.find(module, name)
    except AttributeError:
        return _gradients.find(module, name)


def _module(name):
    full = __name__ + '.' + name
    if full not in sys.modules:
        module = types.ModuleType(full)
        module.__path__ = []
        module.__getattr__ = functools.partial(_found_in, module)
        sys.modules[full] = module
        parent, _, last = full.rpartition('.')
        setattr(sys.modules[parent], last, module)
    return sys.modules[full]


def _fill():
    functions = {name: getattr(_core.functions, name) for name in _places.PLACES if hasattr(_core.functions, name)}
    functions.update(_adapters.functions())
    for name in _CHAPTERS + _OTHERS:
        _module(name)
    for name, function in functions.items():
        chapter = _places.PLACES.get(name, 'math')
        chapter, stem = _MODULES.get(name, (chapter if chapter != 'rnn' else 'connection', name))
        setattr(_module('%s.%s' % (chapter, stem)), name, function)
    for chapter, module, name, value in _classes.classes():
        setattr(_module('%s.%s' % (chapter, module)), name, value)
    # Last, because some functions have the names of chapters' modules.
    globals().update(functions)


_fill()


def _found(name):
    return globals()[name]


def _reduce(function):
    """Functions of the library are copied and pickled by name, like Python's."""
    if globals().get(function.__name__) is not function:
        raise TypeError('cannot pickle {!r}'.format(function))
    return _found, (function.__name__,)


copyreg.pickle(type(_core.functions.relu), _reduce)


_DEFAULTS = re.compile(r'(\w+): ([^=]*?)(?: = (.*))?$')


def _signature(function):
    """The inspect.Signature of a function of the library, from the line that its documentation begins with."""
    line = (function.__doc__ or '').split('\n', 1)[0]
    found = re.match(r'\w+\((.*)\) -> ', line)
    if not found or not (getattr(function, '__module__', None) or '').startswith('chainer.'):
        raise AttributeError('__signature__')
    parameters, depth, part = [], 0, ''
    for c in found.group(1) + ',':
        depth += (c in '([{') - (c in ')]}')
        if c != ',' or depth:
            part += c
            continue
        name, _, default = (_DEFAULTS.match(part.strip()) or re.match('(.*)()()', part.strip())).groups()
        part = ''
        if name.startswith('*') and len(name) > 1:
            kind = inspect.Parameter.VAR_KEYWORD if name.startswith('**') else inspect.Parameter.VAR_POSITIONAL
            parameters.append(inspect.Parameter(name.lstrip('*'), kind))
        elif name:
            parameters.append(inspect.Parameter(
                name, inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=inspect.Parameter.empty if default is None or default == '' else ast.literal_eval(default)))
    return inspect.Signature(parameters)


# nanobind's functions are callables that inspect.signature() has no way to read.
for _type in {type(_core.functions.relu), type(_core.Variable.backward), type(_core.Variable(None).backward)}:
    _core._set_on_type(_type, '__signature__', property(_signature))
