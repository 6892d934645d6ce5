# SPDX-License-Identifier: MIT
"""Decorators that make the constructors of update rules and optimizers from a list of hyperparameters."""
import inspect

from chainer import optimizer


def _constructor(first, values, body):
    """Returns an __init__ with the parameters `first`, whose default is None, and `values` with their defaults."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter('self', kind)]
    parameters += [inspect.Parameter(name, kind, default=None) for name in first]
    parameters += [inspect.Parameter(name, kind, default=value) for name, value in values.items()]
    signature = inspect.Signature(parameters)

    def __init__(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        body(**bound.arguments)

    __init__.__signature__ = signature
    return __init__


def rule(default):
    """Adds the constructor of a rule: the values of `default` are used without a parent, and the hyperparameters that
    are given override the parent's. By default the fused pass gets the hyperparameters in the order of `default`."""
    names = list(default.get_dict())

    def decorate(cls):
        def initialize(self, parent_hyperparam, **given):
            super(cls, self).__init__(parent_hyperparam or default)
            for name, value in given.items():
                if value is not None:
                    setattr(self.hyperparam, name, value)

        cls.__init__ = _constructor(['parent_hyperparam'], dict.fromkeys(names), initialize)
        if '_pass_values' not in cls.__dict__:
            cls._pass_values = lambda self, param: [getattr(self._values, name) for name in names]
        return cls
    return decorate


def method(rule_class, default):
    """Adds what an optimizer with this rule has: the constructor, a property for each hyperparameter of `default`, and
    create_update_rule()."""
    def decorate(cls):
        def initialize(self, **given):
            super(cls, self).__init__()
            for name, value in given.items():
                setattr(self.hyperparam, name, value)

        cls.__init__ = _constructor([], default.get_dict(), initialize)
        for name in default.get_dict():
            setattr(cls, name, optimizer.HyperparameterProxy(name))
        cls.create_update_rule = lambda self: rule_class(self.hyperparam)
        return cls
    return decorate
