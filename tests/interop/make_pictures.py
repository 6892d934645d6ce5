# SPDX-License-Identifier: MIT
"""Writes small pictures of every kind with Pillow, the arrays that the release's datasets read, and MATLAB files.

usage: make_pictures.py OUT_FOLDER      (needs Pillow; scipy for the MATLAB files)
"""
import os
import sys

import numpy
from PIL import Image

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
expected = {}


def waves(height, width, channels):
    y, x = numpy.mgrid[0:height, 0:width]
    planes = [127 + 100 * numpy.sin(x / (5 + k) + k) * numpy.cos(y / (4 + k)) for k in range(channels)]
    return numpy.stack(planes, -1).clip(0, 255).astype(numpy.uint8)


def save(name, picture, **options):
    picture.save(os.path.join(folder, name), **options)
    expected[name] = numpy.asarray(Image.open(os.path.join(folder, name))).astype(numpy.int32)


rgb = Image.fromarray(waves(21, 30, 3))
grey = Image.fromarray(waves(21, 30, 1)[..., 0])
few = rgb.convert('P', palette=Image.ADAPTIVE, colors=12)
save('rgb.jpg', rgb, quality=90)
save('grey.jpg', grey, quality=80)
save('progressive.jpg', rgb, progressive=True)
save('cmyk.jpg', Image.fromarray(waves(16, 16, 4), 'CMYK'), quality=95)
save('cmyk_422.jpg', Image.fromarray(waves(16, 16, 4), 'CMYK'), quality=95, subsampling='4:2:2')
save('rgb.png', rgb)
save('grey.png', grey)
save('rgba.png', Image.fromarray(waves(9, 7, 4), 'RGBA'))
save('la.png', Image.fromarray(waves(9, 7, 2), 'LA'))
save('palette.png', few)
save('bits.png', grey.convert('1'))
save('deep.png', Image.fromarray(waves(9, 7, 1)[..., 0].astype(numpy.uint16) * 257))
save('rgb.bmp', rgb)
save('grey.bmp', grey)
save('bits.bmp', grey.convert('1'))
save('palette.bmp', few)
save('rgb.ppm', rgb)
save('grey.pgm', grey)

big = waves(20, 25, 3).astype(numpy.float32)
expected['big'] = big.transpose(2, 0, 1)
for name, size in ('smaller', (9, 7)), ('larger', (31, 27)):
    planes = [numpy.asarray(Image.fromarray(big[..., c]).resize(size, Image.BILINEAR)) for c in range(3)]
    expected[name] = numpy.stack(planes)
numpy.savez_compressed(os.path.join(folder, 'expected.npz'), **expected)

from scipy import io  # noqa: E402

values = {'X': numpy.arange(2 * 3 * 4 * 5, dtype=numpy.uint8).reshape(2, 3, 4, 5),
          'y': numpy.array([[1], [10], [3], [2], [10]], numpy.uint8),
          'wide': numpy.array([[1.5, -2e300], [0, 7]]), 'words': numpy.array([[65535, 1]], numpy.uint16),
          'name': 'text'}
io.savemat(os.path.join(folder, 'plain.mat'), values)
io.savemat(os.path.join(folder, 'packed.mat'), values, do_compression=True)
