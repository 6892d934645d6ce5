#include "chainer/training/extensions/terminal.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string_view>

namespace chainer::training::extensions {
namespace {

std::atomic<int> bars = 0;

}  // namespace

bool redraws(std::FILE* stream) {
  const char* const term = std::getenv("TERM");
  if (!term || std::string_view(term) == "dumb") return false;
  for (const char* rank : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
    if (std::getenv(rank)) return false;
  return isatty(fileno(stream)) == 1;
}

void count_bars(int change) { bars += change; }

void clear_bar(std::FILE* stream) {
  if (bars > 0 && redraws(stream)) std::fputs("\033[J", stream);
}

}  // namespace chainer::training::extensions
