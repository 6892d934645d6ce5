// SPDX-License-Identifier: MIT
// Documents, styles and scripts of the pages, as they lie in plot/, live/ and report/; the build embeds them
// (cmake/Embed.cmake).
#pragma once
#include <string_view>

namespace chainer::pages {

extern const std::string_view colors_css, plot_css, plot_js;
extern const std::string_view page_html, page_css, page_js, progress_js;
extern const std::string_view report_css, report_js;

}  // namespace chainer::pages
