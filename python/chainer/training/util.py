def _never(trainer):
    return False


def get_trigger(trigger):
    """A trigger as it is; a pair of period and unit becomes an interval trigger, None never fires."""
    from chainer.training.triggers import interval_trigger
    if callable(trigger):
        return trigger
    if trigger is None:
        return _never
    return interval_trigger.IntervalTrigger(*trigger)
