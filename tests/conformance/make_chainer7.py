# SPDX-License-Identifier: MIT
"""Writes functions that release 5.4.0 lacks, their gradients and a link of Chainer 7.8.1 to chainer7.npz.

make_chainer7.py FILE, in a Python with `pip install chainer==7.8.1 "numpy<1.24"`.
"""
import os
import sys
import tempfile

import chainer
import numpy
from chainer import functions as F

draw = numpy.random.RandomState(0)
out = {}
x = out['x'] = draw.normal(size=(2, 4, 5, 6)).astype('f')
rois = numpy.sort(draw.uniform(0.4, 4.4, size=(6, 2, 2)), axis=1).reshape(6, 4).astype('f')
indices = draw.randint(0, 2, 6).astype('i')
out['rois'], out['indices'] = rois, indices
for name, options in (('roi_max_pooling_2d', {}), ('roi_average_pooling_2d', {}),
                      ('roi_average_align_2d', {'sampling_ratio': (2, 3)}),
                      ('roi_max_align_2d', {'sampling_ratio': (2, 3)})):
    v = chainer.Variable(x)
    y = getattr(F, name)(v, rois, indices, (3, 2), 0.9, **options)
    gy = y.grad = draw.normal(size=y.shape).astype('f')
    y.backward()
    out[name + '/y'], out[name + '/gy'], out[name + '/gx'] = y.array, gy, v.grad

v = chainer.Variable(x.astype('d'))
mean, projection = numpy.full((2, 2), 0.5), numpy.stack([numpy.eye(2)] * 2)
y = F.decorrelated_batch_normalization(
    v, groups=2, eps=0.01, running_mean=mean, running_projection=projection, decay=0.7)
gy = y.grad = draw.normal(size=y.shape)
y.backward()
fixed = F.fixed_decorrelated_batch_normalization(x.astype('d'), mean, projection, groups=2)
for key, value in (('y', y.array), ('gy', gy), ('gx', v.grad), ('mean', mean), ('projection', projection),
                   ('fixed', fixed.array)):
    out['decorrelated/' + key] = value

link = chainer.links.DecorrelatedBatchNormalization(4, groups=2)
for _ in range(2):
    link(x, finetune=True)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'link.npz')
    chainer.serializers.save_npz(path, link)
    with numpy.load(path) as file:
        out.update({'link/' + key: file[key] for key in file.files})
with chainer.using_config('train', False):
    out['tested'] = link(x).array
numpy.savez_compressed(sys.argv[1], **out)
