# SPDX-License-Identifier: MIT
from __future__ import absolute_import


class AbstractSerializer(object):
    """Saves or loads values by name: `value = serializer(key, value)`."""

    def __getitem__(self, key):
        raise NotImplementedError

    def __call__(self, key, value):
        raise NotImplementedError


class Serializer(AbstractSerializer):
    """A serializer that saves."""

    def save(self, obj):
        obj.serialize(self)


class Deserializer(AbstractSerializer):
    """A serializer that loads."""

    def load(self, obj):
        obj.serialize(self)
