// SPDX-License-Identifier: MIT
#include "chainer/array/print.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <ostream>

#include "chainer/array/host.h"
#include "chainer/array/index.h"

namespace chainer {
namespace {

constexpr int64_t kThreshold = 1000, kEdge = 3;
constexpr int kPrecision = 8;
constexpr std::size_t kLineWidth = 75;

// The shortest digits that read back as the same number: value = 0.d1d2d3... * 10^exponent.
struct Decimal {
  std::string digits;
  int exponent = 0;
};
// A number of 16 bits.
template <class Half>
struct Narrow {
  float value;
  explicit Narrow(double v) : value(static_cast<float>(v)) {}
  operator float() const { return value; }
};
template <class T>
std::to_chars_result shortest(char* begin, char* end, T v) {
  return std::to_chars(begin, end, std::abs(v), std::chars_format::scientific);
}
template <class Half>
std::to_chars_result shortest(char* begin, char* end, Narrow<Half> v) {
  const float magnitude = std::abs(v.value);
  for (int digits = 0;; ++digits) {
    const auto r = std::to_chars(begin, end, magnitude, std::chars_format::scientific, digits);
    float back = 0;
    std::from_chars(begin, r.ptr, back);
    if (digits == 8 || Half(back).bits == Half(magnitude).bits) return r;
  }
}
template <class T>
Decimal decimal(T v) {
  char buffer[64];
  const auto r = shortest(buffer, buffer + sizeof buffer, v);
  std::string_view s(buffer, static_cast<std::size_t>(r.ptr - buffer));
  const std::size_t e = s.find('e');
  Decimal d;
  for (char c : s.substr(0, e))
    if (c != '.') d.digits += c;
  int exponent = 0;
  const std::string_view tail = s.substr(e + (s[e + 1] == '+' ? 2 : 1));
  std::from_chars(tail.data(), tail.data() + tail.size(), exponent);
  d.exponent = v == T(0) ? 1 : exponent + 1;
  while (d.digits.size() > 1 && d.digits.back() == '0') d.digits.pop_back();
  return d;
}

// Rounds to `count` digits (possibly none), half to even.
void round_digits(Decimal& d, int count) {
  if (count >= static_cast<int>(d.digits.size())) return;
  if (count < 0) {
    d.digits = "0";
    d.exponent = 1;
    return;
  }
  const auto n = static_cast<std::size_t>(count);
  const bool tie = d.digits[n] == '5' && d.digits.find_first_not_of('0', n + 1) == std::string::npos;
  const bool odd = n > 0 && (d.digits[n - 1] - '0') % 2 == 1;
  const bool up = tie ? odd : d.digits[n] >= '5';
  d.digits.resize(n);
  if (up) {
    auto i = static_cast<int>(n) - 1;
    while (i >= 0 && d.digits[static_cast<std::size_t>(i)] == '9') d.digits[static_cast<std::size_t>(i--)] = '0';
    if (i >= 0) {
      ++d.digits[static_cast<std::size_t>(i)];
    } else {
      d.digits.insert(d.digits.begin(), '1');
      ++d.exponent;
    }
  }
  while (d.digits.size() > 1 && d.digits.back() == '0') d.digits.pop_back();
  if (d.digits.empty()) d.digits = "0", d.exponent = 1;
}

struct Parts {
  std::string whole, fraction, exponent;  // sign included in whole
  std::string special;                    // nan, inf
};

template <class Digits, class T>
Parts split(T v, bool scientific, int precision = kPrecision) {
  Parts p;
  if (std::isnan(v)) return {"", "", "", "nan"};
  if (std::isinf(v)) return {"", "", "", v < 0 ? "-inf" : "inf"};
  Decimal d = decimal(Digits(v));
  const std::string sign = std::signbit(v) ? "-" : "";
  if (scientific) {
    round_digits(d, precision + 1);
    p.whole = sign + d.digits.substr(0, 1);
    p.fraction = d.digits.substr(1);
    const int e = v == T(0) ? 0 : d.exponent - 1;
    std::string digits = std::to_string(std::abs(e));
    if (digits.size() < 2) digits = "0" + digits;
    p.exponent = (e < 0 ? "-" : "+") + digits;
    return p;
  }
  round_digits(d, d.exponent + precision);
  if (d.exponent <= 0) {
    p.whole = sign + "0";
    if (d.digits != "0") p.fraction = std::string(static_cast<std::size_t>(-d.exponent), '0') + d.digits;
  } else {
    const auto n = static_cast<std::size_t>(d.exponent);
    if (d.digits.size() < n) d.digits.append(n - d.digits.size(), '0');
    p.whole = sign + d.digits.substr(0, n);
    p.fraction = d.digits.substr(n);
  }
  return p;
}

std::string pad_left(const std::string& s, std::size_t n) {
  return s.size() < n ? std::string(n - s.size(), ' ') + s : s;
}

// Returns v with this number of digits after the point, and an exponent.
std::string exact_digits(double v, std::size_t fraction) {
  char buffer[64];
  const auto r =
      std::to_chars(buffer, buffer + sizeof buffer, v, std::chars_format::scientific, static_cast<int>(fraction));
  return {buffer, r.ptr};
}

// Fills the exponent up with zeros to a number of characters, sign included.
std::string with_exponent(std::string s, std::size_t characters) {
  const std::size_t sign = s.find('e') + 1;
  if (const std::size_t n = s.size() - sign; n < characters) s.insert(sign + 1, characters - n, '0');
  return s;
}

using Formatter = std::function<std::string(double, int64_t)>;

// `Digits` is the type whose shortest digits are printed.
template <class Digits, class T>
Formatter floating_formatter(const std::vector<T>& shown) {
  T largest = 0, smallest = 0;
  bool any = false;
  for (T v : shown) {
    if (!std::isfinite(v) || v == T(0)) continue;
    const T a = std::abs(v);
    largest = any ? std::max(largest, a) : a;
    smallest = any ? std::min(smallest, a) : a;
    any = true;
  }
  const bool scientific = any && (largest >= T(1e8) || smallest < T(1e-4) || largest / smallest > T(1000));
  std::size_t whole = 0, fraction = 0, exponent = 0, special = 0;
  for (T v : shown) {
    const Parts p = split<Digits>(v, scientific);
    whole = std::max(whole, p.whole.size());
    fraction = std::max(fraction, p.fraction.size());
    exponent = std::max(exponent, p.exponent.size());
    special = std::max(special, p.special.size());
  }
  const std::size_t rest = fraction + 1 + (scientific ? exponent + 1 : 0);
  if (special > whole + rest) whole = special - rest;
  return [=](double v, int64_t) {
    const Parts p = split<Digits>(static_cast<T>(v), scientific);
    if (!p.special.empty()) return pad_left(p.special, whole + rest);
    // As NumPy: digits beyond the shortest ones are those of the number, also where these are not 0.
    if (scientific && p.fraction.size() < fraction)
      return pad_left(with_exponent(exact_digits(v, fraction), exponent), whole + rest);
    std::string s = pad_left(p.whole, whole) + "." + p.fraction;
    s.append(fraction - p.fraction.size(), ' ');
    return scientific ? with_exponent(s + "e" + p.exponent, exponent) : s;
  };
}

// Collects the printed elements in order; when summarizing, only those near the ends.
template <class T>
void collect(const Array& a, bool summarize, std::vector<T>& out) {
  if (a.ndim() == 0) {
    out.push_back(a.item<T>());
    return;
  }
  const int64_t n = a.shape()[0];
  for (int64_t i = 0; i < n; ++i) {
    if (summarize && n > 2 * kEdge && i == kEdge) i = n - kEdge;
    collect(a[i], summarize, out);
  }
}

struct Printer {
  Formatter format;
  std::string_view separator;
  bool summarize;

