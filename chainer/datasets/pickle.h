// The part of Python's pickle format that means plain data.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "chainer/datasets/dataset.h"

namespace chainer::dataset {

/// Where the pickle that begins at `at` ends, found by its opcodes alone. FileError, naming `what`, if it is cut off.
std::size_t pickle_end(std::string_view bytes, std::size_t at, const std::string& what);

/// The example that a pickle of protocol 2 to 5 means: a NumPy array or a number (a 0-d array), a text (its code
/// points, int32), bytes (uint8) or None (no array); a tuple of these; or a dict of these by texts. Nothing is
/// executed: of all names only those by which NumPy pickles arrays, dtypes and scalars are known, and each other name
/// or opcode is a FileError that names it.
Example parse_pickle(std::string_view pickle, const std::string& what);

/// ValueError for a protocol other than 3, 4 and 5, which make_pickle() knows.
void check_protocol(int protocol);
/// The pickle of an example as the release's Python reads it, protocol 3 to 5 (two bytes differ). No array becomes
/// None.
std::string make_pickle(const Example& example, int protocol = 4);

}  // namespace chainer::dataset
