# SPDX-License-Identifier: MIT
"""Writes the operator tests of the published onnx package as files: FOLDER/<case>/model.onnx with test_data_set_<n>/.

Run with the Python of a virtual environment that has onnx: onnx_data.py FOLDER
"""
import pathlib
import sys
import warnings

import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases


def tensor(value, declared):
    kind = declared.type.WhichOneof("value")
    if kind == "sequence_type":
        return numpy_helper.from_list(value, declared.name)
    if kind == "optional_type":
        return numpy_helper.from_optional(value, declared.name)
    if kind == "map_type":
        return numpy_helper.from_dict(value, declared.name)
    return value if isinstance(value, onnx.TensorProto) else numpy_helper.from_array(value, declared.name)


def main(folder):
    warnings.simplefilter("ignore")
    for case in collect_testcases(None):
        path = folder / case.name
        path.mkdir(parents=True, exist_ok=True)
        (path / "model.onnx").write_bytes(case.model.SerializeToString())
        (path / "tolerance").write_text(f"{case.rtol} {case.atol}\n")
        for n, (inputs, outputs) in enumerate(case.data_sets):
            at = path / f"test_data_set_{n}"
            at.mkdir(exist_ok=True)
            for what, values, declared in (("input", inputs, case.model.graph.input),
                                           ("output", outputs, case.model.graph.output)):
                for i, (value, d) in enumerate(zip(values, declared)):
                    (at / f"{what}_{i}.pb").write_bytes(tensor(value, d).SerializeToString())


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
