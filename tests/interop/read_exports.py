"""Checks exported models with the published onnx and onnxruntime: read_exports.py FOLDER (see onnx_export.cpp).

Every file passes onnx.checker with shape inference, and onnxruntime computes what the library did, within 1e-5 of the
largest element. Whole networks are also run on another batch where
their files allow it. Prints what was refused, by name.
"""
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper


def tensors(folder, stem, what):
    out = []
    while (path := folder / f"{stem}_{what}_{len(out)}.pb").exists():
        t = onnx.TensorProto()
        t.ParseFromString(path.read_bytes())
        out.append(numpy_helper.to_array(t))
    return out


def check(folder, stem, name):
    model = onnx.load(folder / f"{stem}.onnx")
    onnx.checker.check_model(model, full_check=True)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(folder / f"{stem}.onnx"), options, providers=["CPUExecutionProvider"])
    inputs, expected = tensors(folder, stem, "input"), tensors(folder, stem, "output")
    named = dict(zip([i.name for i in model.graph.input], inputs))
    known = {i.name for i in session.get_inputs()}
    feeds = {k: v for k, v in named.items() if k in known}
    worst = 0.0
    for got, want in zip(session.run(None, feeds), expected):
        if got.shape != want.shape or got.dtype != want.dtype:
            raise AssertionError(f"{got.dtype} {got.shape} instead of {want.dtype} {want.shape}")
        if got.size and got.dtype.kind == "f":
            finite = np.isfinite(want)
            if not np.array_equal(np.isfinite(got), finite):
                raise AssertionError("other elements are finite")
            scale = max(1.0, np.abs(want[finite]).max(initial=0))
            worst = max(worst, np.abs(got[finite].astype(float) - want[finite]).max(initial=0) / scale)
        elif not np.array_equal(got, want):
            raise AssertionError("other integers")
    if worst > 1e-5:
        raise AssertionError(f"off by {worst:.2g}")
    dynamic = any(i.type.tensor_type.shape.dim and i.type.tensor_type.shape.dim[0].dim_param for i in model.graph.input)
    if name.startswith("model ") and dynamic:
        doubled = session.run(None, {k: np.concatenate([v, v]) for k, v in feeds.items()})
        for got, want in zip(doubled, expected):
            np.testing.assert_allclose(got, np.concatenate([want, want]), atol=1e-4 * max(1, np.abs(want).max()))
    return worst


def main(folder):
    passed, refused, failed, unable, worst = 0, {}, [], [], 0.0
    for line in (folder / "names.tsv").read_text().splitlines():
        stem, name, why = line.split("\t")
        if why:
            refused.setdefault(why, []).append(name.split(":")[0])
            continue
        try:
            worst = max(worst, check(folder, stem, name))
            passed += 1
        except onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument as e:
            # The checker has passed the file by then; more than three spatial axes are valid ONNX.
            (unable if "Unsupported pooling size" in str(e) else failed).append(f"{stem} {name}: {str(e).strip()[:300]}")
        except Exception as e:  # whatever the published packages say about a file
            failed.append(f"{stem} {name}: {type(e).__name__}: {str(e).strip()[:300]}")
    for why, names in sorted(refused.items()):
        print(f"refused ({len(names)}): {', '.join(sorted(set(names)))}: {why}")
    for u in unable:
        print("onnxruntime cannot run", u)
    for f in failed:
        print("FAILED", f)
    print(f"{passed} exported and equal within {worst:.2g}, {len(failed)} failed, {len(unable)} that onnxruntime cannot run, {sum(map(len, refused.values()))} refused")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
