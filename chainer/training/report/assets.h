// Style and script of the page.
#pragma once

namespace chainer::run_report {

extern const char* const kStyle;
extern const char* const kScript;

}  // namespace chainer::run_report
