from chainer.links.activation.maxout import Maxout  # NOQA
from chainer.links.activation.prelu import PReLU  # NOQA
from chainer.links.activation.simplified_dropconnect import SimplifiedDropconnect  # NOQA
from chainer.links.activation.swish import Swish  # NOQA
from chainer.links.connection.bias import Bias  # NOQA
from chainer.links.connection.bilinear import Bilinear  # NOQA
from chainer.links.connection.convolution_2d import Convolution2D  # NOQA
from chainer.links.connection.convolution_nd import Convolution1D, Convolution3D, ConvolutionND  # NOQA
from chainer.links.connection.deconvolution_2d import Deconvolution2D  # NOQA
from chainer.links.connection.deconvolution_nd import Deconvolution1D, Deconvolution3D, DeconvolutionND  # NOQA
from chainer.links.connection.deformable_convolution_2d import DeformableConvolution2D  # NOQA
from chainer.links.connection.depthwise_convolution_2d import DepthwiseConvolution2D  # NOQA
from chainer.links.connection.dilated_convolution_2d import DilatedConvolution2D  # NOQA
from chainer.links.connection.embed_id import EmbedID  # NOQA
from chainer.links.connection.gru import GRU, StatefulGRU, StatelessGRU  # NOQA
from chainer.links.connection.highway import Highway  # NOQA
from chainer.links.connection.inception import Inception  # NOQA
from chainer.links.connection.linear import Linear  # NOQA
from chainer.links.connection.local_convolution_2d import LocalConvolution2D  # NOQA
from chainer.links.connection.lstm import LSTM, StatelessLSTM  # NOQA
from chainer.links.connection.mgu import StatefulMGU, StatelessMGU  # NOQA
from chainer.links.connection.mlp_convolution_2d import MLPConvolution2D  # NOQA
from chainer.links.connection.n_step_rnn import NStepBiGRU, NStepBiLSTM, NStepBiRNNReLU, NStepBiRNNTanh  # NOQA
from chainer.links.connection.n_step_rnn import NStepGRU, NStepLSTM, NStepRNNReLU, NStepRNNTanh  # NOQA
from chainer.links.connection.parameter import Parameter  # NOQA
from chainer.links.connection.peephole import StatefulPeepholeLSTM  # NOQA
from chainer.links.connection.scale import Scale  # NOQA
from chainer.links.connection.tree_lstm import ChildSumTreeLSTM, NaryTreeLSTM  # NOQA
from chainer.links.connection.zoneoutlstm import StatefulZoneoutLSTM  # NOQA
from chainer.links.loss.black_out import BlackOut  # NOQA
from chainer.links.loss.crf1d import CRF1d  # NOQA
from chainer.links.loss.negative_sampling import NegativeSampling  # NOQA
from chainer.links.model.classifier import Classifier  # NOQA
from chainer.links.normalization.batch_normalization import BatchNormalization  # NOQA
from chainer.links.normalization.batch_renormalization import BatchRenormalization  # NOQA
from chainer.links.normalization.group_normalization import GroupNormalization  # NOQA
from chainer.links.normalization.layer_normalization import LayerNormalization  # NOQA
