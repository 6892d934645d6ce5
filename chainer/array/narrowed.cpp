// SPDX-License-Identifier: MIT
#include "chainer/array/narrowed.h"

#include "chainer/array/backend.h"
#include "chainer/array/derived.h"
#include "chainer/array/external.h"
#include "chainer/array/recording/recorder.h"

namespace chainer {

Array narrowed(const Array& a, Dtype dtype) {
  // A recorded conversion is repeated by each replay.
  if (!a.device().is_host() || !a.is_contiguous() || recording::Recorder::current()) return a.astype(dtype);
  constexpr uint64_t kKind = uint64_t(0x16) << 56;
  const auto bytes = static_cast<std::size_t>(a.size() * item_size(dtype));
  const std::shared_ptr<const DerivedForm> form = derived_form(
      a, kKind | static_cast<uint64_t>(dtype), bytes,
      [&](void* to) {
        Array copy = external_array(to, a.shape(), dtype, {});
        copy_elements(a, copy);
      },
      true);
  return external_array(form->block.data, a.shape(), dtype, [form] {}, {.writable = false});
}

}  // namespace chainer
