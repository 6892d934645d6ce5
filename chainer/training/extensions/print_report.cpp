// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>

#include "chainer/core/utf8.h"
#include "chainer/training/extensions.h"
#include "chainer/training/extensions/missing_keys.h"
#include "chainer/training/extensions/terminal.h"

namespace chainer::training::extensions {

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
      throw ValueError("PrintReport: the trainer has no extension named '", log_report_name_,
                       "': extend the trainer with extensions::LogReport() also");
    }
    if (!report) throw TypeError("PrintReport: the extension '", log_report_name_, "' is not a LogReport");
  }
  const auto characters = [](const std::string& e) {
    int n = 0;
    for (std::size_t at = 0; at < e.size(); ++n) (void)next_utf8(e, at);
    return n;
  };
  const auto column = [&](const std::string& e) { return std::max(10, characters(e)); };
  if (printed_ < report->log().size() || !header_done_) clear_bar(out_);
  if (!header_done_) {
    std::string line;
    for (const std::string& e : entries_)
      line += (line.empty() ? "" : "  ") + e + std::string(static_cast<std::size_t>(column(e) - characters(e)), ' ');
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

// A key that was not reported in the first epoch is probably misspelled.
void PrintReport::warn_of_missing(const json::List& log) {
  warned_ = true;
  std::set<std::string> there;
  for (const json::Value& entry : log)
    if (const json::Object* o = entry.object()) there.merge(names_of(*o));
  warn_of_missing_keys("PrintReport", entries_, there);
}

void PrintReport::finalize() {
  if (own_) own_->finalize();
}

void PrintReport::serialize(Serializer& s) {
  if (own_) own_->serialize(*s.child("_log_report"));
}

}  // namespace chainer::training::extensions
