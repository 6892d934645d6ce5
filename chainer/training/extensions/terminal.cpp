// SPDX-License-Identifier: MIT
#include "chainer/training/extensions/terminal.h"

#include <atomic>
#include <cstdlib>
#include <string_view>

#include "chainer/core/system/terminal.h"

namespace chainer::training::extensions {
namespace {

std::atomic<int> bars = 0;

}  // namespace

bool redraws(std::FILE* stream) {
  const char* const term = std::getenv("TERM");
  if (!term || std::string_view(term) == "dumb") return false;
  for (const char* rank : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
    if (std::getenv(rank)) return false;
  return is_terminal(stream);
}

void count_bars(int change) { bars += change; }

void clear_bar(std::FILE* stream) {
  if (bars > 0 && redraws(stream)) std::fputs("\033[J", stream);
}

}  // namespace chainer::training::extensions
