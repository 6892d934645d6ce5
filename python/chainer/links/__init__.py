# SPDX-License-Identifier: MIT
"""The links of the manual. A module is imported at the first access to one of its names."""
import importlib

_NAMES = {
    'activation.maxout': ('Maxout',),
    'activation.prelu': ('PReLU',),
    'activation.simplified_dropconnect': ('SimplifiedDropconnect',),
    'activation.swish': ('Swish',),
    'attention.multi_head_attention': ('AttentionCache', 'MultiHeadAttention'),
    'attention.transformer': ('TransformerDecoder', 'TransformerDecoderLayer', 'TransformerEncoder',
                              'TransformerEncoderLayer'),
    'connection.bias': ('Bias',),
    'connection.bilinear': ('Bilinear',),
    'connection.convolution_2d': ('Convolution2D',),
    'connection.convolution_nd': ('Convolution1D', 'Convolution3D', 'ConvolutionND'),
    'connection.deconvolution_2d': ('Deconvolution2D',),
    'connection.deconvolution_nd': ('Deconvolution1D', 'Deconvolution3D', 'DeconvolutionND'),
    'connection.deformable_convolution_2d': ('DeformableConvolution2D',),
    'connection.depthwise_convolution_2d': ('DepthwiseConvolution2D',),
    'connection.dilated_convolution_2d': ('DilatedConvolution2D',),
    'connection.embed_id': ('EmbedID',),
    'connection.gru': ('GRU', 'StatefulGRU', 'StatelessGRU'),
    'connection.highway': ('Highway',),
    'connection.inception': ('Inception',),
    'connection.inceptionbn': ('InceptionBN',),
    'connection.linear': ('Linear',),
    'connection.local_convolution_2d': ('LocalConvolution2D',),
    'connection.lstm': ('LSTM', 'StatelessLSTM'),
    'connection.low_rank': ('LowRank',),
    'connection.mgu': ('StatefulMGU', 'StatelessMGU'),
    'connection.mlp_convolution_2d': ('MLPConvolution2D',),
    'connection.n_step_gru': ('NStepBiGRU', 'NStepGRU'),
    'connection.n_step_lstm': ('NStepBiLSTM', 'NStepLSTM'),
    'connection.n_step_rnn': ('NStepBiRNNReLU', 'NStepBiRNNTanh', 'NStepRNNReLU', 'NStepRNNTanh'),
    'connection.parameter': ('Parameter',),
    'connection.peephole': ('StatefulPeepholeLSTM',),
    'connection.scale': ('Scale',),
    'connection.tree_lstm': ('ChildSumTreeLSTM', 'NaryTreeLSTM'),
    'connection.zoneoutlstm': ('StatefulZoneoutLSTM',),
    'loss.black_out': ('BlackOut',),
    'loss.crf1d': ('CRF1d',),
    'loss.hierarchical_softmax': ('BinaryHierarchicalSoftmax',),
    'loss.negative_sampling': ('NegativeSampling',),
    'model.averaged_model': ('AveragedModel',),
    'model.classifier': ('Classifier',),
    'model.low_rank_adaptation': ('LowRankAdaptation',),
    'model.vision.googlenet': ('GoogLeNet',),
    'model.vision.resnet': ('ResNet101Layers', 'ResNet152Layers', 'ResNet50Layers'),
    'model.vision.vgg': ('VGG16Layers', 'VGG19Layers'),
    'normalization.batch_normalization': ('BatchNormalization',),
    'normalization.batch_renormalization': ('BatchRenormalization',),
    'normalization.decorrelated_batch_normalization': ('DecorrelatedBatchNormalization',),
    'normalization.group_normalization': ('GroupNormalization',),
    'normalization.layer_normalization': ('LayerNormalization',),
    'normalization.rms_normalization': ('RMSNormalization',),
    'normalization.standard_scaler': ('StandardScaler',),
    'theano.theano_function': ('TheanoFunction',),
}
_PLACES = {name: module for module, names in _NAMES.items() for name in names}
__all__ = sorted(_PLACES)


def __getattr__(name):
    if name in _PLACES:
        value = getattr(importlib.import_module('chainer.links.' + _PLACES[name]), name)
        globals()[name] = value
        return value
    if name in ('activation', 'attention', 'caffe', 'connection', 'loss', 'model', 'normalization', 'theano'):
        return importlib.import_module('chainer.links.' + name)
    raise AttributeError('module chainer.links has no attribute {!r}'.format(name))


def __dir__():
    return sorted(list(globals()) + __all__)
