# SPDX-License-Identifier: MIT
"""The messages of Caffe's files as classes of the package protobuf, made from messages.txt.

A line `Message field=number:type` lists the fields of a message: with `*` after the type of a repeated one, `+` of a
packed one, `!` of a required one, and `=value` of one with a default. A line `enum Name VALUE=number` lists an
enumeration, `Message.Name` one inside of a message. Indented lines go on."""
import os
import re

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.internal import enum_type_wrapper

_Field = descriptor_pb2.FieldDescriptorProto
_PACKAGE = 'chainer_caffe'


def _rows():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'messages.txt')) as f:
        return [row.split() for row in f.read().replace('\n  ', ' ').splitlines()]


def _file():
    proto = descriptor_pb2.FileDescriptorProto(name='chainer_caffe.proto', package=_PACKAGE)
    enums, messages = set(), {}
    for row in _rows():
        if row[0] != 'enum':
            messages[row[0]] = proto.message_type.add(name=row[0])
    for row in _rows():
        if row[0] == 'enum':
            owner, _, name = row[1].rpartition('.')
            enum = messages[owner].enum_type.add(name=name) if owner else proto.enum_type.add(name=name)
            enums.add(row[1])
            for value in row[2:]:
                key, number = value.split('=')
                enum.value.add(name=key, number=int(number))
        else:
            for field in row[1:]:
                _add(messages[row[0]], enums, *re.match(r'(\w+)=(\d+):([\w.]+)([*+!]?)(?:=(.*))?$', field).groups())
    return proto


def _add(message, enums, name, number, kind, label, default):
    field = message.field.add(name=name, number=int(number))
    field.label = {'*': _Field.LABEL_REPEATED, '+': _Field.LABEL_REPEATED, '!': _Field.LABEL_REQUIRED}.get(
        label, _Field.LABEL_OPTIONAL)
    if label == '+':
        field.options.packed = True
    if kind[0].isupper():
        field.type_name = '.%s.%s' % (_PACKAGE, kind)
        field.type = _Field.TYPE_ENUM if kind in enums else _Field.TYPE_MESSAGE
    else:
        field.type = getattr(_Field, 'TYPE_' + kind.upper())
    if default is not None:
        field.default_value = default


_pool = descriptor_pool.DescriptorPool()  # of its own: Caffe's package may have the same names
_pool.Add(_file()) if hasattr(_pool, 'Add') else _pool.AddSerializedFile(_file().SerializeToString())
DESCRIPTOR = _pool.FindFileByName('chainer_caffe.proto')
if hasattr(message_factory, 'GetMessageClass'):
    _class_of = message_factory.GetMessageClass
else:
    _class_of = message_factory.MessageFactory(_pool).GetPrototype
for _name, _message in DESCRIPTOR.message_types_by_name.items():
    globals()[_name] = _class_of(_message)
    globals()['_' + _name.upper()] = _message
Phase = enum_type_wrapper.EnumTypeWrapper(DESCRIPTOR.enum_types_by_name['Phase'])
TRAIN, TEST = Phase.Value('TRAIN'), Phase.Value('TEST')
