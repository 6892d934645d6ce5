// SPDX-License-Identifier: MIT
// The opcodes of pickles that represent plain data, and their arguments.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "chainer/core/error.h"

namespace chainer::dataset::pickle {

enum Op : unsigned char {
  kMark = '(',
  kStop = '.',
  kPop = '0',
  kNone = 'N',
  kTrue = 0x88,
  kFalse = 0x89,
  kInt4 = 'J',
  kInt1 = 'K',
  kInt2 = 'M',
  kLong1 = 0x8a,
  kFloat = 'G',
  kText4 = 'X',
  kText1 = 0x8c,
  kText8 = 0x8d,
  kString4 = 'T',
  kString1 = 'U',
  kBytes4 = 'B',
  kBytes1 = 'C',
  kBytes8 = 0x8e,
  kByteArray8 = 0x96,
  kEmptyTuple = ')',
  kTuple = 't',
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kEmptyList = ']',
  kAppend = 'a',
  kAppends = 'e',
  kEmptyDict = '}',
  kSetItem = 's',
  kSetItems = 'u',
  kGlobal = 'c',
  kStackGlobal = 0x93,
  kReduce = 'R',
  kBuild = 'b',
  kPut1 = 'q',
  kPut4 = 'r',
  kGet1 = 'h',
  kGet4 = 'j',
  kMemoize = 0x94,
  kProto = 0x80,
  kFrame = 0x95
};

/// An opcode with its argument: the bytes of a string or bytes object, the two lines of a global, or a fixed number of
/// bytes.
struct Step {
  unsigned char op;
  std::string_view argument;
};

/// Reads opcodes one by one. Throws FileError for truncated or unknown content.
class Stream {
 public:
  Stream(std::string_view bytes, std::size_t at, const std::string& what) : bytes_(bytes), at_(at), what_(what) {}
  std::size_t at() const { return at_; }
  Step next();
  [[noreturn]] void damaged(const std::string& why) const {
    throw FileError(what_, ": not a pickle of plain arrays, numbers, texts and tuples: ", why, " (at byte ", at_, ")");
  }

 private:
  std::string_view take(std::size_t n);
  uint64_t length(std::size_t n);
  std::string_view bytes_;
  std::size_t at_;
  const std::string& what_;
};

}  // namespace chainer::dataset::pickle
