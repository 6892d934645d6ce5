# SPDX-License-Identifier: MIT
"""Writes cases of the operators of com.microsoft, with onnxruntime's results: FOLDER/<case>/ as onnx_data.py does.

onnx_microsoft.py FOLDER
"""
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

G = np.random.default_rng(0)


def real(*shape):
    return G.standard_normal(shape).astype(np.float32)


def cases():
    x, b = real(2, 3, 8), real(8)
    yield "gelu", "Gelu", [x], {}, 1
    yield "bias_gelu", "BiasGelu", [x, b], {}, 1
    yield "fast_gelu", "FastGelu", [x], {}, 1
    yield "fast_gelu_bias", "FastGelu", [x, b], {}, 1
    yield "quick_gelu", "QuickGelu", [x], {"alpha": 1.5}, 1
    yield "fused_matmul", "FusedMatMul", [real(2, 4, 3), real(2, 5, 4)], {"transA": 1, "transB": 1, "alpha": 0.5}, 1
    yield "skip_layer_normalization", "SkipLayerNormalization", [x, real(2, 3, 8), b, real(8), real(8)], {"epsilon": 1e-3}, 1
    yield "skip_layer_normalization_plain", "SkipLayerNormalization", [x, real(2, 3, 8), b], {}, 1
    yield "skip_layer_normalization_sum", "SkipLayerNormalization", [x, real(2, 3, 8), b, real(8)], {}, 4
    yield "skip_simplified", "SkipSimplifiedLayerNormalization", [x, real(2, 3, 8), b, real(8)], {"epsilon": 1e-4}, 4
    words = G.integers(0, 9, (2, 3)).astype(np.int32)
    kinds, mask = np.array([[0, 0, 1], [0, 1, 1]], np.int32), np.array([[1, 1, 1], [1, 1, 0]], np.int32)
    tables = [real(9, 8), real(6, 8), real(2, 8), real(8), real(8)]
    yield "embed", "EmbedLayerNormalization", [words, kinds, *tables, mask], {"epsilon": 1e-5}, 2
    yield "embed_plain", "EmbedLayerNormalization", [words, None, tables[0], tables[1], None, *tables[3:]], {}, 2
    images, filters = real(2, 3, 6, 6), real(4, 3, 3, 3) / 3
    for activation, parameters in (("Relu", []), ("Tanh", []), ("Sigmoid", []), ("LeakyRelu", [0.2]), ("Clip", [-0.5, 0.5]), ("HardSigmoid", [0.2, 0.5])):
        yield f"fused_conv_{activation}", "FusedConv", [images, filters, real(4)], {"activation": activation, "activation_params": parameters, "pads": [1, 1, 1, 1]}, 1
    yield "fused_conv_sum", "FusedConv", [images, filters, real(4), real(2, 4, 4, 4)], {"activation": "Relu"}, 1
    W, bias = real(8, 24) / 2, real(24)
    yield "attention", "Attention", [x, W, bias], {"num_heads": 2}, 1
    yield "attention_lengths", "Attention", [x, W, bias, np.array([3, 2], np.int32)], {"num_heads": 2}, 1
    yield "attention_mask", "Attention", [x, W, bias, mask], {"num_heads": 2}, 1
    yield "attention_causal", "Attention", [x, W, bias], {"num_heads": 4, "unidirectional": 1}, 1
    yield "attention_scale", "Attention", [x, W, bias], {"num_heads": 2, "scale": 0.3}, 1
    yield "attention_bias", "Attention", [x, W, bias, None, None, real(2, 2, 3, 3)], {"num_heads": 2}, 1
    yield "attention_past", "Attention", [x, W, bias, None, real(2, 2, 2, 5, 4)], {"num_heads": 2, "unidirectional": 1}, 2
    q, k, v = real(2, 3, 8), real(2, 5, 8), real(2, 5, 8)
    yield "multi_head", "MultiHeadAttention", [q, k, v], {"num_heads": 2}, 1
    yield "multi_head_bias", "MultiHeadAttention", [q, k, v, real(24)], {"num_heads": 2}, 1
    keys = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], np.int32)
    yield "multi_head_mask", "MultiHeadAttention", [q, k, v, None, keys], {"num_heads": 2}, 1
    yield "multi_head_added", "MultiHeadAttention", [q, k, v, None, None, real(2, 2, 3, 5)], {"num_heads": 2}, 1
    yield "multi_head_wide", "MultiHeadAttention", [q, k, real(2, 5, 12)], {"num_heads": 2}, 1
    yield "multi_head_past", "MultiHeadAttention", [q, k, v, None, None, None, real(2, 2, 4, 4), real(2, 2, 4, 4)], {"num_heads": 2}, 3
    angles = G.uniform(0, 6, (10, 2)).astype(np.float32)
    co, si = np.cos(angles), np.sin(angles)
    at = np.array([[0, 1, 2], [4, 5, 6]], np.int64)
    yield "rotary", "RotaryEmbedding", [real(2, 3, 8), at, co, si], {}, 1
    yield "rotary_start", "RotaryEmbedding", [real(2, 3, 8), np.array([2], np.int64), co, si], {}, 1
    yield "rotary_interleaved", "RotaryEmbedding", [real(2, 2, 3, 4), at, co, si], {"interleaved": 1}, 1
    yield "rotary_part", "RotaryEmbedding", [real(2, 3, 16), at, co, si], {"num_heads": 2, "rotary_embedding_dim": 4}, 1


def main(folder):
    for name, op, inputs, attributes, outputs in cases():
        given = [(f"x{i}", a) for i, a in enumerate(inputs) if a is not None]
        names = [f"x{i}" if a is not None else "" for i, a in enumerate(inputs)]
        node = helper.make_node(op, names, [f"y{i}" for i in range(outputs)], domain="com.microsoft", **{k: v for k, v in attributes.items() if v != []})
        if op.startswith("Skip") and outputs == 4:
            node.output[1] = node.output[2] = ""
        results = [n for n in node.output if n]
        integers = {"EmbedLayerNormalization": {"y1"}}.get(op, set())
        graph = helper.make_graph(
            [node], "g",
            [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in given],
            [helper.make_tensor_value_info(n, TensorProto.INT32 if n in integers else TensorProto.FLOAT, None) for n in results])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=9)
        path = folder / f"microsoft_{name}"
        (path / "test_data_set_0").mkdir(parents=True, exist_ok=True)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        try:
            y = onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, dict(given))
        except Exception as e:
            print(f"{name}: onnxruntime: {str(e)[:200]}")
            continue
        (path / "model.onnx").write_bytes(model.SerializeToString())
        (path / "tolerance").write_text("1e-4 2e-6\n")
        for what, arrays in (("input", [a for _, a in given]), ("output", y)):
            for i, a in enumerate(arrays):
                (path / "test_data_set_0" / f"{what}_{i}.pb").write_bytes(numpy_helper.from_array(a, f"{what}{i}").SerializeToString())


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
