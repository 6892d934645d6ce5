// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <map>

#include "chainer/functions/array.h"
#include "chainer/functions/math.h"
#include "chainer/functions/mixed.h"

namespace chainer::functions {
namespace {

// A label is a letter, or kEllipsis + i for axis i, counted from the end, of the axes that "..." stands for.
using Labels = std::vector<int>;
constexpr int kEllipsis = 1000;

struct Term {
  Variable x;
  Labels labels;
};

bool contains(const Labels& l, int label) { return std::find(l.begin(), l.end(), label) != l.end(); }
int place(const Labels& l, int label) { return static_cast<int>(std::find(l.begin(), l.end(), label) - l.begin()); }
std::string spelled(int label) { return label >= kEllipsis ? "..." : std::string(1, static_cast<char>(label)); }

// The labels of one operand with ndim axes or, if ndim is -1, of the result, where "..." stands for `ellipsis` axes.
Labels parse(const std::string& text, int ndim, int ellipsis) {
  Labels labels;
  const auto dots = text.find("...");
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == dots) {
      if (ndim >= 0) ellipsis = ndim - static_cast<int>(text.size()) + 3;
      for (int d = ellipsis; d > 0; --d) labels.push_back(kEllipsis + d);
      i += 2;
    } else if (std::isalpha(static_cast<unsigned char>(text[i]))) {
      labels.push_back(text[i]);
    } else {
      throw ValueError("einsum: '", text[i], "' in subscripts '", text, "' is neither a letter nor part of one '...'");
    }
  }
  if (ndim >= 0 && (ellipsis < 0 || static_cast<int>(labels.size()) != ndim))
    throw ValueError("einsum: subscripts '", text, "' do not fit an operand with ", ndim, " axes");
  return labels;
}

// Replaces repeated labels of one operand by its diagonal.
void take_diagonals(Term& t) {
  for (std::size_t i = 0; i < t.labels.size(); ++i) {
    const int label = t.labels[i];
    const auto again = std::find(t.labels.begin() + static_cast<std::ptrdiff_t>(i) + 1, t.labels.end(), label);
    if (again == t.labels.end()) continue;
    const int64_t a = static_cast<int64_t>(i), b = again - t.labels.begin();
    if (t.x.shape()[static_cast<int>(a)] != t.x.shape()[static_cast<int>(b)])
      throw DimensionError("einsum: label '", spelled(label), "' stands for lengths ", t.x.shape()[static_cast<int>(a)],
                           " and ", t.x.shape()[static_cast<int>(b)], " in one operand");
    t.x = diagonal(t.x, 0, a, b);  // diagonal() appends the new axis at the end
    t.labels.erase(again);
    t.labels.erase(t.labels.begin() + a);
    t.labels.push_back(label);
    i = static_cast<std::size_t>(-1);
  }
}

// Drops axes of length one where another operand's axis is longer; they are broadcast.
void drop_broadcast(Term& t, const std::map<int, int64_t>& length) {
  Shape shape;
  Labels labels;
  for (std::size_t i = 0; i < t.labels.size(); ++i) {
    const int64_t n = t.x.shape()[static_cast<int>(i)], full = length.at(t.labels[i]);
    if (n == 1 && full != 1) continue;
    if (n != full)
      throw DimensionError("einsum: label '", spelled(t.labels[i]), "' stands for lengths ", n, " and ", full);
    shape.push_back(n);
    labels.push_back(t.labels[i]);
  }
  if (labels.size() != t.labels.size()) t = {reshape(t.x, shape), labels};
}

void sum_out(Term& t, const Labels& keep) {
  Dims axes;
  Labels rest;
  for (std::size_t i = 0; i < t.labels.size(); ++i) {
    if (contains(keep, t.labels[i]))
      rest.push_back(t.labels[i]);
    else
      axes.push_back(static_cast<int64_t>(i));
  }
  if (axes.ndim()) t = {sum(t.x, axes), rest};
}

Variable ordered(const Term& t, const Labels& order) {
  if (t.labels == order) return t.x;
  Dims axes;
  for (int label : order) axes.push_back(place(t.labels, label));
  return transpose(t.x, axes);
}

// The labels of two operands, grouped by their role in the product.
struct Split {
  Labels batch, inner, left, right;
};
Split split(const Term& a, const Term& b, const Labels& keep) {
  Split s;
  for (int label : a.labels)
    (!contains(b.labels, label) ? s.left : contains(keep, label) ? s.batch : s.inner).push_back(label);
  for (int label : b.labels)
    if (!contains(a.labels, label)) s.right.push_back(label);
  return s;
}

// Contracts two operands by one matrix product or a batch of them, or elementwise if no label is summed.
Term contract(const Term& a, const Term& b, const Labels& keep) {
  const Split s = split(a, b, keep);
  Shape result;
  const auto size = [&](const Term& t, const Labels& labels) {
    int64_t n = 1;
    for (int label : labels) n *= t.x.shape()[place(t.labels, label)];
    return n;
  };
  const auto joined = [](std::initializer_list<Labels> parts) {
    Labels out;
    for (const Labels& p : parts) out.insert(out.end(), p.begin(), p.end());
    return out;
  };
  for (int label : s.batch) result.push_back(a.x.shape()[place(a.labels, label)]);
  for (int label : s.left) result.push_back(a.x.shape()[place(a.labels, label)]);
  for (int label : s.right) result.push_back(b.x.shape()[place(b.labels, label)]);
  const int64_t batch = size(a, s.batch), inner = size(a, s.inner), left = size(a, s.left), right = size(b, s.right);
  Variable x = ordered(a, joined({s.batch, s.left, s.inner})), y = ordered(b, joined({s.batch, s.inner, s.right}));
  Variable z;
  if (s.inner.empty()) {
    z = reshape(x, {batch, left, 1}) * reshape(y, {batch, 1, right});
  } else if (s.batch.empty()) {
    z = matmul(reshape(x, {left, inner}), reshape(y, {inner, right}));
  } else {
    z = matmul(reshape(x, {batch, left, inner}), reshape(y, {batch, inner, right}));
  }
  return {reshape(z, result), joined({s.batch, s.left, s.right})};
}

