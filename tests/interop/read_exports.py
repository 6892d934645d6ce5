# SPDX-License-Identifier: MIT
"""Checks exported models with the published onnx and onnxruntime: read_exports.py FOLDER [FOLDER OF OPERATOR TESTS]

See onnx_export.cpp. Every file must pass onnx.checker with shape inference, and onnxruntime must compute the library's
results within 1e-5 of the largest element: for the inputs of the export, for other numbers and integers, and for other
batch lengths if the file is declared for them. Exports of operator tests are also compared with the files of the tests,
run by onnxruntime with two other batch lengths. Prints the names of rejected exports.
"""
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper


def tensors(folder, stem, what, joint="_"):
    out = []
    while (path := folder / f"{stem}{joint}{what}_{len(out)}.pb").exists():
        t = onnx.TensorProto()
        t.ParseFromString(path.read_bytes())
        out.append(numpy_helper.to_array(t))
    return out


def session_of(model):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def run(session, names, inputs):
    known = {i.name for i in session.get_inputs()}
    return session.run(None, {k: v for k, v in zip(names, inputs) if k in known})


def difference(results, expected, random, tolerance=1e-5):
    worst = 0.0
    for got, want in zip(results, expected, strict=True):
        got, want = np.asarray(got), np.asarray(want)
        if got.shape != want.shape or got.dtype != want.dtype:
            raise AssertionError(f"{got.dtype} {got.shape} instead of {want.dtype} {want.shape}")
        if random:
            continue
        if got.size and got.dtype.kind not in "biu":
            finite = np.isfinite(want.astype(float))
            if not np.array_equal(np.isfinite(got.astype(float)), finite):
                raise AssertionError("other elements are finite")
            scale = max(1.0, np.abs(want[finite].astype(float)).max(initial=0))
            worst = max(worst, np.abs(got[finite].astype(float) - want[finite].astype(float)).max(initial=0) / scale)
        elif not np.array_equal(got, want):
            raise AssertionError(f"other integers: {(got != want).sum()} of {got.size}")
        half = got.dtype.itemsize == 2 and got.dtype.kind not in "iu"
        if worst > (2e-2 if half else tolerance):
            raise AssertionError(f"off by {worst:.2g}")
    return worst


def check(folder, stem, name):
    """Returns the largest difference and the number of sets; a failure names the set."""
    model = onnx.load(folder / f"{stem}.onnx")
    onnx.checker.check_model(model, full_check=True)
    session = session_of(str(folder / f"{stem}.onnx"))
    names = [i.name for i in model.graph.input]
    worst, sets = 0.0, 0
    while (folder / f"{stem}_{sets}_output_0.pb").exists():
        inputs, expected = tensors(folder, f"{stem}_{sets}", "input"), tensors(folder, f"{stem}_{sets}", "output")
        try:
            # onnxruntime transforms lengths that are no powers of two by way of longer ones, in float32.
            tolerance = 1e-4 if "fft" in name else 1e-5
            worst = max(worst, difference(run(session, names, inputs), expected, False, tolerance))
        except Exception as e:
            raise AssertionError(f"set {sets}: {e}") from e
        sets += 1
    return worst, sets


def relaxed(model):
    """Returns the model without declared lengths."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    del model.graph.value_info[:]
    for v in [*model.graph.input, *model.graph.output]:
        for d in v.type.tensor_type.shape.dim:
            d.Clear()
    return model.SerializeToString()


def compare(folder, stem, case, inside):
    """Compares the exported file with that of the test in onnxruntime, for other numbers and two other batch lengths.
    Returns the number of runs."""
    theirs = onnx.load(case / "model.onnx")
    ours = onnx.load(folder / f"{stem}.onnx")
    try:
        original = session_of(relaxed(theirs))
    except Exception:
        return 0  # onnxruntime does not know the operator, or the element type
    exported = session_of(ours.SerializeToString() if inside else relaxed(ours))
    sets, runs = [], 0
    while (folder / f"{stem}_{len(sets)}_output_0.pb").exists():
        sets.append(tensors(folder, f"{stem}_{len(sets)}", "input"))
    if not inside:
        first = sets[0]
        for n in (2, 5):
            if first and all(a.ndim and a.shape[0] == first[0].shape[0] and a.shape[0] for a in first):
                sets.append([np.concatenate([a] * n)[:n] for a in first])
    for inputs in sets:
        try:
            want = run(original, [i.name for i in theirs.graph.input], inputs)
        except Exception:
            continue  # the model does not support these inputs
        difference(run(exported, [i.name for i in ours.graph.input], inputs), want, "random" in case.name or "bernoulli" in case.name)
        runs += 1
    return runs


def main(folder, cases=None):
    passed, refused, failed, unable, worst, sets, compared = 0, {}, [], [], 0.0, 0, 0
    for line in (folder / "names.tsv").read_text().splitlines():
        stem, name, why = line.split("\t")
        imported = name.startswith("imported")
        if why:
            refused.setdefault(why, []).append(name if imported else name.split(":")[0])
            continue
        try:
            if imported:
                # onnxruntime's results for the file of the test are not always those of onnx.
                onnx.checker.check_model(onnx.load(folder / f"{stem}.onnx"), full_check=True)
                compared += compare(folder, stem, cases / name.split()[-1], "inside" in name)
            else:
                off, n = check(folder, stem, name)
                worst, sets = max(worst, off), sets + n
            passed += 1
        except Exception as e:  # any error of the published packages
            text = f"{stem} {name}: {type(e).__name__}: {str(e).strip()[:300]}"
            # The file has passed the checker; more than three spatial axes, and no channels, are valid ONNX.
            limits = ("Unsupported pooling size", "channels must be greater than 0")
            known = any(limit in str(e) for limit in limits) or (imported and not runs_original(cases, name))
            (unable if known else failed).append(text)
    for why, names in sorted(refused.items()):
        print(f"refused ({len(names)}): {', '.join(sorted(set(names)))}: {why}")
    for u in unable:
        print("onnxruntime cannot run", u)
    for f in failed:
        print("FAILED", f)
    print(f"{passed} exported and equal within {worst:.2g} on {sets} sets of inputs, {compared} runs equal to those of the "
          f"operator tests' files, {len(failed)} failed, {len(unable)} that onnxruntime cannot run, "
          f"{sum(map(len, refused.values()))} refused")
    return bool(failed)


def runs_original(cases, name):
    """Returns True if onnxruntime runs the operator test that was imported and exported again."""
    case = cases / name.split()[-1]
    try:
        model = onnx.load(case / "model.onnx")
        onnx.checker.check_model(model, full_check=True)
        inputs = tensors(case / "test_data_set_0", "", "input", "")
        run(session_of(model.SerializeToString()), [i.name for i in model.graph.input], inputs)
        return True
    except Exception:
        return False


if __name__ == "__main__":
    sys.exit(main(*map(pathlib.Path, sys.argv[1:])))
