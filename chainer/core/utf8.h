// UTF-8, one character at a time.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace chainer {

/// What stands for a byte that begins no character.
inline constexpr int32_t kNoCharacter = -1;
/// The code point that begins at `at`, which moves behind it: behind one byte where that begins no character.
int32_t next_utf8(std::string_view text, std::size_t& at);
/// Adds a code point; one of a surrogate gets the three bytes that its number has.
void put_utf8(std::string& to, uint32_t code_point);
/// Whether all of a text is UTF-8.
bool is_utf8(std::string_view text);

}  // namespace chainer
