// SPDX-License-Identifier: MIT
// Checks docs/kinks.md, row by row: gradients of functions at points without a derivative.
#include <chainer/chainer.h>
#include <chainer/testing/testing.h>

#include <fstream>
#include <map>
#include <set>

#include "test.h"

using namespace chainer;

namespace {

using Call = std::function<Variable(const Variables&)>;

const std::map<std::string, Call>& calls() {
  const Array first = array({0, 0}).astype(int32);
  static const std::map<std::string, Call> all{
      {"F.absolute(x[0])", [](const Variables& x) { return F::absolute(x[0]); }},
      {"F.sign(x[0])", [](const Variables& x) { return F::sign(x[0]); }},
      {"F.floor(x[0])", [](const Variables& x) { return F::floor(x[0]); }},
      {"F.ceil(x[0])", [](const Variables& x) { return F::ceil(x[0]); }},
      {"F.fix(x[0])", [](const Variables& x) { return F::fix(x[0]); }},
      {"F.fmod(x[0], x[1])", [](const Variables& x) { return F::fmod(x[0], x[1]); }},
      {"F.clip(x[0], -1., 2.)", [](const Variables& x) { return F::clip(x[0], -1, 2); }},
      {"F.relu(x[0])", [](const Variables& x) { return F::relu(x[0]); }},
      {"F.clipped_relu(x[0], 2.)", [](const Variables& x) { return F::clipped_relu(x[0], 2); }},
      {"F.crelu(x[0])", [](const Variables& x) { return F::crelu(x[0]); }},
      {"F.leaky_relu(x[0], 0.2)", [](const Variables& x) { return F::leaky_relu(x[0], {.slope = 0.2}); }},
      {"F.prelu(x[0], x[1])", [](const Variables& x) { return F::prelu(x[0], x[1]); }},
      {"F.rrelu(x[0], 0.2, 0.3)", [](const Variables& x) { return F::rrelu(x[0], 0.2, 0.3); }},
      {"F.elu(x[0], 0.5)", [](const Variables& x) { return F::elu(x[0], {.alpha = 0.5}); }},
      {"F.selu(x[0])", [](const Variables& x) { return F::selu(x[0]); }},
      {"F.hard_sigmoid(x[0])", [](const Variables& x) { return F::hard_sigmoid(x[0]); }},
      {"F.maxout(x[0], 2)", [](const Variables& x) { return F::maxout(x[0], 2); }},
      {"F.max(x[0])", [](const Variables& x) { return F::max(x[0]); }},
      {"F.min(x[0])", [](const Variables& x) { return F::min(x[0]); }},
      {"F.maximum(x[0], x[1])", [](const Variables& x) { return F::maximum(x[0], x[1]); }},
      {"F.minimum(x[0], x[1])", [](const Variables& x) { return F::minimum(x[0], x[1]); }},
      {"F.huber_loss(x[0], x[1], 1., reduce='no')",
       [](const Variables& x) { return F::huber_loss(x[0], x[1], 1, {.reduce = Reduction::no}); }},
      {"F.absolute_error(x[0], x[1])", [](const Variables& x) { return F::absolute_error(x[0], x[1]); }},
      {"F.mean_absolute_error(x[0], x[1])", [](const Variables& x) { return F::mean_absolute_error(x[0], x[1]); }},
      {"F.hinge(x[0], np.array([0, 0]))", [=](const Variables& x) { return F::hinge(x[0], first); }},
      {"F.hinge(x[0], np.array([0, 0]), norm='L2')",
       [=](const Variables& x) { return F::hinge(x[0], first, {.norm = F::HingeNorm::L2}); }},
      {"F.contrastive(x[0], x[1], np.array([0]), margin=1)",
       [=](const Variables& x) { return F::contrastive(x[0], x[1], first[Slice(0, 1)], {.margin = 1}); }},
      {"F.contrastive(x[0], x[1], np.array([0]), margin=5)",
       [=](const Variables& x) { return F::contrastive(x[0], x[1], first[Slice(0, 1)], {.margin = 5}); }},
      {"F.triplet(x[0], x[1], x[2], margin=1.)",
       [](const Variables& x) { return F::triplet(x[0], x[1], x[2], {.margin = 1}); }},
      {"F.normalize(x[0])", [](const Variables& x) { return F::normalize(x[0]); }},
      {"F.sqrt(x[0])", [](const Variables& x) { return F::sqrt(x[0]); }},
      {"F.rsqrt(x[0])", [](const Variables& x) { return F::rsqrt(x[0]); }},
      {"F.log(x[0])", [](const Variables& x) { return F::log(x[0]); }},
      {"F.arcsin(x[0])", [](const Variables& x) { return F::arcsin(x[0]); }},
      {"F.arccos(x[0])", [](const Variables& x) { return F::arccos(x[0]); }},
      {"F.arctan2(x[0], x[1])", [](const Variables& x) { return F::arctan2(x[0], x[1]); }},
      {"x[0] ** 2", [](const Variables& x) { return pow(x[0], 2); }},
      {"x[0] ** 1", [](const Variables& x) { return pow(x[0], 1); }},
      {"x[0] ** 0.5", [](const Variables& x) { return pow(x[0], 0.5); }},
      {"F.prod(x[0])", [](const Variables& x) { return F::prod(x[0]); }},
      {"F.cumprod(x[0])", [](const Variables& x) { return F::cumprod(x[0]); }},
      {"F.spatial_transformer_sampler(x[0], x[1])",
       [](const Variables& x) { return F::spatial_transformer_sampler(x[0], x[1]); }},
      {"F.discriminative_margin_based_clustering_loss(x[0], np.zeros((1, 1, 2), 'i'), 0.5, 1.5, 1)[2]",
       [](const Variables& x) {
         return F::discriminative_margin_based_clustering_loss(x[0], zeros({1, 1, 2}, int32), 0.5, 1.5, 1)[2];
       }},
  };
  return all;
}

// Parses text such as "[[1, 2], [3, 4]]".
Array parsed(const std::string& text) {
  std::vector<double> values;
  Shape shape;
  std::vector<int64_t> lengths;  // of the open lists
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '[') {
      if (!lengths.empty()) ++lengths.back();
      lengths.push_back(0), ++i;
    } else if (c == ']') {
      const auto depth = static_cast<int>(lengths.size()) - 1;
      while (shape.ndim() <= depth) shape.push_back(0);
      shape[depth] = lengths.back();
      lengths.pop_back(), ++i;
    } else if (c == ',' || c == ' ') {
      ++i;
    } else {
      std::size_t used = 0;
      values.push_back(std::stod(text.substr(i), &used));
      i += used, ++lengths.back();
    }
  }
  return array(values).reshape(shape);
}

