from chainer.links.connection.bias import Bias  # NOQA
from chainer.links.connection.bilinear import Bilinear  # NOQA
from chainer.links.connection.convolution_2d import Convolution2D  # NOQA
from chainer.links.connection.convolution_nd import Convolution1D, Convolution3D, ConvolutionND  # NOQA
from chainer.links.connection.deconvolution_2d import Deconvolution2D  # NOQA
from chainer.links.connection.embed_id import EmbedID  # NOQA
from chainer.links.connection.gru import GRU, StatefulGRU, StatelessGRU  # NOQA
from chainer.links.connection.linear import Linear  # NOQA
from chainer.links.connection.lstm import LSTM, StatelessLSTM  # NOQA
from chainer.links.connection.scale import Scale  # NOQA
from chainer.links.activation.maxout import Maxout  # NOQA
from chainer.links.activation.prelu import PReLU  # NOQA
from chainer.links.activation.swish import Swish  # NOQA
from chainer.links.loss.negative_sampling import NegativeSampling  # NOQA
from chainer.links.model.classifier import Classifier  # NOQA
from chainer.links.normalization.batch_normalization import BatchNormalization  # NOQA
from chainer.links.normalization.group_normalization import GroupNormalization  # NOQA
from chainer.links.normalization.layer_normalization import LayerNormalization  # NOQA
