# SPDX-License-Identifier: MIT
from __future__ import absolute_import

import collections
import copy
import warnings

import numpy

from chainer import _core
from chainer import link as link_module
from chainer import serializer as serializer_module
from chainer import variable
from chainer._core import timeline
from chainer.backends import cuda


def _timing(hook):
    """The default timing of hooks: before the update."""
    if not hasattr(hook, 'timing'):
        warnings.warn('hook has no attribute timing, "pre" or "post": it runs before the update')
    return getattr(hook, 'timing', 'pre')


class Hyperparameter(object):
    """Values by attribute; unset values are inherited from the parent."""

    def __init__(self, parent=None):
        self._parent = parent

    def __getattr__(self, name):
        if '_parent' not in self.__dict__:
            raise AttributeError('_parent is not set up yet')
        return getattr(self._parent, name)

    def __repr__(self):
        d = self.get_dict()
        return 'Hyperparameter({})'.format(', '.join(['{}={!r}'.format(k, d[k]) for k in sorted(d)]))

    @property
    def parent(self):
        return self._parent

    def get_dict(self):
        d = {} if self._parent is None else self._parent.get_dict()
        for k, v in self.__dict__.items():
            if k != '_parent':
                d[k] = v
        return d


class UpdateRule(object):
    """The update rule of a parameter. Rules of the library name a fused pass in C++; others override update_core()."""

    is_elementwise = False
    _pass = None  # of the fused pass, if there is one
    _pass_states = ()

    def __init__(self, parent_hyperparam=None):
        self._pre_update_hooks = collections.OrderedDict()
        self._post_update_hooks = collections.OrderedDict()
        self._state = None
        self.enabled = True
        self.hyperparam = Hyperparameter(parent_hyperparam)
        self.t = 0
        self._use_fp32_update = False
        self._fp32_param = None

    @property
    def state(self):
        return self._state

    @property
    def _values(self):
        """Returns the hyperparameters: the optimizer's, unless this rule overrides some."""
        h = self.hyperparam
        return h._parent if len(h.__dict__) == 1 and h._parent is not None else h

    def add_hook(self, hook, name=None, timing='auto'):
        if not callable(hook):
            raise TypeError('hook function must be callable')
        if timing not in ('pre', 'post', 'auto'):
            raise ValueError('timing must be one of (\'pre\', \'post\', \'auto\')')
        if timing == 'auto':
            timing = _timing(hook)
        if name is None:
            name = getattr(hook, 'name', getattr(hook, '__name__', None))
            if name is None:
                raise ValueError('the name of the hook function is not specified')
        if name in self._pre_update_hooks or name in self._post_update_hooks:
            raise ValueError('hook "{}" already exists'.format(name))
        (self._pre_update_hooks if timing == 'pre' else self._post_update_hooks)[name] = hook

    def remove_hook(self, name):
        for hooks in (self._pre_update_hooks, self._post_update_hooks):
            if name in hooks:
                del hooks[name]
                return
        raise KeyError('hook "{}" does not exist'.format(name))

    def update(self, param):
        """Runs hooks and the update, unless the rule is disabled."""
        if not self.enabled:
            return
        self.t += 1
        if self._use_fp32_update and param.dtype == numpy.float16:
            if self._fp32_param is None:
                self._fp32_param = variable.Variable(param.array.astype(numpy.float32), name=param.name)
            fp32 = self._fp32_param
            if param.grad is not None:
                fp32.grad = param.grad.astype(numpy.float32)
                fp32._loss_scale = param._loss_scale
            if fp32.array is not None:
                self._prepare(fp32)
            self._run(fp32)
            param.array = fp32.array.astype(param.dtype)
            fp32.grad = None
        else:
            if param._has_array:
                self._prepare(param)
            self._run(param)

    def _run(self, param):
        scale = param._loss_scale
        if scale is not None and param._has_grad:
            param.grad = param.grad / param.dtype.type(scale)
            param._loss_scale = None
        for hook in list(self._pre_update_hooks.values()):
            hook(self, param)
        self.update_core(param)
        for hook in list(self._post_update_hooks.values()):
            hook(self, param)

    def update_core(self, param):
        """Updates the parameter from its gradient."""
        if cuda.available and param._device_id >= 0:
            with cuda.Device(param._device_id):
                self.update_core_gpu(param)
        else:
            self.update_core_cpu(param)

    def update_core_cpu(self, param):
        if self._pass is None:
            raise NotImplementedError
        if not param._has_grad:
            return
        states = [self._state[k] for k in self._pass_states]
        _core.update(self._pass, param, states, self._pass_values(param))

    def update_core_gpu(self, param):
        if self._pass is None:
            raise NotImplementedError
        UpdateRule.update_core_cpu(self, param)  # a fused pass runs on every device

    def init_state(self, param):
        """Initializes the state. Called before the first update."""
        for key in self._pass_states:
            self._state[key] = _core.zeros_like(param)

    def serialize(self, serializer):
        if self.state is None:
            if isinstance(serializer, serializer_module.Deserializer):
                self._state = {}
                self_copy = copy.copy(self)
                arr = numpy.empty(1, dtype=numpy.float32)
                self_copy.init_state(variable.Variable(arr, grad=arr))
                for key in self._state:
                    try:
                        value = serializer(key, None)
                    except KeyError:
                        if self.enabled:
                            raise
                        value = None
                    if value is None:
                        self._state = None
                        break
                    self._state[key] = value
        else:
            for key in self._state:
                self._state[key] = serializer(key, self._state[key])
        self.t = serializer('t', self.t)

    def _prepare(self, param):
        if self._state is None:
            self._state = {}
            with cuda.get_device_from_id(param._device_id):  # of arrays that a rule of a user makes
                self.init_state(param)
        for name, value in self._state.items():
            if isinstance(value, numpy.ndarray) and not value.flags.writeable:
                self._state[name] = value.copy()
        if cuda.available:
            self._place_state(param._device_id)

    def _place_state(self, device_id):
        """Moves the state to the device of the parameter."""
        for name, value in self._state.items():
            if isinstance(value, (numpy.ndarray, cuda.ndarray)) and getattr(value, '_device_id', -1) != device_id:
                self._state[name] = cuda.to_cpu(value) if device_id < 0 else cuda.to_gpu(value, device_id)

    def use_fp32_update(self, flag=True):
        """float16 parameters are updated in float32."""
        self._use_fp32_update = flag


