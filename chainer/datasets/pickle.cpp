// SPDX-License-Identifier: MIT
#include "chainer/datasets/pickle.h"

#include <bit>
#include <cstring>
#include <deque>
#include <unordered_map>

#include "chainer/array/host.h"
#include "chainer/core/little_endian.h"
#include "chainer/core/utf8.h"
#include "chainer/datasets/pickle_ops.h"
#include "chainer/datasets/text.h"
#include "chainer/routines/creation.h"
#include "chainer/routines/npy.h"

namespace chainer::dataset {
namespace {

using namespace pickle;

enum class Kind { none, flag, integer, number, text, bytes, tuple, list, dict, array, dtype, global, mark };

struct Value {
  Kind kind = Kind::none;
  int64_t integer = 0;
  double number = 0;
  std::string_view view = {};      // of a text, bytes or a global
  std::string held = {};           // the owner of what `view` refers to, or the code of a dtype
  std::vector<Value*> items = {};  // for a dict, keys and values alternate
  Array array = {};
};

// A pickle machine that builds data and calls nothing. Values live until the end, so circular references are harmless.
// Memory is bounded by the size of the pickle: constants are shared, a text or array that is used again is not copied,
// and `room_` limits copies of the pickle's bytes.
class Machine {
 public:
  Machine(std::string_view bytes, const std::string& what)
      : stream_(bytes, 0, what), what_(what), room_(8 * bytes.size() + (1 << 16)) {}
  Value* run();

 private:
  Value* push(Value v) {
    values_.push_back(std::move(v));
    stack_.push_back(&values_.back());
    return stack_.back();
  }
  // Pushes a value that is never modified, and can be shared.
  void push_constant(Kind kind, bool flag = false) {
    Value& v = constants_[2 * static_cast<std::size_t>(kind) + flag];
    v.kind = kind, v.integer = flag;
    stack_.push_back(&v);
  }
  void take_room(std::size_t bytes) const {
    if (bytes > room_) stream_.damaged("it uses the same bytes over and over");
    room_ -= bytes;
  }
  Value* pop() {
    if (stack_.empty() || stack_.back()->kind == Kind::mark) stream_.damaged("a value is missing");
    Value* v = stack_.back();
    stack_.pop_back();
    return v;
  }
  std::vector<Value*> pop_to_mark() {
    std::size_t i = stack_.size();
    while (i > 0 && stack_[i - 1]->kind != Kind::mark) --i;
    if (i == 0) stream_.damaged("a mark is missing");
    std::vector<Value*> out(stack_.begin() + static_cast<std::ptrdiff_t>(i), stack_.end());
    stack_.resize(i - 1);
    return out;
  }
  Value* top(Kind kind) {
    if (stack_.empty() || stack_.back()->kind != kind) stream_.damaged("a value has the wrong kind");
    return stack_.back();
  }
  void tuple(std::size_t n) {
    std::vector<Value*> items(n);
    while (n > 0) items[--n] = pop();
    push({.kind = Kind::tuple, .items = std::move(items)});
  }
  void push_text(std::string_view s) { push({.kind = Kind::text, .view = s}); }
  void global(const std::string& name);
  void reduce();
  void build();
  const Value& item(const Value& v, std::size_t i, Kind kind) const {
    if (i >= v.items.size() || v.items[i]->kind != kind)
      stream_.damaged("an argument is missing or has the wrong kind");
    return *v.items[i];
  }
  Array make(const Value& dtype, const Value& shape, bool fortran, std::string_view data) const;

