#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes ONNX files of PyTorch's networks, for onnx_latency.py: MobileNetV2, a transformer encoder, a language model of
LSTMs, and LSTM, GRU and RNN layers of two sizes, with random weights and dynamic batch sizes.

usage: PYTHON_WITH_TORCH_AND_ONNX onnx_models.py FOLDER
"""
import os, sys

import torch
from torch import nn


class Inverted(nn.Module):
    """The block of MobileNetV2 (Sandler et al., arXiv:1801.04381)."""

    def __init__(self, n_in, n_out, stride, wider):
        super().__init__()
        mid = n_in * wider

        def step(*convolution, **options):
            return [nn.Conv2d(*convolution, bias=False, **options), nn.BatchNorm2d(convolution[1])]

        layers = step(n_in, mid, 1) + [nn.ReLU6()] if wider > 1 else []
        layers += step(mid, mid, 3, stride=stride, padding=1, groups=mid) + [nn.ReLU6()] + step(mid, n_out, 1)
        self.layers, self.adds = nn.Sequential(*layers), stride == 1 and n_in == n_out

    def forward(self, x):
        return x + self.layers(x) if self.adds else self.layers(x)


def mobilenet_v2():
    blocks, channels = [], 32
    for wider, n_out, count, stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                        (6, 160, 3, 2), (6, 320, 1, 1)]:
        for i in range(count):
            blocks.append(Inverted(channels, n_out, stride if i == 0 else 1, wider))
            channels = n_out
    return nn.Sequential(nn.Conv2d(3, 32, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU6(), *blocks,
                         nn.Conv2d(320, 1280, 1, bias=False), nn.BatchNorm2d(1280), nn.ReLU6(),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1280, 1000))


def transformer():
    layer = nn.TransformerEncoderLayer(256, 4, 1024, dropout=0.0, batch_first=True)
    return nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10000, 200)
        self.lstm = nn.LSTM(200, 200, 2, batch_first=True)
        self.out = nn.Linear(200, 10000)

    def forward(self, words):
        return self.out(self.lstm(self.embed(words))[0])


class First(nn.Module):
    """The first result of a layer."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return self.layer(x)[0]


def main(folder):
    os.makedirs(folder, exist_ok=True)
    models = {'MobileNetV2': (mobilenet_v2(), torch.rand(2, 3, 224, 224)),
              'Transformer': (transformer(), torch.rand(2, 64, 256)),
              'LanguageModel': (LanguageModel(), torch.zeros(2, 35, dtype=torch.int64))}
    for kind in (nn.LSTM, nn.GRU, nn.RNN):
        for units in (32, 256):
            models[f'{kind.__name__}{units}'] = (First(kind(units, units, batch_first=True)), torch.rand(2, 32, units))
    for name, (model, x) in models.items():
        for module in model.modules():
            if isinstance(module, nn.BatchNorm2d):
                nn.init.uniform_(module.running_var, 0.5, 1.5)
        torch.onnx.export(model.eval(), (x,), f'{folder}/{name}.onnx', input_names=['x'], output_names=['y'],
                          dynamic_axes={'x': {0: 'batch'}}, opset_version=17, dynamo=False)


main(*sys.argv[1:])
