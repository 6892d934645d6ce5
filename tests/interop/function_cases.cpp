// SPDX-License-Identifier: MIT
// Prints calls of functions with random shapes and options as lines of Python, with results and gradients of this
// library, for check_functions.py: function_cases COUNT SEED
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "python_cases.h"

using namespace chainer;
using namespace python_cases;

namespace {

class Cases : Draws {
 public:
  using Draws::Draws;
  void print() {
    switch (draw(14)) {
      case 0: return convolution();
      case 1: return deconvolution();
      case 2: return max_pooling();
      case 3: return average_pooling();
      case 4: return unpooling();
      case 5: return patches();
      case 6: return cross_entropy();
      case 7: return metric_loss();
      case 8: return ctc();
      case 9: return crf();
      case 10: return regions();
      case 11: return batch_normalization();
      case 12: return along_an_axis();
      default: return sampler();
    }
  }

 private:
  using Function = std::function<Variables(const Variables&)>;

  // Output gradients are cos(1.7 i + 0.3) in both programs.
  static Array slope(const Array& y) { return cos(arange(y.size()).astype(float64) * 1.7 + 0.3).reshape(y.shape()); }
  void print_case(const std::string& python, const std::vector<Term>& terms, const Function& f) {
    std::string inputs, outputs, gradients, error;
    Variables xs, wanted, ys, slopes;
    for (const Term& t : terms) {
      inputs += t.python + ",";
      xs.push_back(Variable(t.value, is_floating(t.value.dtype())));
      if (xs.back().requires_grad()) wanted.push_back(xs.back());
    }
    try {
      for (const Variable& y : f(xs)) {
        outputs += text("(", tuple(y.shape()), ",", list(y.array()), "),");
        ys.push_back(y);
        slopes.push_back(Variable(slope(y.array()), false));
      }
      for (const Variable& g : grad(ys, wanted, {.grad_outputs = slopes}))
        gradients += g ? list(g.array()) + "," : "None,";
    } catch (const std::exception&) { error = "error"; }
    std::printf("check(lambda x: %s, [%s], [%s], [%s], '%s')\n", python.c_str(), inputs.c_str(), outputs.c_str(),
                gradients.c_str(), error.c_str());
  }

  Term numbers(const Shape& s, double scale = 1) {
    const Array a = random_.uniform(-2 * scale, 2 * scale, s);
    return {a, text("floats(", list(a), ",", tuple(s), ")")};
  }
  Term labels(const Shape& s, int from, int to) {
    std::vector<int64_t> values;
    for (int64_t left = s.product(); left > 0; --left) values.push_back(from + draw(to - from));
    return {array(values).astype(int32).reshape(s), text("integers(", tuple(values), ",", tuple(s), ")")};
  }
  Dims lengths(int axes, int from, int to) {
    Dims out;
    for (int i = 0; i < axes; ++i) out.push_back(from + draw(to - from));
    return out;
  }
  static PerAxis per_axis(const Dims& d) { return PerAxis(std::vector<int64_t>(d.begin(), d.end())); }
  static Shape joined(Shape s, const Dims& rest) {
    for (int64_t n : rest) s.push_back(n);
    return s;
  }
  std::pair<Reduction, std::string> reduction() {
    return once_in(2) ? std::pair(Reduction::no, "'no'") : std::pair(Reduction::mean, "'mean'");
  }

