# SPDX-License-Identifier: MIT
"""Converts the release's NPZ files in ../data to HDF5 with the release, and writes one of each kind of value.

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
    f.create_dataset('shuffled', data=numpy.arange(60, dtype='>i2').reshape(6, 10), chunks=(4, 4), compression='gzip',
                     shuffle=True)
    part = f.create_dataset('part', (4, 5), 'f', chunks=(2, 2), fillvalue=0.5)
    part[0:2, 0:2] = 1
    f.create_dataset('unwritten', (3,), 'd', fillvalue=2.5)
    f.create_dataset('unsigned', data=numpy.array([2 ** 64 - 1, 5], numpy.uint64))
    f.create_dataset('checked', data=numpy.arange(4), chunks=(2,), fletcher32=True)
    f['linked'] = h5py.SoftLink('/half')
for name, version in (('links.h5', None), ('links_latest.h5', 'latest')):
    with h5py.File(folder + name, 'w', libver=version, userblock_size=512) as f:
        f['x'] = numpy.arange(1, 5, dtype='f')
        f['soft'] = h5py.SoftLink('/x')
        f['dangling'] = h5py.SoftLink('/nowhere')
        f['external'] = h5py.ExternalLink('other.h5', '/y')
        f['g/hard'] = f['x']
        f['g/relative'] = h5py.SoftLink('hard')
        f['g/root'] = f['/']
        f['type'] = numpy.dtype('f')
        f.create_dataset('named', dtype=f['type'], data=f['x'][()])
        f['compound'] = numpy.zeros(4, [('a', 'f'), ('b', 'f')])
with h5py.File(folder + 'values_latest.h5', 'w', libver='latest') as f:
    f['array'] = numpy.arange(6, dtype='f').reshape(2, 3)
    f['text'] = 'gr\u00fc\u00df'
    f['inner/deep/number'] = 7
    f['inner/none'] = h5py.Empty('f')
    f.create_dataset('packed', data=numpy.arange(100), chunks=(10,), compression='gzip')
    for i in range(20):
        f['many/{}'.format(i)] = i
# Enumerations, and arrays of which little was written.
with h5py.File(folder + 'kinds.h5', 'w', libver='earliest') as f:
    f.create_dataset('enum', data=numpy.array([0, 1, 42, 42], 'i1'),
                     dtype=h5py.enum_dtype({'A': 0, 'B': 1, 'C': 42}, 'i1'))
    f.create_dataset('wide', data=numpy.array([-5, 300], '>i4'), dtype=h5py.enum_dtype({'A': -5, 'B': 300}, '>i4'))
    f.create_dataset('two', data=numpy.array([1, 0], 'i1'), dtype=h5py.enum_dtype({'NO': 0, 'YES': 1}, 'i1'))
    f.create_dataset('bool', data=numpy.array([True, False, True]))
    f.create_dataset('never', (300, 100), 'f', fillvalue=1.5)
    f.create_dataset('sparse', (300, 100), 'd', chunks=(10, 10), compression='gzip')[299, 99] = 7
    f.create_dataset('huge', (2 ** 30,), 'f')
    f['dangling'] = h5py.SoftLink('/nowhere')
    f['g/external'] = h5py.ExternalLink('other.h5', '/y')
# Groups with many links as written by HDF5 2, an option of older h5py: a tree of two levels, a heap of several blocks.
with h5py.File(folder + 'many_links.h5', 'w', libver=('v108', 'v108')) as f:
    f['x'] = numpy.arange(1, 5, dtype='f')
    many = f.create_group('many')
    for i in range(300):
        many['hard{}'.format(i)] = f['x']
    many['soft'] = h5py.SoftLink('/x')
    many['l' + 600 * 'o' + 'ng'] = f['x']
