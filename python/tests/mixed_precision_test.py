# SPDX-License-Identifier: MIT
"""Mixed precision: chainer.config.dtype = chainer.mixed16, as in release 6, but with parameters in float32."""
import pickle

import numpy as np
import pytest

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import training


class Net(chainer.Chain):

    def __init__(self):
        super(Net, self).__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(1, 4, 3, pad=1)
            self.norm = L.BatchNormalization(4)
            self.lstm = L.LSTM(4 * 16, 8)
            self.out = L.Linear(8, 3)

    def forward(self, x):
        h = F.max_pooling_2d(F.relu(self.norm(self.conv(x))), 2)
        self.lstm.reset_state()
        return self.out(self.lstm(h))


def _losses(dtype):
    np.random.seed(0)
    r = np.random.RandomState(1)
    x, t = r.randn(20, 1, 8, 8).astype('f'), r.randint(0, 3, 20).astype('i')
    out = []
    with chainer.using_config('dtype', dtype):
        net = Net()
        optimizer = chainer.optimizers.Adam(alpha=0.01).setup(net)
        if dtype is chainer.mixed16:
            optimizer.loss_scaling()
        for _ in range(20):
            loss = F.softmax_cross_entropy(net(x), t)
            net.cleargrads()
            loss.backward(loss_scale=optimizer._loss_scale)
            optimizer.update()
            assert loss.dtype == np.float32
            out.append(float(loss.array))
        if dtype is chainer.mixed16:
            assert net(x).dtype == np.float16
    assert all(p.dtype == np.float32 and p.grad.dtype == np.float32 for p in net.params())
    return np.array(out)


def test_networks_train_in_mixed_precision():
    wide = _losses(np.float32)
    assert wide[-1] < 0.7 * wide[0]
    for mode in (chainer.mixed16, chainer.mixed_bfloat16):
        narrow = _losses(mode)
        np.testing.assert_allclose(narrow, wide, atol=0.05)
        assert (narrow != wide).any()


def test_dtypes():
    assert str(chainer.mixed16) == "dtype('mixed16')"
    assert pickle.loads(pickle.dumps(chainer.mixed16)) is chainer.mixed16
    with chainer.using_config('dtype', chainer.mixed16):
        assert chainer.get_dtype() == np.float32
        assert chainer.get_dtype(map_mixed16=np.float16) == np.float16
        assert F.matmul(np.ones((2, 2), 'f'), np.ones((2, 2), 'f')).dtype == np.float16
    assert F.matmul(np.ones((2, 2), 'f'), np.ones((2, 2), 'f')).dtype == np.float32


@pytest.mark.parametrize('mode', ['mixed16', 'mixed_bfloat16'])
def test_a_trainer(mode, tmp_path):
    with chainer.using_config('dtype', getattr(chainer, mode)):
        r = np.random.RandomState(1)
        data = chainer.datasets.TupleDataset(r.randn(30, 5).astype('f'), r.randint(0, 2, 30).astype('i'))
        model = L.Classifier(L.Linear(5, 2))
        optimizer = chainer.optimizers.SGD().setup(model)
        updater = training.StandardUpdater(chainer.iterators.SerialIterator(data, 10), optimizer)
        trainer = training.Trainer(updater, (2, 'epoch'), out=str(tmp_path))
        trainer.extend(training.extensions.LogReport())
        trainer.run()
    assert model.predictor.W.dtype == np.float32


def test_arrays_of_ml_dtypes():
    """Arrays of the package's bfloat16 are inputs in 16 bits; results are shown as float32."""
    ml_dtypes = pytest.importorskip('ml_dtypes')
    wide = np.random.RandomState(0).randn(5, 4).astype('f')
    narrow = wide.astype(ml_dtypes.bfloat16)
    rounded = narrow.astype('f')
    y = F.cast(chainer.Variable(narrow), np.float32)
    np.testing.assert_array_equal(y.array, rounded)
    np.testing.assert_array_equal(F.cast(wide, 'bfloat16').array, rounded)
    np.testing.assert_array_equal(F.cast(wide, ml_dtypes.bfloat16).array, rounded)
    np.testing.assert_array_equal(F.cast(narrow[::2, ::-1].T, np.float64).array, rounded[::2, ::-1].T)
    # A product is rounded once, at its end.
    product = F.matmul(narrow, narrow, transb=True).array
    assert product.dtype == np.float32
    want = (rounded @ rounded.T).astype(ml_dtypes.bfloat16).astype('f')
    np.testing.assert_allclose(product, want, rtol=2.0 ** -7)
    # Writes to the ndarray are seen, for the memory is shared.
    x = chainer.Variable(narrow)
    narrow[0, 0] = 3
    assert F.cast(x, np.float32).array[0, 0] == 3
    for other in (ml_dtypes.float8_e4m3fn, ml_dtypes.int4):
        with pytest.raises(TypeError):
            F.relu(wide.astype(other))
