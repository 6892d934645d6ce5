# SPDX-License-Identifier: MIT
"""Loads the files of interop_write with the release, and continues the training: read_ours.py FOLDER."""
import sys

from release import *

folder = sys.argv[1]
numpy.random.seed(0)
ours = numpy.load(folder + '/our_output.npz')
model = L.Classifier(MLP(8, 10))
serializers.load_npz(folder + '/our_model.npz', model)
numpy.testing.assert_allclose(model.predictor(ours['x']).array, ours['y'], rtol=1e-4, atol=1e-5)
opt = optimizers.Adam().setup(model)
serializers.load_npz(folder + '/our_optimizer.npz', opt)
assert (opt.t, opt.epoch) == (8, 2), (opt.t, opt.epoch)
assert abs(model.predictor.l1.W.update_rule.state['m']).sum() > 0
serializers.load_npz(folder + '/our_uninitialized.npz', MLP(8, 10))

import os  # noqa: E402

if os.path.exists(folder + '/our_model.h5'):
    import h5py
    model = L.Classifier(MLP(8, 10))
    serializers.load_hdf5(folder + '/our_model.h5', model)
    numpy.testing.assert_allclose(model.predictor(ours['x']).array, ours['y'], rtol=1e-4, atol=1e-5)
    opt = optimizers.Adam().setup(model)
    serializers.load_hdf5(folder + '/our_optimizer.h5', opt)
    assert (opt.t, opt.epoch) == (8, 2), (opt.t, opt.epoch)
    with h5py.File(folder + '/our_trainer.h5', 'r') as f:
        assert f['updater/iteration'][()] == 8
        assert '"main/loss"' in f['extensions/LogReport/_log'].asstr()[()]
        assert f['updater/model:main/predictor/l1/W'].compression == 'gzip'
        assert f['updater/iterator:main/is_new_epoch'].dtype == bool

records = chainer.datasets.open_pickle_dataset(folder + '/our_records.pkl')
for i in range(5):
    x, y = records[i]
    numpy.testing.assert_array_equal(x, ours['x'][i])
    assert y == i and y.dtype == numpy.int32
assert records[5]['none'] is None and records[5]['x'].dtype == numpy.float16

t = numpy.zeros(200, 'i')
model = L.Classifier(MLP(8, 10))
opt = optimizers.Adam().setup(model)
iterator = chainer.iterators.SerialIterator(chainer.datasets.TupleDataset(ours['x'], t), 50)
trainer = training.Trainer(training.StandardUpdater(iterator, opt), (3, 'epoch'), out=folder)
trainer.extend(extensions.LogReport())
trainer.extend(extensions.snapshot(filename='our_snapshot.npz'))
serializers.load_npz(folder + '/our_snapshot.npz', trainer)
assert trainer.updater.iteration == 8 and iterator.epoch == 2
trainer.run()
assert len(trainer.get_extension('LogReport').log) == 3
print('the release loads the model, the optimizer and the snapshot, and trains on')
