// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>

#include "chainer/core/utf8.h"
#include "command.h"
#include "model_file.h"

namespace tool {
namespace {

using chainer::text;
namespace json = chainer::json;

std::string number(double v) {
  char out[32];
  std::snprintf(out, sizeof out, "%.4g", v);
  return out;
}
// The value of a single element, such as an epoch or a learning rate in a snapshot.
std::string one_value(const chainer::Array& a) { return to_string(a.reshape({}).scalar()); }

json::Value statistics_of(const Statistics& s) {
  return json::Object{
      {"min", s.least}, {"max", s.largest}, {"mean", s.mean}, {"std", s.deviation}, {"not_finite", s.not_finite}};
}

int run(const Arguments& a) {
  const std::string& path = a.positional[0];
  const ModelFile file = open_model_file(path);
  const bool with_statistics = !a.has("no-stats");
  int64_t elements = 0;
  for (const NamedArray& n : file.arrays) elements += element_count(n.shape);
  std::error_code ignored;
  const auto bytes = static_cast<int64_t>(std::filesystem::file_size(path, ignored));
  int code = 0;  // 1 if an array cannot be read

  if (a.has("json")) {
    json::List arrays;
    for (const NamedArray& n : file.arrays) {
      json::Object o{{"name", n.name}};
      if (!n.error.empty()) {
        o.emplace_back("error", n.error);
        code = std::max<int>(code, n.is_data);
        arrays.emplace_back(std::move(o));
        continue;
      }
      o.emplace_back("dtype", n.dtype), o.emplace_back("shape", lengths(n.shape));
      if (!n.same_as.empty()) {
        o.emplace_back("same_as", n.same_as);
      } else if (with_statistics && element_count(n.shape) > 0) {
        try {
          o.emplace_back("statistics", statistics_of(statistics(n)));
        } catch (const chainer::Error& e) {
          o.emplace_back("error", std::string(e.what()));
          code = 1;
        }
      }
      arrays.emplace_back(std::move(o));
    }
    json::Object texts;
    for (const auto& [name, value] : file.texts) texts.emplace_back(name, value);
    json::List nones(file.nones.begin(), file.nones.end());
    json::Object links;
    for (const auto& [name, value] : file.links) links.emplace_back(name, value);
    print_json(json::Object{{"file", path},
                            {"format", file.format},
                            {"bytes", bytes},
                            {"elements", elements},
                            {"arrays", std::move(arrays)},
                            {"texts", std::move(texts)},
                            {"none", std::move(nones)},
                            {"links", std::move(links)}});
    return code;
  }

  std::printf("%s: %s, %s, %zu array(s) of %lld element(s)\n", chainer::printable(path).c_str(), file.format.c_str(),
              size_text(static_cast<double>(bytes)).c_str(), file.arrays.size(), static_cast<long long>(elements));
  // Prints a tree: a line for each new group of a name, then a line with the last part of the name.
  std::vector<std::string> shown;
  const auto line = [&](const std::string& name, const std::string& what) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= name.size();) {
      const std::size_t end = std::min(name.find(file.separator, at), name.size());
      parts.push_back(name.substr(at, end - at));
      at = end + 1;
    }
    std::size_t same = 0;
    while (same + 1 < parts.size() && same < shown.size() && shown[same] == parts[same]) ++same;
    for (std::size_t i = same; i + 1 < parts.size(); ++i)
      std::printf("%*s%s\n", static_cast<int>(2 * i), "", chainer::printable(parts[i]).c_str());
    std::printf("%*s%-*s %s\n", static_cast<int>(2 * (parts.size() - 1)), "", 16,
                chainer::printable(parts.back()).c_str(), chainer::printable(what).c_str());
    parts.pop_back();
    shown = std::move(parts);
  };
  for (const NamedArray& n : file.arrays) {
    if (!n.error.empty()) {
      line(n.name, text("(", n.error, ")"));
      code = std::max<int>(code, n.is_data);
      continue;
    }
    std::string what = n.dtype + " " + shape_text(n.shape);
    try {
      if (!n.same_as.empty()) {
        what += "  the same as " + n.same_as;
      } else if (n.shape.empty()) {
        what += " = " + one_value(n.load());
      } else if (with_statistics && element_count(n.shape) > 0) {
        const Statistics s = statistics(n);
        what += text("  min ", number(s.least), ", max ", number(s.largest), ", mean ", number(s.mean), ", std ",
                     number(s.deviation));
        if (s.not_finite) what += text(", ", s.not_finite, " not finite");
      }
    } catch (const chainer::Error& e) {
      what += text("  (", e.what(), ")");
      code = 1;
    }
    line(n.name, what);
  }
  for (const auto& [name, value] : file.texts)
    line(name, text("text  ", json::dump(json::Value(value.size() > 200 ? value.substr(0, 200) + "..." : value))));
  for (const std::string& name : file.nones) line(name, "none");
  for (const auto& [name, first] : file.links) line(name, "the same group as " + first);
  return code;
}

}  // namespace

Command inspect_command() {
  return {.name = "inspect",
          .arguments = "FILE",
          .least = 1,
          .most = 1,
          .summary = "Shows the contents of a model file or snapshot.",
          .description =
              {"Prints a tree of the names, with dtype, shape and the range, mean and standard deviation of each "
               "array. Values of one element (the epoch and the iteration of a snapshot, hyperparameters) are "
               "printed directly, and strings are quoted. If an entry cannot be read, its line has the reason "
               "and the exit code is 1.",
               "Formats: NPZ, NPY, HDF5, safetensors, ONNX (.onnx), and Caffe models (.caffemodel)."},
          .options = {{"json", "", "print one JSON object"}, {"no-stats", "", "omit the statistics"}},
          .run = run};
}

}  // namespace tool