  void convolution() {
    const int axes = 1 + draw(3), groups = 1 + draw(2), in = groups * (1 + draw(2)), out = groups * (1 + draw(3));
    const Dims ksize = lengths(axes, 1, 4), stride = lengths(axes, 1, 4), pad = lengths(axes, 0, 3),
               dilate = lengths(axes, 1, 3);
    const bool cover_all = once_in(3), bias = once_in(2);
    std::vector<Term> terms = {numbers(joined({1 + draw(2), in}, lengths(axes, 1, 8))),
                               numbers(joined({out, in / groups}, ksize))};
    if (bias) terms.push_back(numbers({out}));
    print_case(text("F.convolution_nd(*x, stride=", tuple(stride), ", pad=", tuple(pad),
                    ", cover_all=", truth(cover_all), ", dilate=", tuple(dilate), ", groups=", groups, ")"),
               terms, [&](const Variables& x) -> Variables {
                 return {F::convolution_nd(x[0], x[1], bias ? x[2] : Variable(),
                                           {.stride = per_axis(stride),
                                            .pad = per_axis(pad),
                                            .cover_all = cover_all,
                                            .dilate = per_axis(dilate),
                                            .groups = groups})};
               });
  }
  void deconvolution() {
    const int axes = 1 + draw(3), groups = 1 + draw(2), in = groups * (1 + draw(2)), out = groups * (1 + draw(2));
    const Dims length = lengths(axes, 1, 5), ksize = lengths(axes, 1, 4), stride = lengths(axes, 1, 4),
               pad = lengths(axes, 0, 2), dilate = lengths(axes, 1, 3);
    const bool sized = once_in(2), bias = once_in(2);
    Dims outsize;
    for (int d = 0; d < axes; ++d) {
      outsize.push_back(stride[d] * (length[d] - 1) + dilate[d] * (ksize[d] - 1) + 1 - 2 * pad[d]);
      if (outsize[d] <= 0) return;  // the release returns nothing or fails
      outsize[d] += draw(static_cast<int>(stride[d]));
    }
    std::vector<Term> terms = {numbers(joined({1 + draw(2), in}, length)), numbers(joined({in, out / groups}, ksize))};
    if (bias) terms.push_back(numbers({out}));
    print_case(text("F.deconvolution_nd(*x, stride=", tuple(stride), ", pad=", tuple(pad), ", outsize=",
                    sized ? tuple(outsize) : "None", ", dilate=", tuple(dilate), ", groups=", groups, ")"),
               terms, [&](const Variables& x) -> Variables {
                 return {F::deconvolution_nd(x[0], x[1], bias ? x[2] : Variable(),
                                             {.stride = per_axis(stride),
                                              .pad = per_axis(pad),
                                              .outsize = sized ? per_axis(outsize) : PerAxis{},
                                              .dilate = per_axis(dilate),
                                              .groups = groups})};
               });
  }

  // Images and windows of any number of axes.
  struct Windows {
    Term x;
    Dims ksize, stride, pad;
    bool strided, cover_all;
    PerAxis step() const { return strided ? per_axis(stride) : PerAxis{}; }
    std::string python() const {
      return text("x[0], ", tuple(ksize), ", ", strided ? tuple(stride) : "None", ", ", tuple(pad));
    }
  };
  Windows windows() {
    const int axes = 1 + draw(3);
    return {numbers(joined({1 + draw(2), 1 + draw(3)}, lengths(axes, 1, 8))),
            lengths(axes, 1, 4),
            lengths(axes, 1, 5),
            lengths(axes, 0, 3),
            !once_in(3),
            once_in(2)};
  }
  void max_pooling() {
    const Windows w = windows();
    print_case(text("F.max_pooling_nd(", w.python(), ", cover_all=", truth(w.cover_all), ")"), {w.x},
               [&](const Variables& x) -> Variables {
                 return {F::max_pooling_nd(x[0], per_axis(w.ksize),
                                           {.stride = w.step(), .pad = per_axis(w.pad), .cover_all = w.cover_all})};
               });
  }
  void average_pooling() {  // the release has no gradient for pad_value=None
    const Windows w = windows();
    print_case(text("F.average_pooling_nd(", w.python(), ")"), {w.x}, [&](const Variables& x) -> Variables {
      return {F::average_pooling_nd(x[0], per_axis(w.ksize), {.stride = w.step(), .pad = per_axis(w.pad)})};
    });
  }
  void unpooling() {
    const Windows w = windows();
    const Dims& step = w.strided ? w.stride : w.ksize;
    for (int d = 0; d < w.ksize.ndim(); ++d)  // the release returns nothing or fails if no window fits
      if (step[d] * (w.x.value.shape()[d + 2] - 1) + w.ksize[d] - 2 * w.pad[d] - (w.cover_all ? step[d] - 1 : 0) <= 0)
        return;
    print_case(text("F.unpooling_nd(", w.python(), ", cover_all=", truth(w.cover_all), ")"), {w.x},
               [&](const Variables& x) -> Variables {
                 return {F::unpooling_nd(x[0], per_axis(w.ksize),
                                         {.stride = w.step(), .pad = per_axis(w.pad), .cover_all = w.cover_all})};
               });
  }
  void patches() {
    const Dims k = lengths(2, 1, 4), s = lengths(2, 1, 4), p = lengths(2, 0, 3), d = lengths(2, 1, 3);
    const bool cover_all = once_in(2);
    const auto pair = [](const Dims& n) { return IntPair(n[0], n[1]); };
    print_case(text("F.im2col(x[0], ", tuple(k), ", stride=", tuple(s), ", pad=", tuple(p),
                    ", cover_all=", truth(cover_all), ", dilate=", tuple(d), ")"),
               {numbers(joined({2, 2}, lengths(2, 1, 7)))}, [&](const Variables& x) -> Variables {
                 return {F::im2col(x[0], pair(k),
                                   {.stride = pair(s), .pad = pair(p), .cover_all = cover_all, .dilate = pair(d)})};
               });
  }