# Methods whose overriding in a rule or a test disables the fused pass.
_REPLACED = {'update', 'update_core', 'update_core_cpu', 'update_core_gpu', '_run', '_prepare'}


def _is_plain(rule_class):
    """Returns True if the class belongs to the library, does not override update() or the methods that it calls, and
    names a fused pass. A user-defined subclass may choose other values for each parameter, so it cannot share a pass."""
    plain = rule_class.__dict__.get('_plain')
    if plain is None:
        plain = issubclass(rule_class, UpdateRule) and rule_class._pass is not None and \
            rule_class.__module__.startswith('chainer.optimizers.') and all([
                getattr(rule_class, name) is getattr(UpdateRule, name) for name in _REPLACED])
        if issubclass(rule_class, UpdateRule):
            rule_class._plain = plain
    return plain


def _update_params(params):
    """Calls each parameter's update(), and returns whether all rules were those of the library. Hyperparameters that
    rules without hooks inherit from the optimizer are read once."""
    shared, plain = {}, True
    for param in params:
        rule = getattr(param, 'update_rule', None)
        if (rule is None or type(param) is not variable.Parameter or not _is_plain(type(rule)) or not rule.enabled or
                rule._pre_update_hooks or rule._post_update_hooks or rule._use_fp32_update or
                len(rule.hyperparam.__dict__) != 1 or not _REPLACED.isdisjoint(rule.__dict__) or
                'update' in param.__dict__ or not param._has_grad or param._loss_scale is not None):
            param.update()
            plain = plain and rule is not None and _is_plain(type(rule)) and not rule._post_update_hooks
            continue
        rule.t += 1
        rule._prepare(param)
        key = type(rule), rule.hyperparam._parent, rule.t, param._has_half
        if key not in shared:
            shared[key] = rule._pass, rule._pass_states, rule._pass_values(param)
        name, states, values = shared[key]
        state = rule._state
        _core.update(name, param, [state[k] for k in states], values)
    return plain


