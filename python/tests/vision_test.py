# SPDX-License-Identifier: MIT
"""Networks for pictures: their names, layers and weights in files."""
import numpy as np
import pytest

import chainer
import chainer.links as L
from chainer.links.model.vision import googlenet, resnet, vgg


def picture():
    return np.random.RandomState(0).randint(0, 255, (3, 300, 280)).astype(np.uint8)


def test_residual_network(tmp_path):
    np.random.seed(1)
    model = L.ResNet50Layers(pretrained_model=None)
    # The sum over release 5.4.0's weights of this seed.
    assert abs(sum([float(abs(p.array).sum(dtype='d')) for p in model.params()]) - 840093.8669) < 0.01
    assert model.available_layers == ['conv1', 'pool1', 'res2', 'res3', 'res4', 'res5', 'pool5', 'fc6', 'prob']
    assert dict(model.namedparams())['/res4/b5/conv2/W'].shape == (256, 256, 3, 3)
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        x = np.zeros((1, 3, 224, 224), 'f')
        found = model(x, layers=['pool5', 'prob'])
        assert found['pool5'].shape == (1, 2048) and abs(found['prob'].array.sum() - 1) < 1e-4
        path = str(tmp_path / 'weights.npz')
        chainer.serializers.save_npz(path, model, compression=False)
        again = L.ResNet50Layers(pretrained_model=path)
        assert np.array_equal(again(x, layers=['res2'])['res2'].array, model(x, layers=['res2'])['res2'].array)


def test_googlenet():
    np.random.seed(1)
    model = L.GoogLeNet(pretrained_model=None)
    assert abs(sum([float(abs(p.array).sum(dtype='d')) for p in model.params()]) - 329738.1434) < 0.01
    with chainer.using_config('train', False), chainer.no_backprop_mode():
        x = np.zeros((1, 3, 224, 224), 'f')
        found = model(x, layers=['loss1_fc2', 'pool5', 'loss2_fc2'])
        assert sorted(found) == ['loss1_fc2', 'loss2_fc2', 'pool5']
        assert np.array_equal(model(x, layers=['loss2_fc2'])['loss2_fc2'].array, found['loss2_fc2'].array)


def test_pictures():
    pytest.importorskip('PIL')
    # Values of release 5.4.0.
    for module, mean in ((vgg, (103.939, 116.779, 123.68)), (googlenet, (104, 117, 123)),
                         (resnet, (103.063, 115.903, 123.152))):
        plain = module.prepare(picture(), size=None)
        assert plain.shape == (3, 300, 280) and plain.dtype == np.float32
        assert np.allclose(plain, picture()[::-1].astype('f') - np.array(mean, 'f')[:, None, None])
        assert module.prepare(picture()[0]).shape == (3, 224, 224)
    with pytest.raises(ValueError, match='test argument'):
        L.GoogLeNet(pretrained_model=None).extract([picture()], test=True)


def test_prediction():
    pytest.importorskip('PIL')
    model = L.GoogLeNet(pretrained_model=None)
    y = model.predict([picture()], oversample=False)
    assert y.shape == (1, 1000) and abs(y.array.sum() - 1) < 1e-4 and y.creator is None


def test_weights_that_are_not_there(tmp_path, monkeypatch):
    monkeypatch.setattr(chainer.dataset.download, '_dataset_root', str(tmp_path))
    with pytest.raises(IOError, match='ResNet-50-model'):
        L.ResNet50Layers()
    with pytest.raises(ValueError, match='49'):
        resnet.ResNetLayers(None, 49)
