// SPDX-License-Identifier: MIT
#include "chainer/links/sequential.h"

#include <algorithm>

namespace chainer {

Variables Layer::operator()(const Variables& x) const {
  if (is_link()) return link().call(x);
  if (x.size() != 1) throw TypeError("Sequential: the function ", name_, " takes one variable, not ", x.size());
  return {function_(x[0])};
}

Layer Layer::copy(CopyMode mode) const {
  Layer l = *this;
  if (is_link()) l.link_ = link().clone(mode);
  return l;
}

Sequential::Sequential(const Sequential& o) : Link(o), numbers_(o.numbers_) {
  for (const Layer& l : o.layers_) layers_.push_back(l.copy(*LinkCopier::current()));
}

Variable Sequential::forward(const Variable& x) {
  Variables out = forward(Variables{x});
  if (out.size() != 1) throw TypeError("Sequential: the last layer must return one variable, got ", out.size());
  return out[0];
}
Variables Sequential::forward(const Variables& x) {
  Variables h = x;
  for (const Layer& l : layers_) h = l(h);
  return h;
}

std::size_t Sequential::resolve(int64_t i) const {
  const auto n = static_cast<int64_t>(layers_.size());
  if (i < -n || i >= n) throw IndexError("Sequential: index ", i, " is out of range for ", n, " layers");
  return static_cast<std::size_t>(i < 0 ? i + n : i);
}
const Layer& Sequential::operator[](int64_t i) const { return layers_[resolve(i)]; }
void Sequential::extend(Sequential&& other) {
  std::vector<Layer> added = std::move(other.layers_);
  other.clear();
  for (Layer& l : added) append(std::move(l));
}
void Sequential::insert(int64_t i, Layer layer) {
  const auto n = static_cast<int64_t>(layers_.size());
  const auto at = static_cast<std::ptrdiff_t>(std::clamp<int64_t>(i < 0 ? i + n : i, 0, n));
  int64_t number = -1;
  if (layer.is_link()) {
    // As in the release: 0 for the first layer, otherwise one more than the position of the first layer that is a link.
    int64_t first = 0;
    while (first < at && !layers_[static_cast<std::size_t>(first)].is_link()) ++first;
    number = at == 0 ? 0 : first < at ? first + 1 : 1;
    number = std::min<int64_t>(number, n - std::count(numbers_.begin(), numbers_.end(), -1));
    for (int64_t& other : numbers_) other += other >= number;
  }
  layers_.insert(layers_.begin() + at, std::move(layer));
  numbers_.insert(numbers_.begin() + at, number);
}
void Sequential::erase(std::size_t at) {
  const int64_t number = numbers_[at];
  layers_.erase(layers_.begin() + static_cast<std::ptrdiff_t>(at));
  numbers_.erase(numbers_.begin() + static_cast<std::ptrdiff_t>(at));
  if (number >= 0)
    for (int64_t& other : numbers_) other -= other > number;
}
Layer Sequential::pop(int64_t i) {
  const std::size_t at = resolve(i);
  Layer l = std::move(layers_[at]);
  erase(at);
  return l;
}
void Sequential::set(int64_t i, Layer layer) {
  const std::size_t at = resolve(i);
  if (layer.is_link() && layers_[at].is_link() && &layer.link() == &layers_[at].link()) return;
  erase(at);
  insert(static_cast<int64_t>(at), std::move(layer));
}
void Sequential::remove_by_layer_type(const std::string& type) {
  for (std::size_t i = layers_.size(); i-- > 0;)
    if (layers_[i].name() == type) erase(i);
}
int64_t Sequential::count_by_layer_type(const std::string& type) const {
  return std::count_if(layers_.begin(), layers_.end(), [&](const Layer& l) { return l.name() == type; });
}
int64_t Sequential::index(const Link& link) const {
  for (std::size_t i = 0; i < layers_.size(); ++i)
    if (layers_[i].is_link() && &layers_[i].link() == &link) return static_cast<int64_t>(i);
  throw ValueError("Sequential: the link is not among the layers");
}

Sequential Sequential::flatten() const {
  Sequential out;
  for (const Layer& l : layers_) {
    auto* inner = l.is_link() ? dynamic_cast<Sequential*>(&l.link()) : nullptr;
    if (inner)
      out.extend(inner->flatten());
    else
      out.append(l);
  }
  return out;
}

Sequential Sequential::copy(CopyMode mode) const {
  const LinkCopier copier(mode);
  Sequential c(*this);
  copier.finish(c);
  return c;
}
std::shared_ptr<Link> Sequential::clone(CopyMode mode) const { return std::make_shared<Sequential>(copy(mode)); }

void Sequential::visit(MemberVisitor& v) {
  std::vector<Link*> order(layers_.size());
  for (std::size_t i = 0; i < layers_.size(); ++i)
    if (numbers_[i] >= 0) order[static_cast<std::size_t>(numbers_[i])] = &layers_[i].link();
  for (std::size_t i = 0; i < order.size() && order[i]; ++i) v.link(std::to_string(i), *order[i]);
  visit_added(v);
}

Sequential Link::repeat(int64_t n, CopyMode mode) const {
  Sequential out;
  for (int64_t i = 0; i < n; ++i) out.append(clone(mode));
  return out;
}

std::string to_string(const Sequential& s) {
  std::string out;
  std::size_t i = 0;
  for (const Layer& l : s) {
    out += text(i++, "\t", l.name(), "\t");
    if (const auto* inner = l.is_link() ? dynamic_cast<const Sequential*>(&l.link()) : nullptr) {
      out += text("which has ", inner->size(), " layers");
    } else if (l.is_link()) {
      for (const auto& [path, p] : l.link().namedparams())
        out += text(path.substr(1), "(", p.is_initialized() ? to_string(p.shape()) : "None", ")\t");
    }
    out += "\n";
  }
  return out;
}

}  // namespace chainer
