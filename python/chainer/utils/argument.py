"""Checks of keyword arguments."""
import inspect


def check_unexpected_kwargs(kwargs, **unexpected):
    """ValueError with the given message for each keyword that is not supported any more."""
    for key, message in unexpected.items():
        if key in kwargs:
            raise ValueError(message)


def parse_kwargs(kwargs, *name_and_values, **unexpected):
    """The values of keywords in order, their defaults where they are absent; others are a TypeError."""
    values = [kwargs.pop(name, default) for name, default in name_and_values]
    if kwargs:
        check_unexpected_kwargs(kwargs, **unexpected)
        caller = inspect.stack()[1]
        raise TypeError('{}() got unexpected keyword argument(s) {}'.format(
            caller[3], ', '.join(["'{}'".format(k) for k in sorted(kwargs)])))
    return tuple(values)


def assert_kwargs_empty(kwargs):
    parse_kwargs(kwargs)
