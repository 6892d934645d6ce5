# SPDX-License-Identifier: MIT
"""Packs a small part of the operator tests that onnx_data.py wrote into tests/data/onnx_cases.tar.gz.

Of each operator the case with the fewest bytes.
onnx_subset.py FOLDER OUT.tar.gz OPERATORS, a file with the names of supported operators, one a line
"""
import gzip
import io
import pathlib
import sys
import tarfile

import onnx


def main(folder, out, operators):
    wanted = set(operators.read_text().split())
    best = {}
    for path in sorted(folder.iterdir()):
        if "_expanded" in path.name:
            continue
        model = onnx.load(path / "model.onnx")
        files = [f for f in path.rglob("*") if f.is_file()]
        size = sum(f.stat().st_size for f in files)
        ops = {n.op_type for n in model.graph.node}
        types = {v.type.tensor_type.elem_type for v in [*model.graph.input, *model.graph.output]}
        known = {1, 2, 3, 5, 6, 7, 9, 10, 11, 16}
        if len(ops) == 1 and types <= known and ops <= wanted and size < 6000:
            op = ops.pop()
            if op not in best or size < best[op][0]:
                best[op] = (size, path.name)
    names = sorted({name for _, name in best.values()})
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for name in names:
            for f in sorted((folder / name).rglob("*")):
                if f.is_file():
                    info = tarfile.TarInfo(f"{name}/{f.relative_to(folder / name)}")
                    info.size = f.stat().st_size
                    tar.addfile(info, io.BytesIO(f.read_bytes()))
    out.write_bytes(gzip.compress(raw.getvalue(), 9, mtime=0))
    print(len(names), "cases; operators without one:", *sorted(wanted - set(best)))


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:4]))
