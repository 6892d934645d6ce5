// SPDX-License-Identifier: MIT
#include "chainer/core/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "chainer/core/error.h"
#include "chainer/core/system/read_number.h"
#include "chainer/core/utf8.h"

namespace chainer::json {

double Value::number() const {
  if (const auto* d = std::get_if<double>(&data)) return *d;
  if (const auto* i = std::get_if<int64_t>(&data)) return static_cast<double>(*i);
  throw ValueError("JSON: expected a number");
}
const Value* Value::find(std::string_view key) const {
  if (const Object* o = object())
    for (const auto& [k, v] : *o)
      if (k == key) return &v;
  return nullptr;
}
void Value::set(std::string_view key, Value v) {
  if (!object()) data = Object();
  for (auto& [k, old] : *object())
    if (k == key) {
      old = std::move(v);
      return;
    }
  object()->emplace_back(key, std::move(v));
}

namespace {

std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char hex[] = "0123456789abcdef";
      out += text("\\u00", hex[c >> 4], hex[c & 15]);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string number_text(double d) {
  if (std::isnan(d)) return "NaN";
  if (std::isinf(d)) return d > 0 ? "Infinity" : "-Infinity";
  std::string s = text(d);
  // A whole number keeps its decimal point, as in Python.
  return s.find_first_of(".e") == std::string::npos ? s + ".0" : s;
}

void write(const Value& v, int indent, int depth, std::string& out) {
  const auto newline = [&](int d) {
    if (indent) out += "\n" + std::string(static_cast<std::size_t>(indent * d), ' ');
  };
  if (std::holds_alternative<std::nullptr_t>(v.data))
    out += "null";
  else if (const auto* b = std::get_if<bool>(&v.data))
    out += *b ? "true" : "false";
  else if (const auto* i = std::get_if<int64_t>(&v.data))
    out += std::to_string(*i);
  else if (const auto* d = std::get_if<double>(&v.data))
    out += number_text(*d);
  else if (const std::string* s = v.string())
    out += quoted(*s);
  else if (const List* l = v.list()) {
    if (l->empty()) return void(out += "[]");
    out += "[";
    for (std::size_t k = 0; k < l->size(); ++k) {
      if (k) out += indent ? "," : ", ";
      newline(depth + 1);
      write((*l)[k], indent, depth + 1, out);
    }
    newline(depth);
    out += "]";
  } else if (const Object* o = v.object()) {
    if (o->empty()) return void(out += "{}");
    out += "{";
    for (std::size_t k = 0; k < o->size(); ++k) {
      if (k) out += indent ? "," : ", ";
      newline(depth + 1);
      out += quoted((*o)[k].first) + ": ";
      write((*o)[k].second, indent, depth + 1, out);
    }
    newline(depth);
    out += "}";
  }
}

class Parser {
 public:
  explicit Parser(std::string_view t) : text_(t) {}
  Value whole() {
    Value v = value(0);
    space();
    if (at_ != text_.size()) fail("unexpected text after the value");
    return v;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const { throw ValueError("JSON: ", what, " at position ", at_); }
  void space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  Value value(int depth) {
    if (depth > 200) fail("nested too deeply");
    space();
    if (at_ == text_.size()) fail("unexpected end of the text");
    const char c = text_[at_];
    if (c == '{') return object(depth);
    if (c == '[') return list(depth);
    if (c == '"') return Value(string());
    if (take("true")) return Value(true);
    if (take("false")) return Value(false);
    if (take("null")) return Value();
    if (take("NaN")) return Value(std::nan(""));
    if (take("Infinity")) return Value(HUGE_VAL);
    if (take("-Infinity")) return Value(-HUGE_VAL);
    return number();
  }
  // -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
  Value number() {
    const std::size_t begin = at_;
    const auto digits = [&] {
      const std::size_t first = at_;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
      return at_ - first;
    };
    (void)take("-");
    const std::size_t whole = at_;
    const std::size_t count = digits();
    if (count == 0) fail("expected a value");
    if (count > 1 && text_[whole] == '0') fail("a number has a leading 0");
    bool integral = true;
    if (take(".")) {
      integral = false;
      if (digits() == 0) fail("a number has no digits after the point");
    }
    if (take("e") || take("E")) {
      integral = false;
      if (!take("+")) (void)take("-");
      if (digits() == 0) fail("an exponent has no digits");
    }
    const char *first = text_.data() + begin, *last = text_.data() + at_;
    int64_t i = 0;
    if (integral && std::from_chars(first, last, i).ec == std::errc()) return Value(i);
    double d = 0;
    if (read_number(first, last, d).ec == std::errc::result_out_of_range)
      d = beyond_double(text_.substr(begin, at_ - begin));
    return Value(d);
  }
  // Returns the value that Python gives to a number outside the range of double: 0 or an infinity, with its sign.
  static double beyond_double(std::string_view number) {
    const bool negative = number[0] == '-';
    const std::size_t e = number.find_first_of("eE");
    const std::string_view mantissa = number.substr(negative, e == number.npos ? number.npos : e - negative);
    const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    const auto leading = static_cast<double>(mantissa.find_first_of("123456789"));
    double exponent = 0;
    if (e != number.npos)
      for (char c : number.substr(e + 1))
        if (c >= '0' && c <= '9') exponent = std::min(exponent * 10 + (c - '0'), 1e15);
    if (e != number.npos && number[e + 1] == '-') exponent = -exponent;
    const double size = static_cast<double>(point) - leading + exponent > 0 ? HUGE_VAL : 0;
    return negative ? -size : size;
  }
  // Parses the four hexadecimal digits after \u. at_ points to the u before the call and to the last digit after it.
  unsigned code_unit() {
    unsigned code = 0;
    const char* p = text_.data() + at_ + 1;
    if (at_ + 4 >= text_.size() || std::from_chars(p, p + 4, code, 16).ptr != p + 4) fail("bad \\u escape");
    at_ += 4;
    return code;
  }
  // Characters above 16 bits are written as two escapes, a high and a low surrogate.
  unsigned code_point() {
    const unsigned high = code_unit();
    if (high < 0xd800 || high > 0xdfff) return high;
    if (high > 0xdbff || text_.substr(at_ + 1, 2) != "\\u") fail("unpaired surrogate");
    at_ += 2;
    const unsigned low = code_unit();
    if (low < 0xdc00 || low > 0xdfff) fail("unpaired surrogate");
    return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
  }
  std::string string() {
    std::string out;
    for (++at_;; ++at_) {
      if (at_ >= text_.size()) fail("a string is not closed");
      char c = text_[at_];
      if (c == '"') break;
      if (static_cast<unsigned char>(c) < 0x20) fail("control character in a string");
      if (c != '\\') {
        out += c;
        continue;
      }
      if (++at_ >= text_.size()) fail("a string is not closed");
      c = text_[at_];
      constexpr std::string_view from = "nrtbf\"\\/", to = "\n\r\t\b\f\"\\/";
      if (const auto k = from.find(c); k != from.npos)
        out += to[k];
      else if (c == 'u')
        put_utf8(out, code_point());
      else
        fail("unknown escape");
    }
    ++at_;
    return out;
  }
  Value list(int depth) {
    List l;
    ++at_;
    space();
    if (take("]")) return Value(std::move(l));
    for (;;) {
      l.push_back(value(depth + 1));
      space();
      if (take("]")) return Value(std::move(l));
      if (!take(",")) fail("expected ',' or ']'");
    }
  }
  Value object(int depth) {
    Object o;
    ++at_;
    space();
    if (take("}")) return Value(std::move(o));
    for (;;) {
      space();
      if (at_ >= text_.size() || text_[at_] != '"') fail("expected a name");
      std::string key = string();
      space();
      if (!take(":")) fail("expected ':'");
      o.emplace_back(std::move(key), value(depth + 1));
      space();
      if (take("}")) return Value(std::move(o));
      if (!take(",")) fail("expected ',' or '}'");
    }
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string dump(const Value& v, int indent) {
  std::string out;
  write(v, indent, 0, out);
  return out;
}
Value parse(std::string_view t) { return Parser(t).whole(); }

}  // namespace chainer::json
