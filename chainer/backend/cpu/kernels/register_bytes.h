// SPDX-License-Identifier: MIT
// The size of a vector register, for sources that are compiled once per instruction set; it depends on the set.
#pragma once
#include <cstdint>

namespace {

constexpr int64_t kRegisterBytes = __BIGGEST_ALIGNMENT__ >= 16 ? __BIGGEST_ALIGNMENT__ : 16;

}  // namespace
