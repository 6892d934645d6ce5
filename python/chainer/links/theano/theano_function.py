# SPDX-License-Identifier: MIT
from chainer import link
from chainer.functions.theano import theano_function


class TheanoFunction(link.Link):
    """Calls a function of Theano, given by its symbolic inputs and outputs; raises a RuntimeError without Theano."""

    def __init__(self, inputs, outputs):
        try:
            import theano
            import theano.tensor
        except ImportError:
            raise RuntimeError('theano cannot be imported; TheanoFunction needs it')
        super(TheanoFunction, self).__init__()
        inputs = list(inputs) if isinstance(inputs, (tuple, list)) else [inputs]
        outputs = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]
        self.forward_func = theano.function(inputs=inputs, outputs=outputs)
        gys = [y.type() for y in outputs]
        gxs = theano.tensor.grad(cost=None, wrt=inputs, known_grads=dict(zip(outputs, gys)),
                                 disconnected_inputs='ignore')
        self.backward_func = theano.function(inputs=inputs + gys, outputs=gxs, on_unused_input='ignore')

    def forward(self, *args):
        return theano_function.theano_function(self.forward_func, self.backward_func, *args)
