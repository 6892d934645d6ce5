# SPDX-License-Identifier: MIT
"""Parts of evaluations."""
from chainer import _core
from chainer.functions._gradients.base import Old, Places

PLACES = Places('evaluation')
at = PLACES.at


@at('classification_summary')
def fbeta_score(y, t, label_num=None, beta=1.0, ignore_label=-1):
    """Returns the F-beta score and the support of each label."""
    summary = _core.functions.classification_summary(y, t, label_num, beta, ignore_label)
    return summary[2], summary[3]


@at('classification_summary')
def _fbeta_score(precision, recall, beta):
    square = beta * beta
    return (1 + square) * precision * recall / (square * precision + recall)


@at('r2_score')
class R2_score(Old):
    """The coefficient of determination, from (pred, true)."""

    def __init__(self, sample_weight, multioutput):
        if sample_weight is not None:
            raise NotImplementedError()
        if multioutput not in ('uniform_average', 'raw_values'):
            raise ValueError('invalid multioutput argument')
        self.multioutput = multioutput

    def compute(self, pred, true):
        return _core.functions.r2_score(pred, true, self.multioutput)

    def backward(self, indexes, grad_outputs):
        return (None,) * len(indexes)
