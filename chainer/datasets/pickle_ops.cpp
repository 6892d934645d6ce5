// SPDX-License-Identifier: MIT
#include "chainer/datasets/pickle_ops.h"

#include "chainer/core/little_endian.h"

#include "chainer/datasets/pickle.h"

namespace chainer::dataset {
namespace pickle {

std::string_view Stream::take(std::size_t n) {
  if (n > bytes_.size() - at_) damaged("it ends early");
  const std::string_view s = bytes_.substr(at_, n);
  at_ += n;
  return s;
}
uint64_t Stream::length(std::size_t n) { return little_endian(take(n)); }

Step Stream::next() {
  const auto op = static_cast<unsigned char>(take(1)[0]);
  switch (op) {
    case kMark:
    case kStop:
    case kPop:
    case kNone:
    case kTrue:
    case kFalse:
    case kEmptyTuple:
    case kTuple:
    case kTuple1:
    case kTuple2:
    case kTuple3:
    case kEmptyList:
    case kAppend:
    case kAppends:
    case kEmptyDict:
    case kSetItem:
    case kSetItems:
    case kStackGlobal:
    case kReduce:
    case kBuild:
    case kMemoize: return {op, {}};
    case kInt1:
    case kPut1:
    case kGet1:
    case kProto: return {op, take(1)};
    case kInt2: return {op, take(2)};
    case kInt4:
    case kPut4:
    case kGet4: return {op, take(4)};
    case kFloat:
    case kFrame: return {op, take(8)};
    case kLong1:
    case kText1:
    case kString1:
    case kBytes1: return {op, take(length(1))};
    case kText4:
    case kString4:
    case kBytes4: return {op, take(length(4))};
    case kText8:
    case kBytes8:
    case kByteArray8: return {op, take(length(8))};
    case kGlobal: {
      const std::size_t begin = at_;
      for (int lines = 0; lines < 2; lines += take(1)[0] == '\n') {}
      return {op, bytes_.substr(begin, at_ - begin - 1)};
    }
    default: --at_; damaged(text("the opcode ", int(op), " is not one for data; pickles are never executed"));
  }
}

}  // namespace pickle

std::size_t pickle_end(std::string_view bytes, std::size_t at, const std::string& what) {
  pickle::Stream s(bytes, at, what);
  while (s.next().op != pickle::kStop) {}
  return s.at();
}

}  // namespace chainer::dataset
