# SPDX-License-Identifier: MIT
import functools

from chainer import _core


def static_code(*args, **kwargs):
    """Marks a function on arrays that every call of a static chain runs: @static_code or @static_code(func_name=...).

    Inside of a method that is marked by static_graph, the function gets the arrays of each call in its arguments
    `inputs` and `outputs` (lists of arrays, by name); it may write to `outputs`, and returns an array, a tuple of
    arrays, or None. The returned arrays must have the same shapes in each call, and must not be read except by functions
    and by other static code.
    """
    def decorate(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            if not _core.is_recording():
                return function(*args, **kwargs)
            named = {name: kwargs.pop(name) for name in ('inputs', 'outputs') if name in kwargs}
            results = []

            def run(inputs, outputs):
                given = {name: arrays for name, arrays in (('inputs', inputs), ('outputs', outputs)) if name in named}
                made = function(*args, **dict(kwargs, **given))
                results[:] = [made]
                return made if isinstance(made, (tuple, list)) else () if made is None else (made,)
            arrays = _core.run_code(run, list(named.get('inputs', ())), list(named.get('outputs', ())))
            made, = results
            return type(made)(arrays) if isinstance(made, (tuple, list)) else arrays[0] if arrays else None
        return call
    if len(args) == 1 and not kwargs and callable(args[0]):
        return decorate(args[0])
    return decorate


def static_forward_optimizations(func, inputs):
    return func.forward(inputs)
