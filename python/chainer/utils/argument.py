# SPDX-License-Identifier: MIT
"""Checks of keyword arguments."""
import inspect


def check_unexpected_kwargs(kwargs, **unexpected):
    """Raises ValueError with the given message for keywords that are no longer supported."""
    for key, message in unexpected.items():
        if key in kwargs:
            raise ValueError(message)


def parse_kwargs(kwargs, *name_and_values, **unexpected):
    """Returns the values of keywords in order, or their defaults. Raises TypeError for other keywords."""
    values = [kwargs.pop(name, default) for name, default in name_and_values]
    if kwargs:
        check_unexpected_kwargs(kwargs, **unexpected)
        caller = inspect.stack()[1]
        raise TypeError('{}() got unexpected keyword argument(s) {}'.format(
            caller[3], ', '.join(["'{}'".format(k) for k in sorted(kwargs)])))
    return tuple(values)


def assert_kwargs_empty(kwargs):
    parse_kwargs(kwargs)
