from chainer.iterators.order_samplers import OrderSampler, ShuffleOrderSampler  # NOQA
from chainer.iterators.serial_iterator import SerialIterator  # NOQA
