// SPDX-License-Identifier: MIT
// Loads a safetensors file into a link: first matches and checks all arrays, then assigns them.
#include <algorithm>
#include <set>

#include "chainer/array/backend.h"
#include "chainer/serializers/assign.h"
#include "chainer/serializers/weight_names.h"

namespace chainer::serializers {
namespace {

// A value of the link, to be loaded from the file.
struct Target {
  std::string path;
  std::vector<std::string> names;  // in the file
  std::function<Array(const std::vector<Array>&)> convert;
  std::optional<Shape> shape;  // nullopt if uninitialized
  Dtype dtype = float32;
  bool optional = false;                     // may be missing in the file
  std::function<void(const Array&)> assign;  // called after all checks
};

class Collector : public MemberVisitor {
 public:
  Collector(const SafetensorsFile& file, const SafetensorsOptions& options) : file_(file), options_(options) {}
  std::vector<Target> targets;
  std::vector<std::pair<std::string, std::string*>> texts;

  void walk(Link& l) { enter("", l); }

  void param(const std::string& name, Parameter& p) override {
    Target t = target(name);
    if (p.is_initialized()) t.shape = p.shape(), t.dtype = p.dtype();
    t.assign = [this, p, path = t.path](const Array& stored) mutable {
      if (!p.is_initialized()) p.initialize(stored.shape());
      Array a = p.array();
      serializers::assign(stored, a, text(file_.what(), ", '", path, "'"));
    };
    targets.push_back(std::move(t));
  }
  void persistent(const std::string& name, Array& v) override {
    Target t = target(name);
    if (v) t.shape = v.shape(), t.dtype = v.dtype();
    t.optional = !v;
    t.assign = [this, &v, path = t.path](const Array& stored) {
      if (v)
        serializers::assign(stored, v, text(file_.what(), ", '", path, "'"));
      else
        v = stored.copy();
    };
    targets.push_back(std::move(t));
  }
  void persistent(const std::string& name, int64_t& v) override {
    number(name, int64, [&v](const Array& a, const std::string& what) { v = whole_value(a, what); });
  }
  void persistent(const std::string& name, double& v) override {
    number(name, float64, [&v](const Array& a, const std::string& what) { v = one_value(a, what).to_double(); });
  }
  void persistent(const std::string& name, bool& v) override {
    number(name, Dtype::bool_, [&v](const Array& a, const std::string& what) { v = one_value(a, what).to_bool(); });
  }
  void persistent(const std::string& name, std::string& v) override {
    if (options_.from == WeightNames::own) texts.emplace_back(path_ + name, &v);
  }
  void link(const std::string& name, Link& l) override { enter(name, l); }

 private:
  // Numbers are state of this library's links; files of other frameworks have none.
  void number(const std::string& name, Dtype dtype, std::function<void(const Array&, const std::string&)> set) {
    if (options_.from != WeightNames::own) return;
    Target t = target(name);
    t.shape = Shape{}, t.dtype = dtype;
    t.assign = [set = std::move(set), what = text(file_.what(), ", '", t.path, "'")](const Array& a) { set(a, what); };
    targets.push_back(std::move(t));
  }
  void enter(const std::string& name, Link& l) {
    const auto [path, rows, owner] = std::tuple(path_, rows_, owner_);
    if (!name.empty()) path_ += name + "/";
    if (std::vector<WeightRow> own = weight_rows(l, options_.from); !own.empty() && !is_part_of_a_layer()) {
      rows_ = std::make_shared<std::vector<WeightRow>>(std::move(own));
      owner_ = path_;
    }
    l.visit(*this);
    std::tie(path_, rows_, owner_) = std::tie(path, rows, owner);
  }
  // Returns true if the table of the enclosing link has entries below this path: a Linear in an LSTM is not a layer of
  // its own in other frameworks.
  bool is_part_of_a_layer() const {
    if (!rows_) return false;
    const std::string here = path_.substr(owner_.size());
    return std::any_of(rows_->begin(), rows_->end(), [&](const WeightRow& r) { return r.path.starts_with(here); });
  }
  // Returns the name in the file for a path, using the map of names.
  std::string renamed(const std::string& path) const {
    for (std::string begin = path;;) {
      if (const auto it = options_.names.find(begin); it != options_.names.end()) {
        std::string rest = path.substr(begin.size());
        if (rest.starts_with('/')) rest.erase(0, 1);
        return it->second + spelled(rest.empty() || it->second.empty() ? rest : "/" + rest);
      }
      if (begin.empty()) return spelled(path);
      const std::size_t slash = begin.rfind('/');
      begin.resize(slash == begin.npos ? 0 : slash);
    }
  }
  std::string spelled(std::string path) const {
    if (options_.from == WeightNames::pytorch) std::replace(path.begin(), path.end(), '/', '.');
    return path;
  }
  Target target(const std::string& name) const {
    Target t;
    t.path = path_ + name;
    t.convert = [](const std::vector<Array>& s) { return s[0]; };
    t.names = {renamed(t.path)};
    if (!rows_) return t;
    const std::string relative = t.path.substr(owner_.size());
    const auto row = std::find_if(rows_->begin(), rows_->end(), [&](const WeightRow& r) { return r.path == relative; });
    if (row == rows_->end()) return t;
    t.convert = row->convert;
    if (row->sources.size() == 1 && options_.names.contains(t.path)) return t;
    t.names.clear();
    const std::string layer = renamed(owner_.empty() ? owner_ : owner_.substr(0, owner_.size() - 1));
    for (const std::string& source : row->sources)
      t.names.push_back(layer.empty() ? source : layer + (options_.from == WeightNames::pytorch ? "." : "/") + source);
    return t;
  }