  void cross_entropy() {
    const int n = 1 + draw(4), classes = 1 + draw(4);
    const Dims rest = lengths(draw(3), 1, 4);
    const bool normalize = once_in(2), weighted = once_in(2);
    const auto [reduce, python] = reduction();
    const int ignored = once_in(2) ? -1 : draw(classes);
    const Array weights = weighted ? random_.uniform(0.25, 2, {classes}) : Array();
    const functions::SoftmaxCrossEntropyOptions options{
        .normalize = normalize, .class_weight = weights, .ignore_label = ignored, .reduce = reduce};
    print_case(text("F.softmax_cross_entropy(*x, normalize=", truth(normalize),
                    ", class_weight=", weighted ? text("floats(", list(weights), ",(", classes, ",))") : "None",
                    ", ignore_label=", ignored, ", reduce=", python, ")"),
               {numbers(joined({n, classes}, rest), 3), labels(joined({n}, rest), ignored == -1 ? -1 : 0, classes)},
               [&](const Variables& x) -> Variables { return {F::softmax_cross_entropy(x[0], x[1], options)}; });
  }
  void metric_loss() {
    const Shape rows{1 + draw(3), 1 + draw(3)};
    const double margin = 0.25 * draw(8);
    const auto [reduce, python] = reduction();
    const std::string options = text(", margin=", margin, ", reduce=", python, ")");
    if (once_in(2)) {
      const functions::ContrastiveOptions o{.margin = margin, .reduce = reduce};
      print_case("F.contrastive(*x" + options, {numbers(rows), numbers(rows), labels({rows[0]}, 0, 2)},
                 [&](const Variables& x) -> Variables { return {F::contrastive(x[0], x[1], x[2], o)}; });
    } else {
      const functions::TripletOptions o{.margin = margin, .reduce = reduce};
      print_case("F.triplet(*x" + options, {numbers(rows), numbers(rows), numbers(rows)},
                 [&](const Variables& x) -> Variables { return {F::triplet(x[0], x[1], x[2], o)}; });
    }
  }
  void ctc() {
    const int times = 1 + draw(6), batch = 1 + draw(3), symbols = 2 + draw(3), most = 1 + draw(3),
              blank = draw(symbols);
    Term t = labels({batch, most}, 0, symbols - 1);
    t.value = where(t.value >= blank, t.value + 1, t.value);  // any but the blank
    const Term input_length = labels({batch}, 1, times + 1), label_length = labels({batch}, 1, most + 1);
    for (int b = 0; b < batch; ++b) {  // the release handles labels that do not fit differently
      const std::vector<int> l = t.value[b].astype(int32).to_vector<int>();
      const int n = label_length.value[b].item<int>();
      int needed = n;
      for (int i = 1; i < n; ++i) needed += l[static_cast<std::size_t>(i)] == l[static_cast<std::size_t>(i - 1)];
      if (needed > input_length.value[b].item<int>()) return;
    }
    const auto [reduce, python] = reduction();
    const functions::CtcOptions options{
        .input_length = input_length.value, .label_length = label_length.value, .reduce = reduce};
    std::vector<Term> xs;
    for (int i = 0; i < times; ++i) xs.push_back(numbers({batch, symbols}));
    const Variable target(t.value.astype(int32), false);
    print_case(
        text("F.connectionist_temporal_classification(x, integers(", list(target.array()), ",", tuple(target.shape()),
             "), ", blank, ", ", input_length.python, ", ", label_length.python, ", reduce=", python, ")"),
        xs, [&](const Variables& x) -> Variables {
          return {F::connectionist_temporal_classification(x, target, blank, options)};
        });
  }
  void crf() {
    const int classes = 1 + draw(3);
    const auto [reduce, python] = reduction();
    std::vector<Term> terms = {numbers({classes, classes})};
    Variables ys;
    std::string targets;
    int batch = 1 + draw(4);
    for (int left = 1 + draw(4); left > 0; --left, batch = 1 + draw(batch)) {
      terms.push_back(numbers({batch, classes}));
      const Term y = labels({batch}, 0, classes);
      ys.push_back(Variable(y.value, false));
      targets += y.python + ",";
    }
    const Reduction r = reduce;  // Clang 14 does not capture structured bindings
    print_case(
        text("F.crf1d(x[0], x[1:], [", targets, "], reduce=", python, ")"), terms,
        [&](const Variables& x) -> Variables { return {F::crf1d(x[0], Variables(x.begin() + 1, x.end()), ys, r)}; });
  }