std::vector<std::string> split(const std::string& text, const std::string& by) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(by, at), text.size());
    const std::string part = text.substr(at, end - at);
    const std::size_t first = part.find_first_not_of(' '), last = part.find_last_not_of(' ');
    out.push_back(first == part.npos ? "" : part.substr(first, last - first + 1));
    at = end + by.size();
  }
  return out;
}

}  // namespace

TEST(gradients_at_kinks_are_those_of_the_table) {
  std::ifstream page(SOURCE_DIR "/docs/kinks.md");
  std::set<std::string> seen;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("| `", 0) != 0) continue;
    const std::vector<std::string> cells = split(line, "|");  // the first cell is empty
    const std::string call = cells[1].substr(1, cells[1].size() - 2);
    const auto it = calls().find(call);
    if (it == calls().end()) {
      test::fail(call.c_str(), 0, "the page has this call, the test does not");
      continue;
    }
    seen.insert(call);
    Variables xs;
    for (const std::string& text : split(cells[2], ";")) xs.push_back(Variable(parsed(text)));
    try {
      const Variable y = F::sum(it->second(xs));
      for (Variable& x : xs) x.cleargrad();
      y.backward();
      const std::vector<std::string> gradients = split(cells[3], ";");
      for (std::size_t i = 0; i < xs.size(); ++i) {
        const Array g = xs[i].grad();
        if (gradients[i] == "none") {
          if (g) test::fail(call.c_str(), 0, "a gradient where the page has none");
        } else {
          testing::assert_allclose(g.ravel(), parsed(gradients[i]), {.atol = 1e-10, .rtol = 1e-10});
        }
      }
    } catch (const MissingPartError& e) {
      std::fprintf(stderr, "left out: %s\n", e.what());
    } catch (const std::exception& e) { test::fail(call.c_str(), 0, e.what()); }
  }
  for (const auto& [call, function] : calls())
    if (!seen.count(call)) test::fail(call.c_str(), 0, "the test has this call, the page does not");
}
