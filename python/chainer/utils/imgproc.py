# SPDX-License-Identifier: MIT
import numpy


def oversample(images, crop_dims):
    """Returns ten crops of each picture (channels, height, width): the corners, the center, and their mirrors."""
    images = list(images)
    channels, height, width = images[0].shape
    h, w = [int(n) for n in crop_dims]
    top, left = (height - h) // 2, (width - w) // 2
    corners = [(y, x) for y in (0, height - h) for x in (0, width - w)] + [(top, left)]
    crops = numpy.empty((10 * len(images), channels, h, w), dtype=images[0].dtype)
    for i, image in enumerate(images):
        for k, (y, x) in enumerate(corners):
            crops[10 * i + k] = image[:, y:y + h, x:x + w]
            crops[10 * i + 5 + k] = crops[10 * i + k][:, :, ::-1]
    return crops
