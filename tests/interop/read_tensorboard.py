#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads event files of tensorboard_write with the published tensorboard: every value must be there, once.

usage: PYTHON_WITH_TENSORBOARD read_tensorboard.py FOLDER
"""
import io, json, os, sys

import numpy as np
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

folder = sys.argv[1]
everything = {name: 0 for name in ('scalars', 'histograms', 'images', 'tensors', 'compressedHistograms')}


def load(name):
    return EventAccumulator(os.path.join(folder, name), size_guidance=everything).Reload()


run = load('run')
expected = {}
for p in json.load(open(os.path.join(folder, 'expected.json'))):
    expected.setdefault(p['tag'], {})[p['step']] = np.float32(p['value'])
compared = 0
for tag, points in expected.items():
    got = [(e.step, np.float32(e.value)) for e in run.Scalars(tag)]
    assert len(got) == len(points) and dict(got) == points, f'{tag}: {len(got)} points, {len(points)} were written'
    compared += len(got)
histograms = run.Histograms('weights')
assert [h.step for h in histograms] == list(range(10))
for h in histograms:
    v = h.histogram_value
    assert v.num == 3000 and sum(v.bucket) == 3000 and len(v.bucket_limit) == 64 and v.bucket_limit[-1] == v.max
    assert abs(v.sum_squares / v.num - (1 + 0.1 * h.step) ** 2) < 0.1 * (1 + h.step)
image, = run.Images('picture')
assert (image.step, image.height, image.width) == (3, 32, 48)
pixels = np.asarray(Image.open(io.BytesIO(image.encoded_image_string)))
assert pixels.shape == (32, 48, 3) and pixels[0, 0].tolist() == [255, 0, 0] and pixels[10, 10].tolist() == [255, 128, 0]
text, = run.Tensors('notes')
assert text.tensor_proto.string_val[0].startswith(b'# A run')
assert run.SummaryMetadata('notes').plugin_data.plugin_name == 'text'

graph = load('graph').Graph()
nodes = {n.name: n for n in graph.node}
assert len(nodes) == len(graph.node), 'names of the graph come twice'
for n in graph.node:
    for i in n.input:
        assert i.split(':')[0] in nodes, f'{n.name} reads {i}, which is not there'
linear = sorted(name for name, n in nodes.items() if n.op == 'LinearFunction')
assert linear == ['predictor/a/LinearFunction', 'predictor/a/LinearFunction_1', 'predictor/b/LinearFunction'], linear
assert {n for n in nodes if nodes[n].op == 'Parameter'} == {f'predictor/{l}/{p}' for l in 'ab' for p in 'Wb'}
assert [n for n in nodes if nodes[n].op == 'ReLU'] == ['predictor/a/ReLU', 'predictor/ReLU'], list(nodes)
loss, = (n for n in nodes.values() if n.op == 'SoftmaxCrossEntropy')
assert '/' not in loss.name and list(loss.input)[0] == 'predictor/b/LinearFunction', loss
shape = nodes['predictor/a/W'].attr['_output_shapes'].list.shape[0]
assert [d.size for d in shape.dim] == [4, 4] and nodes['predictor/a/W'].attr['dtype'].type == 1
trained = load('trained/tensorboard')
assert sum(n.op == 'LinearFunction' for n in trained.Graph().node) == 2
tags = trained.Tags()
assert [e.step for e in trained.Scalars('main/loss')] == list(range(1, 9))
assert {'main/loss', 'main/accuracy', 'hyperparameters/alpha', 'run/seconds_per_iteration'} <= set(tags['scalars']), tags
assert [h.step for h in trained.Histograms('parameters/predictor/0/W')] == [4, 8], tags
assert [h.step for h in trained.Histograms('gradients/predictor/1/b')] == [4, 8], tags
from tensorboard.plugins.hparams import plugin_data_pb2

content = trained.summary_metadata['_hparams_/session_start_info'].plugin_data.content
start = plugin_data_pb2.HParamsPluginData.FromString(content).session_start_info
assert start.hparams['units'].number_value == 8 and start.hparams['relu'].bool_value is True
assert start.hparams['name'].string_value == 'small'
content = trained.summary_metadata['_hparams_/experiment'].plugin_data.content
experiment = plugin_data_pb2.HParamsPluginData.FromString(content).experiment
assert sorted(h.name for h in experiment.hparam_infos) == ['name', 'relu', 'units']
assert 'main/loss' in [m.name.tag for m in experiment.metric_infos]
print(f'{compared} points, {len(histograms)} histograms, a picture, a text, hyperparameters and graphs are as they were written')
