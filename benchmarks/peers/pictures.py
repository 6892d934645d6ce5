#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads pictures for training by torchvision and its DataLoader, in turns with bench_data, and prints the ratios.

usage: pictures.py --ours build/release/benchmarks/bench_data [--turns 3] [--seconds 3]      (Python with torchvision)

Both decode the same JPEG files (written by bench_data: 500 x 375, as in ImageNet, and 2000 x 1500, as of cameras), flip
them at random, normalize them and join batches of 32 x 3 x 224 x 224 float32. `crop` takes a random part of 224 x 224;
`resized` is RandomResizedCrop(224). A ratio above 1 means that the project reads more pictures per second.
"""
import argparse, os, statistics, subprocess, tempfile, time
import PIL.Image, torch
from torchvision import transforms as T

p = argparse.ArgumentParser()
p.add_argument('--ours', required=True)
p.add_argument('--turns', type=int, default=3)
p.add_argument('--seconds', type=float, default=3)
p.add_argument('kinds', nargs='*', default=[])
a = p.parse_args()
torch.set_num_threads(1)
temporary = tempfile.TemporaryDirectory()
folder = temporary.name
subprocess.run([a.ours, 'write', folder], check=True)


class Files(torch.utils.data.Dataset):
    def __init__(self, size, crop):
        self.files = sorted(os.path.join(folder, f) for f in os.listdir(folder) if f.startswith(size))
        self.transform = T.Compose([crop, T.RandomHorizontalFlip(), T.ToTensor(),
                                    T.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])

    def __len__(self):
        return 1 << 20

    def __getitem__(self, i):
        with open(self.files[i % len(self.files)], 'rb') as f:
            return self.transform(PIL.Image.open(f).convert('RGB')), i % 10


def theirs(size, crop, workers):
    loader = torch.utils.data.DataLoader(Files(size, crop), 32, shuffle=False, num_workers=workers)
    batches = iter(loader)
    for _ in range(2 + 2 * workers):
        next(batches)
    begin, count = time.perf_counter(), 0
    while time.perf_counter() - begin < a.seconds:
        next(batches)
        count += 32
    return count / (time.perf_counter() - begin)


def ours(size, kind, workers, by):
    r = subprocess.run([a.ours, 'read', folder, size, kind, str(workers), by, str(a.seconds)], capture_output=True, text=True, check=True)
    return float(r.stdout)


crops = {'crop': T.RandomCrop(224), 'resized': T.RandomResizedCrop(224)}
print(f'{"pictures":8s} {"kind":8s} {"workers":12s} {"ours /s":>8s} {"theirs /s":>9s} {"ratio":>6s}')
for size in ('small', 'large'):
    for kind, crop in crops.items():
        for workers, by in ((0, 'none'), (1, 'processes'), (2, 'processes'), (2, 'threads')):
            pairs = [(ours(size, kind, workers, by), theirs(size, crop, workers)) for _ in range(a.turns)]
            o, t = (statistics.median(x) for x in zip(*pairs))
            print(f'{size:8s} {kind:8s} {workers} {by:10s} {o:8.0f} {t:9.0f} {statistics.median(x / y for x, y in pairs):6.2f}', flush=True)