  Stream stream_;
  const std::string& what_;
  std::deque<Value> values_;
  std::vector<Value*> stack_;
  std::unordered_map<uint64_t, Value*> memo_;
  Value constants_[2 * (static_cast<std::size_t>(Kind::mark) + 1)];
  mutable std::size_t room_;
};

Value* Machine::run() {
  const auto put = [&](uint64_t i) {
    if (stack_.empty()) stream_.damaged("a value is missing");
    memo_[i] = stack_.back();
  };
  for (;;) {
    const auto [op, a] = stream_.next();
    switch (op) {
      case kProto:
        if (a[0] < 2 || a[0] > 5) stream_.damaged(text("protocol ", int(a[0]), " is not one of 2 to 5"));
        break;
      case kFrame: break;
      case kMark: push_constant(Kind::mark); break;
      case kStop: return pop();
      case kPop: (void)pop(); break;
      case kNone: push_constant(Kind::none); break;
      case kTrue:
      case kFalse: push_constant(Kind::flag, op == kTrue); break;
      case kInt1:
      case kInt2: push({.kind = Kind::integer, .integer = static_cast<int64_t>(little_endian(a))}); break;
      case kInt4: push({.kind = Kind::integer, .integer = static_cast<int32_t>(little_endian(a))}); break;
      case kLong1: {
        if (a.size() > 8) stream_.damaged("an integer has more than 64 bits");
        uint64_t v = little_endian(a);
        if (!a.empty() && a.size() < 8 && (a.back() & 0x80)) v |= ~uint64_t(0) << (8 * a.size());  // sign extension
        push({.kind = Kind::integer, .integer = static_cast<int64_t>(v)});
        break;
      }
      case kFloat: {
        uint64_t v = 0;
        for (char c : a) v = v << 8 | static_cast<unsigned char>(c);
        push({.kind = Kind::number, .number = std::bit_cast<double>(v)});
        break;
      }
      case kText1:
      case kText4:
      case kText8: push_text(a); break;
      case kString1:
      case kString4:
      case kBytes1:
      case kBytes4:
      case kBytes8:
      case kByteArray8: push({.kind = Kind::bytes, .view = a}); break;
      case kEmptyTuple: push_constant(Kind::tuple); break;
      case kTuple: {
        auto items = pop_to_mark();
        push({.kind = Kind::tuple, .items = std::move(items)});
        break;
      }
      case kTuple1: tuple(1); break;
      case kTuple2: tuple(2); break;
      case kTuple3: tuple(3); break;
      case kEmptyList: push({.kind = Kind::list}); break;
      case kAppend: {
        Value* v = pop();
        top(Kind::list)->items.push_back(v);
        break;
      }
      case kAppends: {
        const auto items = pop_to_mark();
        Value* list = top(Kind::list);
        list->items.insert(list->items.end(), items.begin(), items.end());
        break;
      }
      case kEmptyDict: push({.kind = Kind::dict}); break;
      case kSetItem: {
        Value *v = pop(), *k = pop(), *dict = top(Kind::dict);
        dict->items.insert(dict->items.end(), {k, v});
        break;
      }
      case kSetItems: {
        const auto items = pop_to_mark();
        if (items.size() % 2 != 0) stream_.damaged("a dict has a key without a value");
        Value* dict = top(Kind::dict);
        dict->items.insert(dict->items.end(), items.begin(), items.end());
        break;
      }
      case kGlobal: {
        std::string name(a);
        if (const auto line = name.find('\n'); line != name.npos) name[line] = '.';
        global(name);
        break;
      }
      case kStackGlobal: {
        const Value *name = pop(), *module = pop();
        if (name->kind != Kind::text || module->kind != Kind::text) stream_.damaged("a name is not text");
        global(std::string(module->view) + "." + std::string(name->view));
        break;
      }
      case kReduce: reduce(); break;
      case kBuild: build(); break;
      case kPut1:
      case kPut4: put(little_endian(a)); break;
      case kMemoize: put(memo_.size()); break;
      case kGet1:
      case kGet4: {
        const auto at = memo_.find(little_endian(a));
        if (at == memo_.end()) stream_.damaged("a memo entry is missing");
        stack_.push_back(at->second);
        break;
      }
      default: stream_.damaged("an opcode is not valid here");
    }
  }
}

void Machine::global(const std::string& name) {
  std::string known = name;
  if (known.rfind("numpy._core.", 0) == 0) known.replace(0, 12, "numpy.core.");  // NumPy 2's name
  for (const char* k :
       {"numpy.core.multiarray._reconstruct", "numpy.core.multiarray.scalar", "numpy.core.numeric._frombuffer",
        "numpy.ndarray", "numpy.dtype", "_codecs.encode", "__builtin__.bytes"})
    if (known == k) {
      push({.kind = Kind::global, .held = known});
      return;
    }
  stream_.damaged(text("it names '", name, "'; pickles are never executed"));
}

Array Machine::make(const Value& dtype, const Value& shape, bool fortran, std::string_view data) const {
  Shape s;
  for (const Value* v : shape.items) {
    if (v->kind != Kind::integer || v->integer < 0) stream_.damaged("a shape is not a tuple of lengths");
    if (s.ndim() >= 32) stream_.damaged("a shape has more than 32 axes");
    s.push_back(v->integer);
  }
  if (fortran) {
    Shape reversed;
    for (int d = s.ndim(); d-- > 0;) reversed.push_back(s[d]);
    s = reversed;
  }
  take_room(data.size());
  const std::string header = make_npy_header(dtype.held, Dims(s.begin(), s.end()));
  Array a = from_npy(header + std::string(data), what_);
  return fortran ? a.transpose() : a;
}

void Machine::reduce() {
  const Value* arguments = pop();
  const Value* f = pop();
  if (f->kind != Kind::global || arguments->kind != Kind::tuple) stream_.damaged("a called object is not a name");
  const std::string& name = f->held;
  if (name == "numpy.core.multiarray._reconstruct") {
    push({.kind = Kind::array});
  } else if (name == "numpy.dtype") {
    const Value& code = item(*arguments, 0, Kind::text);
    push({.kind = Kind::dtype, .held = "|" + std::string(code.view)});
  } else if (name == "numpy.core.multiarray.scalar") {
    const Value& dtype = item(*arguments, 0, Kind::dtype);
    const Value shape;
    push({.kind = Kind::array, .array = make(dtype, shape, false, item(*arguments, 1, Kind::bytes).view)});
  } else if (name == "numpy.core.numeric._frombuffer") {
    const std::string_view data = item(*arguments, 0, Kind::bytes).view, order = item(*arguments, 3, Kind::text).view;
    push({.kind = Kind::array,
          .array = make(item(*arguments, 1, Kind::dtype), item(*arguments, 2, Kind::tuple), order == "F", data)});
  } else if (name == "__builtin__.bytes" && arguments->items.empty()) {
    push({.kind = Kind::bytes});  // protocol 2 writes empty bytes so
  } else if (name == "_codecs.encode") {
    // Protocol 2 writes bytes as a text of code points below 256.
    std::string bytes;
    const std::string_view view = item(*arguments, 0, Kind::text).view;
    take_room(view.size());
    for (std::size_t at = 0; at < view.size();) {
      const int32_t c = next_utf8(view, at);
      if (c > 255 || c == kNoCharacter) stream_.damaged("a byte above 255");
      bytes += static_cast<char>(c);
    }
    Value* v = push({.kind = Kind::bytes, .held = std::move(bytes)});
    v->view = v->held;
  } else {
    stream_.damaged(text("it calls '", name, "'"));
  }
}

void Machine::build() {
  const Value* state = pop();
  if (stack_.empty() || state->kind != Kind::tuple) stream_.damaged("a state is missing");
  Value* v = stack_.back();
  if (v->kind == Kind::dtype) {
    // (version, byte order, subarray, names, fields, ...); plain dtypes have no subarray, names or fields.
    for (std::size_t i : {2, 3, 4}) (void)item(*state, i, Kind::none);
    const std::string_view order = item(*state, 1, Kind::text).view;
    if (order.size() != 1 || std::string_view("<>|=").find(order) == order.npos)
      stream_.damaged("a dtype has an unknown byte order");
    v->held[0] = order[0] == '=' ? '<' : order[0];
  } else if (v->kind == Kind::array && !v->array) {
    // (version, shape, dtype, Fortran order, bytes)
    v->array = make(item(*state, 2, Kind::dtype), item(*state, 1, Kind::tuple),
                    item(*state, 3, Kind::flag).integer != 0, item(*state, 4, Kind::bytes).view);
  } else {
    stream_.damaged("a state is given to an object without state");
  }
}

Array made(const Value& v, const std::string& what) {
  switch (v.kind) {
    case Kind::none: return {};
    case Kind::flag: return array(v.integer != 0);
    case Kind::integer: return array(v.integer);
    case Kind::number: return array(v.number);
    case Kind::text: return datasets::code_points(v.view);
    case Kind::bytes: {
      Array a({static_cast<int64_t>(v.view.size())}, uint8);
      if (!v.view.empty()) std::memcpy(a.mutable_raw(), v.view.data(), v.view.size());
      return a;
    }
    default: throw FileError(what, ": an entry must be a plain array, number or text, not a list or a nested tuple");
  }
}
// The array of a value, made once even if the value is used several times.
Array leaf(Value& v, const std::string& what) {
  if (!v.array) v.array = made(v, what);
  return v.array;
}

}  // namespace

Example parse_pickle(std::string_view bytes, const std::string& what) {
  Machine m(bytes, what);
  Value& v = *m.run();
  if (v.kind == Kind::tuple) {
    Arrays out;
    for (Value* i : v.items) out.push_back(leaf(*i, what));
    return Example(std::move(out));
  }
  if (v.kind != Kind::dict) return leaf(v, what);
  std::vector<std::pair<std::string, Array>> out;
  for (std::size_t i = 0; i < v.items.size(); i += 2) {
    if (v.items[i]->kind != Kind::text) throw FileError(what, ": a dict has a key that is not text");
    out.emplace_back(std::string(v.items[i]->view), leaf(*v.items[i + 1], what));
  }
  return Example(std::move(out));
}

namespace {

void put_text(std::string& out, std::string_view s) {
  out += static_cast<char>(kText4);
  put_little_endian(out, s.size(), 4);
  out += s;
}
void put_array(std::string& out, const Array& given) {
  if (!given) {
    out += static_cast<char>(kNone);
    return;
  }
  const Array a = to_host(given.dtype() == bfloat16 ? given.astype(float32) : given).contiguous();
  const std::string code = type_code(a.dtype());  // such as "<f4"
  // numpy.core.multiarray._reconstruct(numpy.ndarray, (0,), b"b"), then its state
  out += "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\nK";
  out += std::string("\0\x85\x43\x01\x62tR(K\x01(", 11);
  for (int64_t n : a.shape()) {
    out += static_cast<char>(kLong1);
    out += '\x08';
    put_little_endian(out, static_cast<uint64_t>(n), 8);
  }
  out += "tcnumpy\ndtype\n";
  put_text(out, std::string_view(code).substr(1));
  out += "\x89\x88\x87R(K\x03";
  put_text(out, std::string_view(code).substr(0, 1));
  out += std::string("NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb\x89", 18);
  const auto n = static_cast<uint64_t>(a.nbytes());
  const bool wide = n > 0xffffffffu;
  out += static_cast<char>(wide ? kBytes8 : kBytes4);
  put_little_endian(out, n, wide ? 8 : 4);
  out += LittleEndianBytes(a.raw(), a.nbytes(), item_size(a.dtype())).view();
  out += "tb";
}

}  // namespace

void check_protocol(int protocol) {
  if (protocol < 3 || protocol > 5) throw ValueError("make_pickle: protocol must be 3, 4 or 5, not ", protocol);
}

std::string make_pickle(const Example& example, int protocol) {
  check_protocol(protocol);
  std::string out = "\x80";
  out += static_cast<char>(protocol);
  if (example.is_single()) {
    put_array(out, example[0]);
  } else if (example.is_dict()) {
    out += "}(";
    for (std::size_t i = 0; i < example.size(); ++i) {
      put_text(out, example.names()[i]);
      put_array(out, example[i]);
    }
    out += 'u';
  } else {
    out += '(';
    for (const Array& a : example.arrays()) put_array(out, a);
    out += 't';
  }
  return out + '.';
}

}  // namespace chainer::dataset