class Optimizer(object):
    """Updates the parameters of the link passed to setup()."""

    target = None
    t = 0
    epoch = 0
    _pre_update_hooks = None
    _post_update_hooks = None
    _loss_scale = None
    _loss_scale_max = 65504
    _loss_scaling_is_dynamic = False
    use_auto_new_epoch = False
    __auto_new_epoch = None

    def setup(self, link):
        if not isinstance(link, link_module.Link):
            raise TypeError('optimization target must be a link')
        self.target = link
        self.t = 0
        self.epoch = 0
        self._pre_update_hooks = collections.OrderedDict()
        self._post_update_hooks = collections.OrderedDict()
        return self

    def update(self, lossfun=None, *args, **kwds):
        raise NotImplementedError

    def new_epoch(self, auto=False):
        if auto != self.use_auto_new_epoch:
            raise RuntimeError('new_epoch() is called by the updater where use_auto_new_epoch is set, and by the user '
                               'otherwise')
        self.epoch += 1

    def add_hook(self, hook, name=None, timing='auto'):
        """Registers a function that runs before or after all updates."""
        if not callable(hook):
            raise TypeError('hook function is not callable')
        if self._pre_update_hooks is None or self._post_update_hooks is None:
            raise RuntimeError('call `setup` method before `add_hook` method')
        if timing not in ('pre', 'post', 'auto'):
            raise ValueError('timing must be one of (\'pre\', \'post\', \'auto\')')
        if timing == 'auto':
            timing = _timing(hook)
        if name is None:
            name = hook.name
        if name in self._pre_update_hooks or name in self._post_update_hooks:
            raise KeyError('hook "{}" already exists'.format(name))
        (self._pre_update_hooks if timing == 'pre' else self._post_update_hooks)[name] = hook

    def remove_hook(self, name):
        if self._pre_update_hooks is None:
            raise RuntimeError('call `setup` method before `remove_hook` method')
        for hooks in (self._pre_update_hooks, self._post_update_hooks):
            if name in hooks:
                del hooks[name]
                return
        raise KeyError('hook "{}" does not exist'.format(name))

    def call_hooks(self, timing='pre'):
        if timing not in ('pre', 'post'):
            raise ValueError('timing must be either \'pre\' or \'post\'')
        for hook in list((self._pre_update_hooks if timing == 'pre' else self._post_update_hooks).values()):
            self.call_hook(hook)

    def call_hook(self, hook):
        if getattr(hook, 'call_for_each_param', False):
            for param in self.target.params():
                hook(param.update_rule, param)
        else:
            hook(self)

    def serialize(self, serializer):
        self.t = serializer('t', self.t)
        self.epoch = serializer('epoch', self.epoch)
        for name, param in self.target.namedparams():
            rule = getattr(param, 'update_rule', None)
            if rule is not None:
                rule.serialize(serializer[name])

    def loss_scaling(self, interval=1000, scale=None):
        """Scales losses, so that small gradients do not underflow in float16."""
        if scale is None:
            self._loss_scaling_is_dynamic = True
            self._loss_scale = 1.0 if self._loss_scale is None else self._loss_scale
            self._loss_scale_multiplier = numpy.power(2.0, 1.0 / interval)
        else:
            if scale <= 0:
                raise ValueError('loss_scale must be a positive number')
            self._loss_scaling_is_dynamic = False
            self._loss_scale = scale

    def set_loss_scale(self, loss_scale):
        self.loss_scaling(scale=loss_scale)

    def check_nan_in_grads(self):
        self._isnan = any([p._has_grad and not numpy.isfinite(p.grad).all() for p in self.target.params()])

    def is_safe_to_update(self):
        return not getattr(self, '_isnan', False)

    def update_loss_scale(self):
        if not self._loss_scaling_is_dynamic:
            return
        if self.is_safe_to_update():
            self._loss_scale = min(self._loss_scale_max, self._loss_scale * self._loss_scale_multiplier)
        else:
            self._loss_scale = max(1, self._loss_scale * 0.5)