// The labels that occur in the result or in a term other than i and j.
Labels needed(const std::vector<Term>& terms, const Labels& out, std::size_t i, std::size_t j) {
  Labels keep = out;
  for (std::size_t k = 0; k < terms.size(); ++k)
    if (k != i && k != j) keep.insert(keep.end(), terms[k].labels.begin(), terms[k].labels.end());
  return keep;
}

// Repeatedly contracts the pair with the smallest result until one term is left.
Variable evaluate(std::vector<Term> terms, const Labels& out) {
  while (terms.size() > 1) {
    for (std::size_t i = 0; i < terms.size(); ++i) sum_out(terms[i], needed(terms, out, i, i));
    std::size_t best_i = 0, best_j = 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; terms.size() > 2 && i < terms.size(); ++i) {
      for (std::size_t j = i + 1; j < terms.size(); ++j) {
        const Split s = split(terms[i], terms[j], needed(terms, out, i, j));
        double size = 1;
        for (const Labels& part : {s.batch, s.left})
          for (int label : part) size *= static_cast<double>(terms[i].x.shape()[place(terms[i].labels, label)]);
        for (int label : s.right) size *= static_cast<double>(terms[j].x.shape()[place(terms[j].labels, label)]);
        if (size < least) least = size, best_i = i, best_j = j;
      }
    }
    terms[best_i] = contract(terms[best_i], terms[best_j], needed(terms, out, best_i, best_j));
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(best_j));
  }
  sum_out(terms[0], out);
  return ordered(terms[0], out);
}

}  // namespace

Variable Einsum::operator()(const std::string& subscripts, const Variables& operands) const {
  std::string text;
  for (char c : subscripts)
    if (c != ' ') text += c;
  const auto arrow = text.find("->");
  std::vector<std::string> parts(1);
  for (char c : text.substr(0, arrow)) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (parts.size() != operands.size() || operands.empty())
    throw ValueError("einsum: subscripts '", subscripts, "' name ", parts.size(), " operands, got ", operands.size());
  std::vector<Term> terms;
  std::map<int, int64_t> length;
  std::map<int, int> count;
  int ellipsis = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Variable& x = operands[i];
    if (!is_floating(x.dtype()))
      throw TypeError("einsum: operands must have floating dtypes, operand ", i, " has ", x.dtype());
    if (mixed(operands[0], x)) {
      Variables same;
      Dtype wide = x.dtype();
      for (const Variable& v : operands) wide = promote(wide, v.dtype());
      for (const Variable& v : operands) same.push_back(cast(v, wide));
      return (*this)(subscripts, same);
    }
    Term t{x, parse(parts[i], x.ndim(), -1 + (parts[i].find("...") == std::string::npos))};
    int dots = 0;
    for (int label : t.labels) dots += label >= kEllipsis, ++count[label];
    ellipsis = std::max(ellipsis, dots);
    take_diagonals(t);
    for (std::size_t d = 0; d < t.labels.size(); ++d) {
      const int64_t n = t.x.shape()[static_cast<int>(d)];
      const auto [it, fresh] = length.emplace(t.labels[d], n);
      if (!fresh && it->second == 1) it->second = n;
    }
    terms.push_back(t);
  }
  Labels out;
  if (arrow != text.npos) {
    out = parse(text.substr(arrow + 2), -1, ellipsis);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!count.count(out[i]))
        throw ValueError("einsum: label '", spelled(out[i]), "' of the result does not occur in any operand");
      if (place(out, out[i]) != static_cast<int>(i))
        throw ValueError("einsum: label '", spelled(out[i]), "' occurs twice in the result");
    }
  } else {  // implicit form: the axes of "...", then the labels that occur once, sorted
    for (int d = ellipsis; d > 0; --d) out.push_back(kEllipsis + d);
    for (const auto& [label, n] : count)
      if (n == 1 && label < kEllipsis) out.push_back(label);
  }
  for (Term& t : terms) drop_broadcast(t, length);
  return evaluate(std::move(terms), out);
}

Variable Einsum::operator()(const Variables& operands, const std::vector<EinsumAxes>& sublists,
                            const std::optional<EinsumAxes>& result) const {
  const auto spell = [](const EinsumAxes& axes) {
    std::string text;
    for (const EinsumAxis& a : axes) {
      if (a.label >= 52) throw ValueError("einsum: label ", a.label, " is not in 0 ... 51");
      text +=
          a.label < 0 ? "..." : std::string(1, static_cast<char>(a.label < 26 ? 'A' + a.label : 'a' + a.label - 26));
    }
    return text;
  };
  std::string text;
  for (std::size_t i = 0; i < sublists.size(); ++i) text += (i ? "," : "") + spell(sublists[i]);
  return (*this)(result ? text + "->" + spell(*result) : text, operands);
}

}  // namespace chainer::functions