  const SafetensorsFile& file_;
  const SafetensorsOptions& options_;
  std::string path_;                              // ends with a slash, or is empty
  std::shared_ptr<std::vector<WeightRow>> rows_;  // the table of the innermost link that has one
  std::string owner_;                             // the path of this link
};

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "'" : ", '") + n + "'";
  return out;
}

}  // namespace

LoadReport load_safetensors(const SafetensorsFile& file, Link& link, const SafetensorsOptions& options) {
  Collector all(file, options);
  all.walk(link);
  LoadReport report;
  std::vector<std::string> wrong;
  std::vector<std::pair<const Target*, Array>> values;
  std::set<std::string> taken;
  for (const Target& t : all.targets) {
    const auto lacks = [&](const std::string& n) { return !file.contains(n); };
    if (const auto lacking = std::find_if(t.names.begin(), t.names.end(), lacks); lacking != t.names.end()) {
      if (!t.optional) report.missing.push_back(text(t.path, " ('", *lacking, "' in the file)"));
      continue;
    }
    try {
      std::vector<Array> sources;
      for (const std::string& n : t.names) {
        sources.push_back(file.array(n));
        if (taken.insert(n).second) report.loaded.push_back(n);
      }
      Array value = t.convert(sources);
      if (t.shape && value.shape() != *t.shape)
        wrong.push_back(text(t.path, " has shape ", *t.shape, ", ", joined(t.names), " has ", value.shape()));
      else if (!same_kind(value.dtype(), t.dtype))
        wrong.push_back(text(t.path, " is ", t.dtype, ", ", joined(t.names), " is ", value.dtype()));
      else
        values.emplace_back(&t, std::move(value));
    } catch (const Error& e) { wrong.push_back(text(t.path, " from ", joined(t.names), ": ", e.what())); }
  }
  for (const auto& [path, value] : all.texts)
    if (!file.metadata().contains(path)) report.missing.push_back(text(path, " (a string in the metadata)"));
  for (const auto& [name, entry] : file.entries())
    if (!taken.contains(name) && !is_bookkeeping(name, options.from)) report.unused.push_back(name);

  const bool unmatched = !report.missing.empty() || !report.unused.empty();
  if (!wrong.empty() || (options.strict && unmatched)) {
    std::string list;
    for (const std::string& w : wrong) list += "\n  " + w;
    if (options.strict)
      for (const std::string& m : report.missing) list += "\n  missing: " + m;
    if (options.strict)
      for (const std::string& u : report.unused) list += "\n  not used: '" + u + "'";
    throw ValueError(file.what(), " does not fit this ", link.class_name(), ":", list);
  }
  for (const auto& [t, value] : values) t->assign(value);
  for (const auto& [path, value] : all.texts)
    if (const auto it = file.metadata().find(path); it != file.metadata().end()) *value = it->second;
  return report;
}

LoadReport load_safetensors(const std::filesystem::path& path, Link& link, const SafetensorsOptions& options) {
  return load_safetensors(SafetensorsFile(path), link, options);
}

}  // namespace chainer::serializers
