// SPDX-License-Identifier: MIT
#include "chainer/serializers/hdf5.h"

#include "chainer/routines/creation.h"
#include "chainer/serializers/assign.h"

namespace chainer::serializers {

HDF5Serializer::HDF5Serializer(std::shared_ptr<HDF5Group> group, std::optional<int> compression)
    : group_(std::move(group)), compression_(compression) {
  if (compression && (*compression < 0 || *compression > 9))
    throw ValueError("HDF5Serializer: compression must be from 0 to 9 or none, not ", *compression);
}
std::unique_ptr<Serializer> HDF5Serializer::child(std::string_view key) {
  return std::make_unique<HDF5Serializer>(group_->group(stripped(key), true), compression_);
}
void HDF5Serializer::array(std::string_view key, Array& v) {
  if (v)
    group_->write(stripped(key), v, compression_);
  else
    group_->write_none(stripped(key));
}
void HDF5Serializer::integer(std::string_view key, int64_t& v) {
  group_->write(stripped(key), chainer::array(v), compression_);
}
void HDF5Serializer::number(std::string_view key, double& v) {
  group_->write(stripped(key), chainer::array(v), compression_);
}
void HDF5Serializer::flag(std::string_view key, bool& v) {
  group_->write(stripped(key), chainer::array(v), compression_);
}
void HDF5Serializer::string(std::string_view key, std::string& v) { group_->write(stripped(key), v); }

std::unique_ptr<Serializer> HDF5Deserializer::child(std::string_view key) {
  const std::string name = stripped(key);
  auto group = group_ ? group_->group(name, false) : nullptr;
  std::string missing = group ? "" : group_ ? text(group_->what(), ", group '", name, "'") : missing_ + "/" + name;
  return std::unique_ptr<Serializer>(new HDF5Deserializer(std::move(group), strict_, std::move(missing)));
}
bool HDF5Deserializer::contains(std::string_view key) const { return group_ && group_->contains(stripped(key)); }

std::string HDF5Deserializer::what(std::string_view key) const { return text(group_->what(), ", '", key, "'"); }

bool HDF5Deserializer::wanted(const std::string& key) const {
  if (group_ && group_->contains(key)) return true;
  if (!strict_) return false;
  if (!group_) throw ValueError(missing_, " does not exist, expected for '", key, "'");
  throw KeyError(group_->what(), ": no entry named '", key, "'");
}
template <class F>
Array HDF5Deserializer::value_after(std::string_view key, F&& check) const {
  const std::string name = stripped(key);
  if (!wanted(name)) return {};
  if (const HDF5Object o = group_->describe(name); o.kind == HDF5Object::array) check(o.shape);
  const HDF5Value v = group_->view(name);
  if (v.text) throw TypeError(what(name), " is text, expected an array");
  return v.array;
}
Array HDF5Deserializer::value(std::string_view key, const Array& target) const {
  return value_after(key, [&](const Shape& s) { check_shape(s, target, what(key)); });
}
Array HDF5Deserializer::one(std::string_view key) const {
  return value_after(key, [&](const Shape& s) { check_one_value(s, what(key)); });
}

void HDF5Deserializer::array(std::string_view key, Array& v) {
  if (const Array stored = value(key, v)) assign(v ? stored : stored.copy(), v, what(key));
}
void HDF5Deserializer::integer(std::string_view key, int64_t& v) {
  if (const Array stored = one(key)) v = whole_value(stored, what(key));
}
void HDF5Deserializer::number(std::string_view key, double& v) {
  if (const Array stored = one(key)) v = one_value(stored, what(key)).to_double();
}
void HDF5Deserializer::flag(std::string_view key, bool& v) {
  if (const Array stored = one(key)) v = one_value(stored, what(key)).to_bool();
}
void HDF5Deserializer::string(std::string_view key, std::string& v) {
  const std::string name = stripped(key);
  if (!wanted(name)) return;
  HDF5Value stored = group_->read(name);
  if (stored.array) throw TypeError(what(name), " is an array, expected text");
  if (stored.text) v = std::move(*stored.text);
}

}  // namespace chainer::serializers
