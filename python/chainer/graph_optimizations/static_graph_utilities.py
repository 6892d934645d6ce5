# SPDX-License-Identifier: MIT
def static_code(*args, **kwargs):
    """Marks a function that every call of a static chain runs: @static_code or @static_code(func_name=...). All code
    runs in every call here."""
    if len(args) == 1 and not kwargs and callable(args[0]):
        return args[0]
    return lambda function: function


def static_forward_optimizations(func, inputs):
    return func.forward(inputs)
