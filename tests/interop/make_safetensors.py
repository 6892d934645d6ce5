# SPDX-License-Identifier: MIT
"""Writes tests/data/safetensors: weights of small PyTorch and Keras models by the published safetensors package, with
inputs and outputs, for tests/serializers/safetensors_test.cpp.

usage: make_safetensors.py FOLDER      (needs torch, keras, numpy, safetensors, ml-dtypes)
"""
import os
import sys

os.environ['KERAS_BACKEND'] = 'torch'
import keras  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
from safetensors.numpy import save_file  # noqa: E402
from torch import nn  # noqa: E402

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
torch.manual_seed(0)
keras.utils.set_random_seed(0)
random = np.random.RandomState(0)


def floats(*shape):
    return random.randn(*shape).astype('f')


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)
        self.conv1 = nn.Conv1d(2, 3, 2)
        self.conv2 = nn.Conv2d(4, 6, (2, 3), groups=2)
        self.deconv2 = nn.ConvTranspose2d(3, 2, (3, 2), stride=2)
        self.bn = nn.BatchNorm2d(3)
        self.ln = nn.LayerNorm(5, eps=1e-6)
        self.gn = nn.GroupNorm(2, 4)
        self.embed = nn.Embedding(7, 3)
        self.lstm = nn.LSTM(3, 5)
        self.steps = nn.LSTM(3, 4, num_layers=2, bidirectional=True)
        self.gru = nn.GRU(3, 4, num_layers=2)
        self.rnn = nn.RNN(3, 4)
        self.block = nn.Sequential(nn.Linear(3, 2, bias=False))


model = Layers()
model.train()
model.bn(torch.from_numpy(floats(8, 3, 4, 4) * 2 + 1))  # updates the running statistics
model.eval()
weights = {k: v.detach().numpy() for k, v in model.state_dict().items()}
save_file(weights, folder + '/torch.safetensors', metadata={'format': 'pt', 'model': 'Layers'})

inputs = {'linear': floats(2, 4), 'conv1': floats(2, 2, 5), 'conv2': floats(2, 4, 4, 5), 'deconv2': floats(2, 3, 3, 2),
          'bn': floats(2, 3, 2, 2), 'ln': floats(2, 5), 'gn': floats(2, 4, 3), 'embed': np.array([1, 6, 0], dtype='i8'),
          'lstm': floats(4, 2, 3), 'steps': floats(4, 1, 3), 'gru': floats(4, 1, 3), 'rnn': floats(4, 1, 3),
          'block': floats(2, 3)}
expected = {}
for name, x in inputs.items():
    y = getattr(model, name)(torch.from_numpy(x))
    expected['x_' + name] = x
    expected['y_' + name] = np.ascontiguousarray((y[0] if isinstance(y, tuple) else y).detach().numpy())
save_file(expected, folder + '/torch_expected.safetensors')

# Keras: channels last, kernels with the input channels before the output channels.
layers = {'dense': (keras.layers.Dense(3), floats(2, 4)), 'conv': (keras.layers.Conv2D(3, (2, 3)), floats(2, 4, 5, 2)),
          'deconv': (keras.layers.Conv2DTranspose(3, (2, 3)), floats(2, 3, 4, 2)),
          'bn': (keras.layers.BatchNormalization(epsilon=2e-5), floats(2, 3)),
          'embed': (keras.layers.Embedding(7, 3), np.array([1, 6, 0], dtype='i4')),
          'lstm': (keras.layers.LSTM(5, return_sequences=True), floats(2, 4, 3))}
weights, expected = {}, {}
for name, (layer, x) in layers.items():
    layer(x)
    for w in layer.weights:
        value = floats(*w.shape) if name != 'bn' else np.abs(floats(*w.shape)) + 0.5
        w.assign(value)
        weights['%s/%s' % (name, w.name)] = value
    expected['x_' + name] = x
    expected['y_' + name] = np.ascontiguousarray(keras.ops.convert_to_numpy(layer(x, training=False)))
save_file(weights, folder + '/keras.safetensors')
save_file(expected, folder + '/keras_expected.safetensors')

# Every dtype that the package writes.
values = {name: np.arange(3).astype(name) for name in
          ('bool', 'int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64', 'float16', 'float32',
           'float64')}
values['bfloat16'] = np.array([0, 1, -2.5], dtype=ml_dtypes.bfloat16)
values['float8'] = np.array([0, 1, -2.5], dtype=ml_dtypes.float8_e4m3fn)
values['scalar'] = np.array(7, dtype='f')
values['empty'] = np.zeros((0, 3), dtype='f')
values['naïve "name"\n'] = np.ones((2, 1, 2), dtype='f')
save_file(values, folder + '/dtypes.safetensors', metadata={'a': 'first', 'b': 'ü "quoted"'})
