from chainer.datasets.dict_dataset import DictDataset  # NOQA
from chainer.datasets.mnist import get_mnist  # NOQA
from chainer.datasets.sub_dataset import split_dataset, split_dataset_random, SubDataset  # NOQA
from chainer.datasets.transform_dataset import TransformDataset  # NOQA
from chainer.datasets.tuple_dataset import TupleDataset  # NOQA
