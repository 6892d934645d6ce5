# SPDX-License-Identifier: MIT
from chainer.serializers.hdf5 import HDF5Deserializer, HDF5Serializer, load_hdf5, save_hdf5  # NOQA
from chainer.serializers.npz import DictionarySerializer, load_npz, NpzDeserializer, save_npz  # NOQA
from chainer.serializers.safetensors import load_safetensors, SafetensorsFile, save_safetensors  # NOQA
