# SPDX-License-Identifier: MIT
"""Models in the ONNX format: import as a chain, and export. The release has no such module."""
import collections
import os

from chainer import _core
from chainer import configuration
from chainer import link
from chainer import variable

TensorInfo = collections.namedtuple('TensorInfo', ('name', 'dtype', 'shape'))
TensorInfo.__doc__ = """The declaration of an input or output. Lengths that are not fixed are None; the shape is None if the
file does not declare the number of axes."""


def supported_operators():
    """Returns the operators that can be imported: a dict from their names to the first supported operator set."""
    return _core.onnx.supported_operators()


class Model(link.Chain):
    """A chain made from an ONNX file.

    Floating initializers that are weights are parameters under their names as paths: ``encoder/l1/W`` is the parameter
    W of the child l1 of the child encoder. Running statistics are persistent values. The model is differentiated,
    trained, saved and exported like any chain; in test mode without backpropagation the simplified computation is
    replayed. Nothing in the file is executed.

    Args:
        file: A path, or the bytes of a file.

    Raises FileError for a damaged file, ValueError for operators that are not supported.
    """

    def __init__(self, file):
        super(Model, self).__init__()
        if isinstance(file, _core.onnx.Model):
            self._model = file
        elif isinstance(file, bytes):
            self._model = _core.onnx.Model.from_bytes(file)
        else:
            self._model = _core.onnx.Model(os.fspath(file))
        parameters = []
        for path, v in self._model.namedparams():
            owner, name = self._place(path)
            with owner.init_scope():
                p = variable.Parameter()
                p._become(v)
                setattr(owner, name, p)
            parameters.append(p)
        for path, array in self._model.persistents():
            owner, name = self._place(path)
            owner.add_persistent(name, array)
        self._model.connect(parameters)

    def _place(self, path):
        """Returns the chain that has the last name of a path, and that name."""
        *parents, name = path.strip('/').split('/')
        owner = self
        for parent in parents:
            if parent not in owner._children:
                owner.add_link(parent, link.Chain())
            owner = owner[parent]
        return owner, name

    def forward(self, *inputs):
        """Returns the output, or a tuple of all outputs if the file has several. Inputs are in the order of the
        file."""
        ys = self._model.forward([variable.as_variable(x) for x in inputs])
        return ys[0] if len(ys) == 1 else ys

    def copy(self, mode='share'):
        """Returns a copy with its own parameters. The parameters of imported models cannot be shared or
        initialized again."""
        if mode != 'copy':
            raise ValueError("an imported model is copied by mode 'copy', not '{}'".format(mode))
        return Model(self._model.copy())

    def __deepcopy__(self, memo):
        return self.copy('copy')

    def __reduce__(self):
        raise TypeError('an imported model is not pickled: save its parameters with chainer.serializers, or its '
                        'computation with chainer.onnx.export_model')

    inputs = property(lambda self: [TensorInfo(*i) for i in self._model.inputs], doc='Declarations of the inputs.')
    outputs = property(lambda self: [TensorInfo(*i) for i in self._model.outputs], doc='Declarations of the outputs.')
    opset = property(lambda self: self._model.opset, doc='The version of the default operator set.')
    producer = property(lambda self: self._model.producer)
    metadata = property(lambda self: dict(self._model.metadata))


def _inputs(args):
    return [variable.as_variable(x) for x in (args if isinstance(args, (tuple, list)) else (args,))]


def _exported(model):
    return model._model if isinstance(model, Model) else model


def export_model(model, args, file=None, *, opset=None, input_names=(), output_names=(), dynamic_batch=True,
                 dynamic_axes=(), graph_name='chainer', metadata=(), external_data_from=2000 << 20,
                 refuse_reads=False):
    """Runs a link, or any function on Variables, in test mode, and writes its computation as an ONNX file.

    Each function of the run becomes equivalent operators; parameters and persistent arrays have their paths as names.
    Decisions of the program in that run are constants in the file. The file is checked before it is written: the model
    and the file run on other numbers and, unless the batch is fixed, on other batch sizes.

    Args:
        model: A link, or a function. It returns a Variable, or a tuple, list or dict of them.
        args: The inputs of the run: an array or Variable, or a list of them.
        file: A path; without one, the bytes are returned.
        opset (int): The operator set, from 13 to 28.
        input_names, output_names: By default ``input_0``, ..., ``output_0``, ...
        dynamic_batch (bool): Writes a file for any length of the first axis of the inputs; warns if that is impossible.
        dynamic_axes: Other axes of any length, as ``[('height', 0, 2)]``: a name, the number of the input, the axis.
        graph_name (str): The name of the graph.
        metadata (dict): Texts that are stored in the file.
        external_data_from (int): Weights of more bytes than this are written to a second file, FILE.data.
        refuse_reads (bool): Refuses a model that reads numbers that depend on its inputs outside of functions.

    Raises ValueError, and writes nothing, if the results of the file differ or a function has no equivalent.
    """
    with configuration.using_config('train', False):
        return _core.onnx.export_model(
            _exported(model), _inputs(args), None if file is None else os.fspath(file), opset,
            list(input_names), list(output_names), dynamic_batch, list(dynamic_axes), graph_name,
            list(dict(metadata).items()), external_data_from, refuse_reads)
