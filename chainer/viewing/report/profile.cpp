// SPDX-License-Identifier: MIT
#include "chainer/viewing/report/profile.h"

#include <algorithm>
#include <set>
#include <utility>

namespace chainer::run_report {
namespace {

double median(std::vector<double> v) {
  if (v.empty()) return 0;
  const std::size_t middle = v.size() / 2;
  std::sort(v.begin(), v.end());
  return v.size() % 2 ? v[middle] : (v[middle - 1] + v[middle]) / 2;
}

struct Row {
  std::string name;
  double seconds = 0, least_share = 1;
  int64_t calls = 0;
};

}  // namespace

json::Value profile(const std::vector<Times>& iterations, const std::vector<double>& walls, const Bytes& bytes) {
  std::set<std::string> names;
  std::vector<double> totals;
  for (const Times& times : iterations) {
    totals.push_back(1e-12);
    for (const auto& [name, record] : times) {
      names.insert(name);
      totals.back() += record.elapsed_time;
    }
  }
  std::vector<Row> rows;
  for (const std::string& name : names) {
    Row row{.name = name};
    std::vector<double> seconds;
    for (std::size_t i = 0; i < iterations.size(); ++i) {
      const auto it = iterations[i].find(name);
      const auto record = it == iterations[i].end() ? function_hooks::TimeRecord{} : it->second;
      seconds.push_back(record.elapsed_time);
      row.calls = std::max(row.calls, record.occurrence);
      row.least_share = std::min(row.least_share, record.elapsed_time / totals[i]);
    }
    row.seconds = median(std::move(seconds));
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.seconds > b.seconds; });
  json::List functions;
  for (const Row& row : rows) {
    json::Object out{
        {"name", row.name}, {"calls", row.calls}, {"seconds", row.seconds}, {"least_share", row.least_share}};
    if (const auto it = bytes.find(row.name); it != bytes.end()) out.emplace_back("bytes", it->second.used_bytes);
    functions.emplace_back(std::move(out));
  }
  return json::Object{{"iterations", static_cast<int64_t>(iterations.size())},
                      {"seconds", median(walls)},
                      {"functions", std::move(functions)}};
}

}  // namespace chainer::run_report
