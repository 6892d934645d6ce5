# SPDX-License-Identifier: MIT
def _never_fire_trigger(trainer):
    return False


def get_trigger(trigger):
    """Returns a trigger: a callable unchanged, an interval trigger for a pair of period and unit, None never fires."""
    from chainer.training.triggers import interval_trigger
    if callable(trigger):
        return trigger
    if trigger is None:
        return _never_fire_trigger
    return interval_trigger.IntervalTrigger(*trigger)
