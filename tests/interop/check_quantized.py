# SPDX-License-Identifier: MIT
"""Compares quantized networks with onnxruntime: check_quantized.py FOLDER. The integers of each layer differ by at
most one step from those that onnxruntime computes from the integers before that layer."""
import glob
import os
import sys

import numpy
import onnx
import onnxruntime
from onnx import numpy_helper

bad = compared = differ = 0
for file in sorted(glob.glob(os.path.join(sys.argv[1], '*.onnx'))):
    def read(name):
        with open(file[:-5] + f'_{name}.pb', 'rb') as f:
            return numpy_helper.to_array(onnx.load_tensor_from_string(f.read()))

    model = onnx.load(file)
    ours = {v.name: read(i) for i, v in enumerate(model.graph.output)}
    # Each layer is cut out of the graph, from the integers that it reads to those that it makes.
    makers = {t: n for n in model.graph.node for t in n.output}
    weights = {t.name for t in model.graph.initializer}
    ours[model.graph.input[0].name] = read('input')
    for name in [v.name for v in model.graph.output]:
        nodes, todo, inputs, seen = [], [name], set(), set()
        while todo:
            t = todo.pop()
            if t in weights or not t or t in seen:
                continue
            seen.add(t)
            if t in ours and t != name:
                inputs.add(t)
            else:
                if makers[t] not in nodes:
                    nodes.append(makers[t])
                todo += makers[t].input
        nodes.sort(key=list(model.graph.node).index)
        used = {t for n in nodes for t in n.input}
        info = [onnx.helper.make_tensor_value_info(t, onnx.helper.np_dtype_to_tensor_dtype(ours[t].dtype), ours[t].shape)
                for t in sorted(inputs)]
        out = [onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(ours[name].dtype), None)]
        graph = onnx.helper.make_graph(nodes, 'layer', info, out,
                                       [t for t in model.graph.initializer if t.name in used])
        layer = onnx.helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
        session = onnxruntime.InferenceSession(layer.SerializeToString(), providers=['CPUExecutionProvider'])
        theirs = session.run(None, {t: ours[t] for t in inputs})[0]
        difference = numpy.abs(theirs.astype(numpy.float64) - ours[name].astype(numpy.float64))
        limit = 1 if ours[name].dtype == numpy.uint8 else 1e-4 * numpy.abs(theirs).max()
        compared += difference.size
        differ += (difference > 0).sum() if limit == 1 else 0
        if theirs.shape != ours[name].shape or difference.max() > limit:
            bad += 1
            print(f'{file}: {name} ({nodes[0].op_type}): differs by {difference.max()}')
print(f'{compared} elements, {differ} integers differ by one step, {bad} arrays by more')
sys.exit(bad > 0 or compared == 0)
