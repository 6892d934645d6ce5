// SPDX-License-Identifier: MIT
#include "chainer/core/error.h"
#include "chainer/tokenizers/model.h"

namespace chainer::tokenizers {
namespace {

constexpr int64_t kLargestId = (int64_t{1} << 20) - 1;  // files of tokens are smaller

}  // namespace

void Vocabulary::add(const std::string& token, int64_t id) {
  if (id < 0 || id > kLargestId) throw ValueError("token '", token, "': id ", id, " is not in 0 ... ", kLargestId);
  const auto at = static_cast<std::size_t>(id);
  const auto [place, is_new] = ids.emplace(token, static_cast<int32_t>(id));
  if (!is_new && place->second != id) throw ValueError("token '", token, "' has two ids: ", place->second, " and ", id);
  if (tokens.size() <= at) tokens.resize(at + 1);
  if (is_new && !tokens[at].empty())
    throw ValueError("id ", id, " has two tokens: '", tokens[at], "' and '", token, "'");
  tokens[at] = token;
}

int32_t Vocabulary::find(std::string_view token) const {
  const auto it = ids.find(token);
  return it == ids.end() ? -1 : it->second;
}

int32_t Vocabulary::get(std::string_view token, std::string_view role) const {
  const int32_t id = find(token);
  if (id < 0) throw ValueError("the vocabulary has no token '", token, "', which is ", role);
  return id;
}

}  // namespace chainer::tokenizers