  void regions() {
    const int n = 1 + draw(2), h = 1 + draw(6), w = 1 + draw(6), count = 1 + draw(3), out_h = 1 + draw(3),
              out_w = 1 + draw(3);
    std::vector<double> corners;
    for (int i = 0; i < count; ++i) {
      const int x = draw(w), y = draw(h);  // the release fails beyond the image
      for (int v : {draw(n), x, y, x + draw(w - x), y + draw(h - y)}) corners.push_back(v);
    }
    const Array rois = array(corners).reshape({count, 5});
    const double scale = std::array{1., 0.5, 0.3}[static_cast<std::size_t>(draw(3))];
    print_case(text("F.roi_pooling_2d(x[0], floats(", list(rois), ",", tuple(rois.shape()), "), ", out_h, ", ", out_w,
                    ", ", scale, ")"),
               {numbers({n, 1 + draw(2), h, w})}, [&](const Variables& x) -> Variables {
                 return {F::roi_pooling_2d(x[0], Variable(rois, false), out_h, out_w, scale)};
               });
  }
  void batch_normalization() {
    const Shape s = joined({1 + draw(3)}, lengths(1 + draw(3), 1, 4));
    Dims averaged;
    Shape keys;
    for (int d = 0; d < s.ndim(); ++d) once_in(2) ? averaged.push_back(d) : keys.push_back(s[d]);
    const bool given = once_in(2) && averaged.ndim() && keys.ndim();
    if (!given) keys = Shape(s.begin() + 1, s.begin() + 2 + draw(s.ndim() - 1));
    functions::BatchNormalizationOptions options{.eps = 0.01};
    if (given) options.axis = Axes(averaged);
    print_case(text("F.batch_normalization(*x, eps=0.01, axis=", given ? tuple(averaged) : "None", ")"),
               {numbers(s), numbers(keys), numbers(keys)},
               [&](const Variables& x) -> Variables { return {F::batch_normalization(x[0], x[1], x[2], options)}; });
  }
  void along_an_axis() {
    const Shape s = joined({1 + draw(4)}, lengths(draw(4), 1, 5));
    const int64_t axis = draw(s.ndim()) - (once_in(2) ? s.ndim() : 0);
    const int what = draw(5);
    const char* names[] = {"softmax", "log_softmax", "cumsum", "cumprod", "logsumexp"};
    print_case(text("F.", names[what], "(x[0], axis=", axis, ")"), {numbers(s)}, [&](const Variables& x) -> Variables {
      switch (what) {
        case 0: return {F::softmax(x[0], axis)};
        case 1: return {F::log_softmax(x[0], axis)};
        case 2: return {F::cumsum(x[0], axis)};
        case 3: return {F::cumprod(x[0], axis)};
        default: return {F::logsumexp(x[0], axis)};
      }
    });
  }
  void sampler() {
    const int n = 1 + draw(2);
    print_case("F.spatial_transformer_sampler(*x)",
               {numbers({n, 1 + draw(2), 1 + draw(4), 1 + draw(4)}), numbers({n, 2, 1 + draw(3), 1 + draw(3)}, 0.7)},
               [](const Variables& x) -> Variables { return {F::spatial_transformer_sampler(x[0], x[1])}; });
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: function_cases COUNT SEED\n"), 2;
  Cases cases(static_cast<uint32_t>(std::atol(argv[2])));
  for (long left = std::atol(argv[1]); left > 0; --left) cases.print();
}