class GradientMethod(Optimizer):
    """An optimizer that updates each parameter from its own gradient."""

    def __init__(self):
        super(GradientMethod, self).__init__()
        self.hyperparam = Hyperparameter()
        self._use_fp32_update = False

    def setup(self, link):
        super(GradientMethod, self).setup(link)
        for param in link.params():
            param.update_rule = self.create_update_rule()
            if self._use_fp32_update:
                param.update_rule.use_fp32_update()
        return self

    def reallocate_cleared_grads(self):
        """Replaces gradients that are None by zeros."""
        _core.fill_grads(self.target.params(False))

    def call_hooks(self, timing='pre'):
        if timing not in ('pre', 'post'):
            raise ValueError('timing must be either \'pre\' or \'post\'')
        for hook in list((self._pre_update_hooks if timing == 'pre' else self._post_update_hooks).values()):
            self.call_hook(hook)
            self.reallocate_cleared_grads()

    def update(self, lossfun=None, *args, **kwds):
        """Computes the loss and its gradients if lossfun is given, and updates every parameter."""
        if lossfun is not None:
            use_cleargrads = getattr(self, '_use_cleargrads', True)
            loss = lossfun(*args, **kwds)
            if use_cleargrads:
                self.target.cleargrads()
            else:
                self.target.zerograds()
            loss.backward(loss_scale=self._loss_scale)
            del loss
        begin = timeline.now() if timeline.on() else None
        self.reallocate_cleared_grads()
        self.check_nan_in_grads() if self._loss_scaling_is_dynamic else None
        self.call_hooks('pre')
        self.t += 1
        if not (self.is_safe_to_update() and _update_params(self.target.params())):
            self.reallocate_cleared_grads()
        self.call_hooks('post')
        self.update_loss_scale()
        if begin is not None:
            timeline.tell('optimizer', 'update', begin)

    def use_cleargrads(self, use=True):
        warnings.warn('GradientMethod.use_cleargrads is deprecated.', DeprecationWarning)
        self._use_cleargrads = use

    def create_update_rule(self):
        raise NotImplementedError

    def use_fp32_update(self, flag=True):
        self._use_fp32_update = flag
        link = getattr(self, 'target', None)
        if link is not None:
            for param in link.params():
                param.update_rule.use_fp32_update()


class HyperparameterProxy(object):
    """An attribute of an optimizer that is one of its hyperparameters."""

    def __init__(self, attr_name):
        self._attr_name = attr_name
        self.__doc__ = 'Alias to ``self.hyperparam.{}``'.format(attr_name)

    def __get__(self, obj, type=None):
        return self if obj is None else getattr(obj.hyperparam, self._attr_name)

    def __set__(self, obj, value):
        setattr(obj.hyperparam, self._attr_name, value)


def make_deprecation_message(module_name):
    return 'chainer.optimizer.{0} is deprecated. Use chainer.optimizer_hooks.{0} instead.'.format(module_name)


def _deprecated_hook(name):
    def make(self, *args, **kwargs):
        from chainer import optimizer_hooks
        warnings.warn(make_deprecation_message(name), DeprecationWarning)
        getattr(optimizer_hooks, name).__init__(self, *args, **kwargs)
    return make


def __getattr__(name):
    # The hooks' older names.
    from chainer import optimizer_hooks
    if name in ('WeightDecay', 'Lasso', 'GradientClipping', 'GradientNoise', 'GradientHardClipping'):
        return type(name, (getattr(optimizer_hooks, name),), {'__init__': _deprecated_hook(name)})
    raise AttributeError('module chainer.optimizer has no attribute {!r}'.format(name))


def check_eps(eps, param, name):
    """Raises ValueError if a nonzero eps is zero in the parameter's dtype."""
    if eps != 0 and param.dtype == numpy.float16 and numpy.float16(eps) == 0:
        raise ValueError('eps of {} optimizer is too small for {} ({})'.format(name, param.dtype.name, eps))
