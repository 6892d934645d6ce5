// SPDX-License-Identifier: MIT
// The part of Python's pickle format that represents plain data.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "chainer/datasets/dataset.h"

namespace chainer::dataset {

/// Returns the end of the pickle that begins at `at`, by reading its opcodes only. Throws FileError, naming `what`, if
/// the pickle is truncated.
std::size_t pickle_end(std::string_view bytes, std::size_t at, const std::string& what);

/// Returns the example in a pickle of protocol 2 to 5: a NumPy array or a number (an array of shape ()), a string (its
/// code points, int32), bytes (uint8) or None (no array); a tuple of these; or a dict of these with string keys.
/// Nothing is executed: the only names known are those that NumPy uses for arrays, dtypes and scalars. Throws
/// FileError, naming `what`, for another name or opcode.
Example parse_pickle(std::string_view pickle, const std::string& what);

/// Throws ValueError for a protocol other than 3, 4 and 5, the protocols of make_pickle().
void check_protocol(int protocol);
/// Returns the pickle of an example for Python, protocol 3 to 5 (two bytes differ). An entry without array becomes
/// None. Throws ValueError for another protocol.
std::string make_pickle(const Example& example, int protocol = 4);

}  // namespace chainer::dataset
