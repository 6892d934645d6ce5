# SPDX-License-Identifier: MIT
"""Schedules of calls on arrays, for programs that build them; static_graph defines its graph in each call."""
import weakref

import numpy

from chainer.function_node import FunctionNode


class ArrayInfo(object):
    """The shape and dtype of an array, which it does not keep alive."""

    def __init__(self, array):
        self.weak_ref, self.id, self.shape, self.dtype = weakref.ref(array), id(array), array.shape, array.dtype
        self.array = None
        self.in_var_index = self.out_var_index = self.dynamic_allocation_index = None
        self.dynamic_allocation_pass_depth = None

    def was_deleted(self):
        """Returns true if the array does not exist."""
        return self.weak_ref() is None

    def get_new_empty_array(self):
        """Returns an uninitialized array of the same shape and dtype."""
        return numpy.empty(self.shape, dtype=self.dtype)

    def __repr__(self):
        return '<ArrayInfo of shape {}, {}>'.format(self.shape, self.dtype)


class ScheduleInfo(object):
    """A call in a schedule. Its array arguments are places (index, number) in `inputs_hooks`: args[index] (or its
    element, for an index that is a pair) is unique_arrays[number]; results go to the places of `return_hooks`."""

    def __init__(self, func, args, kwargs, inputs_hooks, outputs_hooks, return_hooks, delete_hooks, unique_arrays,
                 array_infos, func_name=None):
        self.func, self.args, self.kwargs = func, list(args), dict(kwargs)
        self.inputs_hooks, self.outputs_hooks, self.return_hooks = inputs_hooks, outputs_hooks, return_hooks
        self.delete_hooks, self.unique_arrays, self.array_infos = delete_hooks, unique_arrays, array_infos
        self.func_name = func_name

    def _put(self, index, array):
        if isinstance(index, tuple):
            outer, inner = index
            self.args[outer] = list(self.args[outer])
            self.args[outer][inner] = array
        else:
            self.args[index] = array

    def run_pre_hooks(self):
        """Puts the arrays of the schedule into the arguments."""
        for number in self.delete_hooks:
            self.unique_arrays[number] = None
        for index, number in self.inputs_hooks:
            self._put(index, self.unique_arrays[number])
        for index, number in self.outputs_hooks:
            if self.unique_arrays[number] is None:
                self.unique_arrays[number] = self.array_infos[number].get_new_empty_array()
            self._put(index, self.unique_arrays[number])

    def run_post_hooks(self, return_arrays):
        """Takes the results into the schedule, and the arrays out of the arguments."""
        for index, _ in self.inputs_hooks + self.outputs_hooks:
            self._put(index, None)
        for index, number in self.return_hooks:
            self.unique_arrays[number] = return_arrays[index]

    def __call__(self):
        self.run_pre_hooks()
        result = self.func(*self.args, **self.kwargs)
        if result is not None and not isinstance(result, (tuple, list)):
            result = (result,)
        self.run_post_hooks(result)

    def __repr__(self):
        return '<ScheduleInfo of {}>'.format(self.func_name or getattr(self.func, '__name__', self.func))


class StaticScheduleFunction(FunctionNode):
    """Calls functions on arrays again, with new values of its inputs.

    append_function() adds a call that was made, set_out_variables() names the results, build_schedule() ends the
    recording. Then forward() repeats the calls."""

    def __init__(self, schedule_manager, verbosity_level=0, enable_double_backprop=False):
        self.schedule_manager, self.verbosity_level = schedule_manager, verbosity_level
        self.enable_double_backprop, self.in_use = enable_double_backprop, False
        self.chain, self.schedule_info_list, self.unique_arrays, self.unique_array_infos = None, [], [], []
        self._recorded, self._out_vars, self._in_numbers, self._built = [], [], [], False

    def is_empty(self):
        """Returns true if there is no call."""
        return not self._recorded

    def get_contained_schedule(self):
        """Returns the schedule of the backward pass, an empty one."""
        return StaticScheduleFunction(self.schedule_manager, self.verbosity_level, self.enable_double_backprop)

    def get_unique_index_from_array(self, array):
        """Returns the number of an array of the schedule, or None."""
        for number, known in enumerate(self.unique_array_infos):
            if known.weak_ref() is array:
                return number
        return None

    def append_function(self, func, args, kwargs, func_name=None, return_arrays=None):
        """Adds the call func(*args, **kwargs), which returned `return_arrays`."""
        self._recorded.append((func, args, kwargs, func_name, return_arrays or ()))

    def set_out_variables(self, out_vars):
        """Names the variables that the calls computed."""
        self._out_vars = list(out_vars)

    def _number_of(self, array, kept):
        number = self.get_unique_index_from_array(array)
        if number is None:
            number = len(self.unique_array_infos)
            self.unique_array_infos.append(ArrayInfo(array))
            self.unique_arrays.append(array if kept else None)
        return number

    def build_schedule(self, chain, in_vars):
        """Ends the recording; `in_vars` are the inputs of the calls that were made."""
        self.chain = chain
        self._in_numbers = [self._number_of(x.array, True) for x in in_vars]
        for func, args, kwargs, name, results in self._recorded:
            inputs = []
            for i, arg in enumerate(args):
                if isinstance(arg, numpy.ndarray):
                    inputs.append((i, self._number_of(arg, True)))
                elif isinstance(arg, (tuple, list)):
                    inputs += [((i, k), self._number_of(a, True)) for k, a in enumerate(arg)
                               if isinstance(a, numpy.ndarray)]
            returned = [(i, self._number_of(a, True)) for i, a in enumerate(results) if isinstance(a, numpy.ndarray)]
            self.schedule_info_list.append(ScheduleInfo(func, args, kwargs, inputs, [], returned, [],
                                                        self.unique_arrays, self.unique_array_infos, name))
        self._out_numbers = [self._number_of(y.array, True) for y in self._out_vars]
        self._built = True

    def run_param_pre_hooks(self):
        """Does nothing: parameters keep their arrays."""

    def run_param_post_hooks(self):
        """Does nothing: parameters keep their arrays."""

    def run_in_var_hooks(self, input_var_arrays):
        """Puts new arrays in place of the inputs."""
        for number, array in zip(self._in_numbers, input_var_arrays):
            self.unique_arrays[number] = array

    def run_out_var_hooks(self):
        """Puts the results into the output variables."""
        for number, y in zip(self._out_numbers, self._out_vars):
            y.array = self.unique_arrays[number]

    def forward(self, inputs):
        if not self._built:
            raise RuntimeError('the schedule is not built')
        self.run_in_var_hooks(inputs)
        for call in self.schedule_info_list:
            call()
        return tuple([self.unique_arrays[number] for number in self._out_numbers])

    def backward(self, target_input_indexes, grad_outputs):
        raise RuntimeError('a schedule of calls on arrays has no gradient; static_graph defines its graph in each call')

    def debug_print_ref_counts(self):
        self.debug_print_unique_arrays_info()

    def debug_print_unique_arrays_info(self):
        for number, known in enumerate(self.unique_array_infos):
            print(number, known)

    def __repr__(self):
        return '<StaticScheduleFunction of {} calls>'.format(len(self._recorded))
