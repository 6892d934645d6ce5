// SPDX-License-Identifier: MIT
// Memory from the system in whole pages, which are backed by memory when first written.
#pragma once
#include <cstddef>
#include <string>

namespace chainer::pages {

/// Maps zeroed memory; returns nullptr if there is none.
void* map(std::size_t bytes) noexcept;
/// Maps zeroed memory at a multiple of `bytes`, a power of two; returns nullptr if there is none.
void* map_aligned(std::size_t bytes) noexcept;
/// Maps zeroed memory shared with children of fork(). Returns nullptr on failure, with the reason in `why`.
void* map_shared(std::size_t bytes, std::string& why);
/// Reserves addresses without access to them; returns nullptr if there are not enough.
void* reserve(std::size_t bytes) noexcept;
/// Makes a part of a reserved range accessible; returns false on failure.
bool open(void* p, std::size_t bytes) noexcept;
/// Unmaps memory or addresses returned by one of these functions, or a part of them.
void unmap(void* p, std::size_t bytes) noexcept;
/// Asks the system for huge pages, which need fewer TLB entries.
void prefer_large(void* p, std::size_t bytes) noexcept;
/// Returns true if the address space of this process is limited (ulimit -v, ulimit -d).
bool limited() noexcept;

}  // namespace chainer::pages
