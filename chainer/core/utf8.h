// SPDX-License-Identifier: MIT
// UTF-8 encoding and decoding.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace chainer {

/// Returned for a byte that does not begin a valid character.
inline constexpr int32_t kNoCharacter = -1;
/// Returns the code point that begins at `at` and advances `at` past it, or by one byte if no character begins there.
int32_t next_utf8(std::string_view text, std::size_t& at);
/// Appends a code point. A surrogate is encoded in three bytes.
void put_utf8(std::string& to, uint32_t code_point);
/// Returns true if the whole text is valid UTF-8.
bool is_utf8(std::string_view text);
/// Returns the text in a form that a terminal can show: control characters (except line feeds and tabs) and invalid
/// bytes are written as "\\x1b".
std::string printable(std::string_view text);

}  // namespace chainer
