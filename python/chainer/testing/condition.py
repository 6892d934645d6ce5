# SPDX-License-Identifier: MIT
"""Tests that are repeated."""
import functools
import unittest


class QuietTestRunner(object):
    def run(self, suite):
        result = unittest.TestResult()
        suite(result)
        return result


def repeat_with_success_at_least(times, min_success):
    """A test that must pass the given number of times out of the given number of runs."""
    assert times >= min_success

    def decorate(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            instance = args[0]
            failures, successes = [], 0
            for i in range(times):
                if isinstance(instance, unittest.TestCase):
                    instance.setUp() if i else None
                try:
                    f(*args, **kwargs)
                    successes += 1
                except unittest.SkipTest:
                    raise
                except Exception as e:
                    failures.append(e)
                if isinstance(instance, unittest.TestCase) and i + 1 < times:
                    instance.tearDown()
                if successes >= min_success and times != min_success:
                    return
                if len(failures) > times - min_success:
                    break
            if successes < min_success:
                raise AssertionError('{} of {} runs failed, {} must pass; first error message: {!r}: {}'.format(
                    len(failures), times, min_success, failures[0], failures[0])) from failures[0]
        return wrapper
    return decorate


def repeat(times):
    """A test that must pass the given number of times in a row."""
    return repeat_with_success_at_least(times, times)


def retry(times):
    """A test that must pass once."""
    return repeat_with_success_at_least(times, 1)