  std::string element(const Array& a) const {
    const Scalar s = a.scalar();
    return format(s.to_double(), s.to_int());
  }
  void append_word(std::string& text, std::string& line, const std::string& word, const std::string& indent,
                   std::size_t width) const {
    if (line.size() + word.size() > width && line.size() > indent.size()) {
      while (!line.empty() && line.back() == ' ') line.pop_back();
      text += line + "\n";
      line = indent;
    }
    line += word;
  }
  // In lines of `width` characters, of which one per axis is left for a closing bracket or a separator.
  std::string print(const Array& a, int indent, std::size_t width) const {
    if (a.ndim() == 0) return element(a);
    const int64_t n = a.shape()[0];
    const bool cut = summarize && n > 2 * kEdge;
    const std::string inner(static_cast<std::size_t>(indent + 1), ' '), glue = std::string(separator) + " ";
    std::string text;
    if (a.ndim() == 1) {
      std::string line = inner;
      for (int64_t i = 0; i < n; ++i) {
        if (cut && i == kEdge) {
          append_word(text, line, "...", inner, width - 1);
          line += glue;
          i = n - kEdge;
        }
        append_word(text, line, element(a[i]), inner, width - 1);
        line += i + 1 < n ? glue : "]";
      }
      if (n == 0) line += "]";
      text += line;
    } else {
      const std::string newline(static_cast<std::size_t>(a.ndim() - 1), '\n');
      for (int64_t i = 0; i < n; ++i) {
        if (cut && i == kEdge) {
          text += inner + "..." + std::string(separator) + newline;
          i = n - kEdge;
        }
        text += inner + print(a[i], indent + 1, width - 1);
        if (i + 1 < n) text += std::string(separator) + newline;
      }
      text += "]";
    }
    return "[" + text.substr(inner.size());
  }
};

// The elements in lines of at most `width` characters.
std::string printed_elements(const Array& a, std::string_view separator, int indent, std::size_t width) {
  if (a.size() == 0) return "[]";
  if (!a.device().is_host()) return printed_elements(to_host(a), separator, indent, width);
  const bool summarize = a.size() > kThreshold;
  Formatter format;
  if (is_floating(a.dtype())) {
    if (a.dtype() == float64) {
      std::vector<double> shown;
      collect(a, summarize, shown);
      format = floating_formatter<double>(shown);
    } else {
      std::vector<float> shown;
      collect(a, summarize, shown);
      format = a.dtype() == float16    ? floating_formatter<Narrow<Float16>>(shown)
               : a.dtype() == bfloat16 ? floating_formatter<Narrow<BFloat16>>(shown)
                                       : floating_formatter<float>(shown);
    }
  } else if (a.dtype() == Dtype::bool_) {
    const std::size_t width = a.ndim() == 0 ? 0 : 5;
    format = [=](double, int64_t v) { return pad_left(v ? "True" : "False", width); };
  } else {
    std::vector<int64_t> shown;
    collect(a, summarize, shown);
    std::size_t width = 0;
    for (int64_t v : shown) width = std::max(width, std::to_string(v).size());
    format = [=](double, int64_t v) { return pad_left(std::to_string(v), width); };
  }
  return Printer{std::move(format), separator, summarize}.print(a, indent, width);
}

// A floating number as NumPy prints its scalars: all of its digits, and an exponent from 1e16 on and below 1e-4.
template <class Digits, class T>
std::string scalar_text(T v) {
  const T size = std::abs(v);
  const bool scientific = std::isfinite(v) && v != T(0) && (size >= T(1e16) || size < T(1e-4));
  constexpr int kAllDigits = 400;
  const Parts p = split<Digits>(v, scientific, kAllDigits);
  if (!p.special.empty()) return p.special;
  if (scientific) return p.whole + (p.fraction.empty() ? "" : ".") + p.fraction + "e" + p.exponent;
  return p.whole + "." + (p.fraction.empty() ? "0" : p.fraction);
}

}  // namespace

std::string format_elements(const Array& a, std::string_view separator, int indent) {
  return printed_elements(a, separator, indent, kLineWidth);
}

std::string repr(const Array& a) {
  if (!a) return "None";
  std::string s = "array(" + printed_elements(a, ",", 6, kLineWidth - 1);  // of the closing bracket
  if (a.size() == 0 && a.shape() != Shape{0}) s += text(", shape=", a.shape());
  const bool implied = a.dtype() == float64 || a.dtype() == int64 || a.dtype() == Dtype::bool_;
  if (implied && a.size() > 0) return s + ")";
  const std::string dtype = text("dtype=", a.dtype(), ")");
  const std::size_t line = s.size() - (s.rfind('\n') + 1) + 1;  // with the comma
  return s + (line + dtype.size() + 1 > kLineWidth ? ",\n      " : ", ") + dtype;
}

std::string to_string(const Array& a) {
  if (!a) return "None";
  if (a.ndim() > 0 || !is_floating(a.dtype())) return format_elements(a, "", 0);
  const double v = to_host(a).item<double>();
  return a.dtype() == float64    ? scalar_text<double>(v)
         : a.dtype() == float16  ? scalar_text<Narrow<Float16>>(static_cast<float>(v))
         : a.dtype() == bfloat16 ? scalar_text<Narrow<BFloat16>>(static_cast<float>(v))
                                 : scalar_text<float>(static_cast<float>(v));
}

std::ostream& detail::write_text(std::ostream& stream, std::string_view text) { return stream << text; }

}  // namespace chainer
