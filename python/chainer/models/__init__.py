# SPDX-License-Identifier: MIT
"""Networks with published weights, read from folders with config.json and model.safetensors. The release has no such
module."""
from chainer.models.bert import Bert, mean_of_tokens  # NOQA
from chainer.models.generate import generate  # NOQA
from chainer.models.gpt2 import Gpt2  # NOQA
