# SPDX-License-Identifier: MIT
"""Prepares ONNX files for onnx_cases: OUT/<name>/ with the file, random inputs and the outputs of onnxruntime.

real_files.py OUT FILE.onnx ...

Free lengths have other values in the second set of inputs where the file allows it. Prints files that onnxruntime
cannot run.
"""
import pathlib
import shutil
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

# Lengths of free axes that files need, by a part of their names: of each set of inputs.
LENGTHS = {
    "silero": {"batch": (1, 3), "sequence": (576, 576), "sequence_length": (7, 4), "": (1, 2)},
    "det_infer": {"p2o.DynamicDimension.0": (1, 2), "p2o.DynamicDimension.1": (64, 96), "p2o.DynamicDimension.2": (96, 64)},
    "rec_infer": {"p2o.DynamicDimension.0": (1, 3), "p2o.DynamicDimension.1": (96, 64), "?": (48, 48)},
    "cls_infer": {"?": (48, 48), "last": (192, 192)},
    "320n": {"batch": (1, 2), "height": (320, 160), "width": (320, 192)},
}


def shape_of(value, name, k):
    lengths = next((v for part, v in LENGTHS.items() if part in name), {})
    out = []
    for i, d in enumerate(value.type.tensor_type.shape.dim):
        if d.dim_value > 0:
            out.append(d.dim_value)
        elif "last" in lengths and i == 3:
            out.append(lengths["last"][k])
        else:
            symbol = d.dim_param
            if "silero" in name and value.name == "input" and i == 1 and symbol == "":
                out.append(576)
            else:
                out.append(lengths.get(symbol, (1, 2) if i == 0 else (8, 12))[k])
    return out


def random_input(value, shape, generator, k):
    kind = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
    if value.name == "sr":
        return np.array(16000, kind)
    if kind == np.bool_:
        return generator.random(shape) < 0.7
    if value.name.endswith("_1") and len(shape) == 2 and np.issubdtype(kind, np.integer):
        mask = np.ones(shape, kind)
        mask[-1, shape[1] // 2 :] = 0
        return mask
    if np.issubdtype(kind, np.integer):
        return generator.integers(1, 99, shape).astype(kind)
    return generator.standard_normal(shape).astype(kind)


def main(out, files):
    for file in map(pathlib.Path, files):
        folder = out / file.stem
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shutil.copy(file, folder / "model.onnx")
        model = onnx.load(file, load_external_data=False)
        for location in {e.value for t in model.graph.initializer for e in t.external_data if e.key == "location"}:
            shutil.copy(file.with_name(location), folder / location)
        initial = {i.name for i in model.graph.initializer}
        inputs = [v for v in model.graph.input if v.name not in initial]
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        generator = np.random.default_rng(0)
        largest = 0
        try:
            session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
            for k in range(2):
                values = [random_input(v, shape_of(v, file.name, k), generator, k) for v in inputs]
                try:
                    results = session.run(None, {v.name: a for v, a in zip(inputs, values)})
                except Exception as e:
                    if k == 0:
                        raise
                    print(f"{file.stem}: other lengths: {str(e)[:150]}")
                    continue
                at = folder / f"test_data_set_{k}"
                at.mkdir()
                for what, arrays, names in (("input", values, inputs), ("output", results, model.graph.output)):
                    for i, (a, v) in enumerate(zip(arrays, names)):
                        (at / f"{what}_{i}.pb").write_bytes(numpy_helper.from_array(np.asarray(a), v.name).SerializeToString())
                for a in results:
                    if np.asarray(a).dtype.kind == "f" and np.asarray(a).size:
                        largest = max(largest, float(np.abs(a[np.isfinite(a)]).max(initial=0)))
            (folder / "tolerance").write_text(f"1e-4 {max(largest * 2e-5, 1e-6)}\n")
        except Exception as e:
            print(f"{file.stem}: onnxruntime: {type(e).__name__}: {str(e)[:300]}")
            shutil.rmtree(folder)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
