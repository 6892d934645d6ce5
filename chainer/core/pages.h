// Memory from the system in whole pages, which come into being when they are written.
#pragma once
#include <cstddef>
#include <string>

namespace chainer::pages {

/// Zero bytes; nullptr without memory.
void* map(std::size_t bytes) noexcept;
/// The same at a multiple of `bytes`, a power of two.
void* map_aligned(std::size_t bytes) noexcept;
/// Zero bytes that children of fork() share; nullptr without memory, and then `why` says the reason.
void* map_shared(std::size_t bytes, std::string& why);
/// Addresses alone, at which nothing may be read or written; nullptr where there are not so many.
void* reserve(std::size_t bytes) noexcept;
/// Lets a part of reserved addresses be read and written; whether that went well.
bool open(void* p, std::size_t bytes) noexcept;
/// Gives back what one of these gave, or a part of it.
void unmap(void* p, std::size_t bytes) noexcept;
/// Asks for large pages, which cost less to find.
void prefer_large(void* p, std::size_t bytes) noexcept;
/// Whether this process may have fewer addresses than the machine has (ulimit -v).
bool limited() noexcept;

}  // namespace chainer::pages
