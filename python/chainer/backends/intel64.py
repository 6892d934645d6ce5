"""What programs ask of iDeep, which this library does not need."""


class mdarray(object):
    """The type of iDeep's arrays: nothing is an instance of it."""


ideep = None


def is_ideep_available():
    return False


def check_ideep_available():
    raise RuntimeError('iDeep is not part of this library, which is fast without it')


def should_use_ideep(level):
    return False


def inputs_all_ready(inputs, supported_ndim=(2, 4)):
    return False
