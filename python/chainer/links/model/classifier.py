# SPDX-License-Identifier: MIT
from chainer import link, reporter
from chainer.functions import accuracy, softmax_cross_entropy


class Classifier(link.Chain):
    """A predictor with a loss and an accuracy, which are reported."""

    compute_accuracy = True

    def __init__(self, predictor, lossfun=softmax_cross_entropy, accfun=accuracy, label_key=-1):
        if not isinstance(label_key, (int, str)):
            raise TypeError('label_key must be int or str, but is %s' % type(label_key))
        super(Classifier, self).__init__()
        self.lossfun, self.accfun = lossfun, accfun
        self.y = self.loss = self.accuracy = None
        self.label_key = label_key
        with self.init_scope():
            self.predictor = predictor

    def forward(self, *args, **kwargs):
        if isinstance(self.label_key, int):
            if not -len(args) <= self.label_key < len(args):
                raise ValueError('Label key %d is out of bounds' % self.label_key)
            t = args[self.label_key]
            args = args[:-1] if self.label_key == -1 else \
                args[:self.label_key] + args[self.label_key + 1:]
        else:
            if self.label_key not in kwargs:
                raise ValueError('Label key "%s" is not found' % self.label_key)
            t = kwargs.pop(self.label_key)
        self.y = self.loss = self.accuracy = None
        self.y = self.predictor(*args, **kwargs)
        self.loss = self.lossfun(self.y, t)
        reporter.report({'loss': self.loss}, self)
        if self.compute_accuracy:
            self.accuracy = self.accfun(self.y, t)
            reporter.report({'accuracy': self.accuracy}, self)
        return self.loss
