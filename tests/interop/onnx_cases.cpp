// SPDX-License-Identifier: MIT
// Runs all cases below a folder (see onnx_data.py) and counts. Usage: onnx_cases FOLDER [PART OF A NAME]
#include <algorithm>

#include "../onnx/cases.h"

int main(int argc, char** argv) {
  using namespace onnx_cases;
  if (argc < 2) return std::fprintf(stderr, "usage: onnx_cases FOLDER [PART OF A NAME]\n"), 2;
  const std::string part = argc > 2 ? argv[2] : "";
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(argv[1]))
    if (entry.is_directory() && entry.path().filename().string().find(part) != std::string::npos)
      folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  int counts[4] = {};
  std::map<std::string, int> missing;
  for (const fs::path& folder : folders) {
    const Result r = run_case(folder);
    ++counts[static_cast<int>(r.outcome)];
    if (r.outcome == Outcome::failed) std::printf("FAILED %s: %s\n", folder.filename().c_str(), r.message.c_str());
    if (r.outcome == Outcome::not_supported) ++missing[r.message.substr(r.message.rfind(": ") + 2)];
  }
  for (const auto& [names, n] : missing) std::printf("not supported: %s (%d)\n", names.c_str(), n);
  std::printf(
      "%d passed, %d failed, %d with operators that are not supported, %d with elements that the library lacks\n",
      counts[0], counts[1], counts[2], counts[3]);
  std::printf("%zu operators are supported\n", onnx::supported_operators().size());
  return counts[1] != 0;
}
