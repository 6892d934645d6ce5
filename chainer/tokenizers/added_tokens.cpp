// SPDX-License-Identifier: MIT
#include <algorithm>

#include "chainer/core/utf8.h"
#include "chainer/tokenizers/steps.h"
#include "chainer/tokenizers/unicode.h"

namespace chainer::tokenizers {
namespace {

// Returns the beginning of the character that ends at `at`.
std::size_t before(std::string_view s, std::size_t at) {
  do --at;
  while (at > 0 && (static_cast<unsigned char>(s[at]) & 0xc0) == 0x80);
  return at;
}
int32_t character_at(std::string_view s, std::size_t at) { return next_utf8(s, at); }

}  // namespace

void AddedTokens::add(const AddedToken& token, const std::string& searched) {
  if (searched.empty()) return;
  auto& list = beginning_[static_cast<unsigned char>(searched[0])];
  std::erase_if(list, [&](const auto& t) { return t.first == searched; });  // the last one counts
  const auto place =
      std::find_if(list.begin(), list.end(), [&](const auto& t) { return t.first.size() < searched.size(); });
  list.insert(place, {searched, token});
  none_ = false;
}

void AddedTokens::split(std::string_view s, const std::function<void(const AddedToken&)>& token,
                        const Word& rest) const {
  std::size_t begin = 0;
  for (std::size_t at = 0; !none_ && at < s.size();) {
    const auto& list = beginning_[static_cast<unsigned char>(s[at])];
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const auto& t) { return s.substr(at).starts_with(t.first); });
    if (found == list.end()) {
      ++at;
      continue;
    }
    const AddedToken& t = found->second;
    std::size_t from = at, to = at + found->first.size();
    at = to;
    if (t.single_word && ((from > 0 && is_word_character(character_at(s, before(s, from)))) ||
                          (to < s.size() && is_word_character(character_at(s, to)))))
      continue;
    if (t.lstrip)
      while (from > begin && class_of(character_at(s, before(s, from))) == CharacterClass::space)
        from = before(s, from);
    if (t.rstrip)
      while (to < s.size() && class_of(character_at(s, to)) == CharacterClass::space) (void)next_utf8(s, to);
    if (from > begin) rest(s.substr(begin, from - begin));
    token(t);
    at = begin = to;
  }
  if (begin < s.size()) rest(s.substr(begin));
}

}  // namespace chainer::tokenizers
