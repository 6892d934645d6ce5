// SPDX-License-Identifier: MIT
#include <cstdio>

#include "chainer/datasets/download.h"
#include "chainer/array/device.h"
#include "chainer/core/utf8.h"
#include "chainer/runtime_info.h"
#include "command.h"
#include "model_file.h"

namespace tool {
namespace {

int run(const Arguments& a) {
  chainer::json::Object all;
  const auto put = [&](const std::string& name, std::string value) { all.emplace_back(name, std::move(value)); };
  // Lines "name: value" of runtime_info().
  const std::string facts = chainer::runtime_info();
  for (std::size_t at = 0; at < facts.size();) {
    const std::size_t end = std::min(facts.find('\n', at), facts.size());
    const std::string line = facts.substr(at, end - at);
    if (const std::size_t colon = line.find(": "); colon != line.npos)
      put(line.substr(0, colon), line.substr(colon + 2));
    at = end + 1;
  }
  // Libraries of the build: "NAME=VERSION,...", defined by CMake.
  const std::string parts = CHAINER_PARTS;
  for (std::size_t at = 0; at < parts.size();) {
    const std::size_t end = std::min(parts.find(',', at), parts.size());
    const std::string part = parts.substr(at, end - at);
    const std::size_t equals = part.find('=');
    put(part.substr(0, equals), equals + 1 == part.size() ? "not available" : part.substr(equals + 1));
    at = end + 1;
  }
  std::string devices = chainer::Device().name();
  for (const chainer::Device& d : chainer::gpu_devices()) devices += ", " + d.name();
  put("devices", devices);
  const auto root = chainer::dataset::get_dataset_root();
  double bytes = 0;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator it(root, error), end; !error && it != end; it.increment(error)) {
    std::error_code of_file;
    if (it->is_regular_file(of_file)) bytes += static_cast<double>(it->file_size(of_file));
  }
  put("cache of datasets", root.string() + ", " + size_text(bytes));
  if (a.has("json")) {
    print_json(std::move(all));
    return 0;
  }
  for (const auto& [name, value] : all)
    std::printf("%s: %s\n", name.c_str(), chainer::printable(*value.string()).c_str());
  return 0;
}

}  // namespace

Command info_command() {
  return {.name = "info",
          .arguments = "",
          .least = 0,
          .most = 0,
          .summary = "Shows the build: version, libraries found, devices, cache.",
          .description = {},
          .options = {{"json", "", "print one JSON object"}},
          .run = run};
}

}  // namespace tool
