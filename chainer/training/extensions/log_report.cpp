// LogReport and PrintReport.
#include <algorithm>
#include <cmath>
#include <set>

#include "chainer/core/file.h"
#include "chainer/training/extensions.h"
#include "chainer/training/extensions/missing_keys.h"
#include "chainer/training/extensions/terminal.h"

namespace chainer::training::extensions {
namespace {

std::string filled(std::string pattern, const json::Object& entry) {
  for (const auto& [key, v] : entry) {
    const std::string field = "{" + key + "}";
    if (const auto at = pattern.find(field); at != pattern.npos) {
      std::string s = json::dump(v);
      pattern.replace(at, field.size(), s);
    }
  }
  return pattern;
}

}  // namespace

void LogReport::operator()(Trainer& trainer) {
  if (options_.keys.empty()) {
    summary_.add(trainer.observation);
  } else {
    Observation chosen;
    for (const std::string& k : options_.keys)
      if (const auto it = trainer.observation.find(k); it != trainer.observation.end()) chosen.insert(*it);
    summary_.add(chosen);
  }
  if (!options_.trigger(trainer)) return;
  json::Object entry;
  const auto means = summary_.compute_mean();
  if (!warned_ && !options_.keys.empty() && trainer.updater().epoch() >= 1) {
    warned_ = true;
    std::set<std::string> there = names_of(trainer.observation);
    there.merge(names_of(means));
    warn_of_missing_keys("LogReport", options_.keys, there);
  }
  for (const auto& [key, mean] : means) entry.emplace_back(key, mean);
  entry.emplace_back("epoch", trainer.updater().epoch());
  entry.emplace_back("iteration", trainer.updater().iteration());
  entry.emplace_back("elapsed_time", trainer.elapsed_time());
  if (options_.postprocess) options_.postprocess(entry);
  if (options_.log_name) {
    json::List all = log_;
    all.emplace_back(entry);
    write_file(trainer.out() / filled(*options_.log_name, entry), json::dump(json::Value(std::move(all)), 4));
  }
  log_.emplace_back(std::move(entry));
  summary_ = {};
}

void LogReport::serialize(Serializer& s) {
  options_.trigger.serialize(*s.child("_trigger"));
  // An open interval goes into the file too; the release's reader takes it, and its files may lack it.
  if (!s.is_loading() || s.contains("_summary/_names")) summary_.serialize(*s.child("_summary"));
  std::string log = json::dump(json::Value(log_));
  s("_log", log);
  if (!s.is_loading()) return;
  json::Value v = json::parse(log);
  if (!v.list()) throw ValueError("LogReport: the stored log is not a list");
  log_ = std::move(*v.list());
}

PrintReport::PrintReport(std::vector<std::string> entries, std::string log_report, std::FILE* out)
    : entries_(std::move(entries)), log_report_name_(std::move(log_report)), out_(out) {}
PrintReport::PrintReport(std::vector<std::string> entries, LogReport log_report, std::FILE* out)
    : entries_(std::move(entries)), own_(std::make_shared<LogReport>(std::move(log_report))), out_(out) {}
void PrintReport::operator()(Trainer& trainer) {
  LogReport* report = own_.get();
  if (own_) {
    (*own_)(trainer);
  } else {
    try {
      report = dynamic_cast<LogReport*>(&trainer.get_extension(log_report_name_));
    } catch (const ValueError&) {
      throw ValueError("PrintReport: it prints the log of the extension '", log_report_name_,
                       "', which the trainer does not have: extend the trainer with extensions::LogReport(), too");
    }
    if (!report) throw TypeError("PrintReport: the extension '", log_report_name_, "' is not a LogReport");
  }
  const auto column = [](const std::string& e) { return static_cast<int>(std::max<std::size_t>(10, e.size())); };
  if (printed_ < report->log().size() || !header_done_) clear_bar(out_);
  if (!header_done_) {
    std::string line;
    for (const std::string& e : entries_)
      line += (line.empty() ? "" : "  ") + e + std::string(static_cast<std::size_t>(column(e)) - e.size(), ' ');
    std::fprintf(out_, "%s\n", line.c_str());
    header_done_ = true;
  }
  for (; printed_ < report->log().size(); ++printed_) {
    const json::Value& entry = report->log()[printed_];
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const json::Value* v = entry.find(entries_[i]);
      const int width = column(entries_[i]);
      if (i) std::fputs("  ", out_);
      if (v && v->is_number())
        std::fprintf(out_, "%-*g", width, v->number());
      else
        std::fprintf(out_, "%*s", width, "");
    }
    std::fputc('\n', out_);
  }
  std::fflush(out_);
  if (!warned_ && trainer.updater().epoch() >= 1 && !report->log().empty()) warn_of_missing(report->log());
}

void warn_of_missing_keys(const std::string& extension, const std::vector<std::string>& wanted,
                          const std::set<std::string>& reported) {
  const std::vector<std::string> keys(reported.begin(), reported.end());
  std::string list;
  for (const std::string& k : keys) list += (list.empty() ? "" : ", ") + k;
  for (const std::string& k : wanted)
    if (!reported.count(k))
      warn(text(extension, ": '", k, "' was not reported so far", did_you_mean(k, keys),
                "; there is: ", list.empty() ? "nothing" : list));
}

// A key that nobody reported in the first epoch is misspelled, most likely.
void PrintReport::warn_of_missing(const json::List& log) {
  warned_ = true;
  std::set<std::string> there;
  for (const json::Value& entry : log)
    if (const json::Object* o = entry.object()) there.merge(names_of(*o));
  warn_of_missing_keys("PrintReport", entries_, there);
}

void PrintReport::serialize(Serializer& s) {
  if (own_) own_->serialize(*s.child("_log_report"));
}

}  // namespace chainer::training::extensions
