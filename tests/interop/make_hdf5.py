"""Converts the release's NPZ files of ../data into HDF5 with the release itself, and writes one of each kind of value.

usage: make_hdf5.py FOLDER_WITH_NPZ_FILES      (needs h5py)
"""
import sys

import h5py

from release import *

folder = sys.argv[1] + '/'
model = L.Classifier(MLP(8, 10))
opt = optimizers.MomentumSGD().setup(model)
model.predictor(numpy.zeros((1, 784), 'f'))
serializers.load_npz(folder + 'release_model.npz', model)
serializers.load_npz(folder + 'release_optimizer.npz', opt)
serializers.save_hdf5(folder + 'release_model.h5', model)
serializers.save_hdf5(folder + 'release_optimizer.h5', opt)
serializers.save_hdf5(folder + 'release_uninitialized.h5', MLP(8, 10))
with h5py.File(folder + 'values.h5', 'w') as f:
    s = serializers.HDF5Serializer(f)
    s('flag', True)
    s('half', numpy.arange(6, dtype=numpy.float16).reshape(2, 3))
    s('number', 0.25)
    s('integer', 7)
    s('none', None)
    s['inner']['deep']('big', numpy.arange(3, dtype='>i4'))
    s('flags', numpy.array([True, False]))
    s('words', numpy.array([65535], numpy.uint16))
    f['text'] = 'gr\u00fc\u00df'
    f['fixed'] = numpy.bytes_(b'abc')
    f['complex'] = numpy.array([1j])
