// SPDX-License-Identifier: MIT
// Reads HDF5 files without libhdf5, whose version 1.10 reads out of bounds in maliciously damaged files.
#include <type_traits>

#include "chainer/array/external.h"
#include "chainer/serializers/hdf5_values.h"

namespace chainer::serializers {
namespace {

using hdf5::Damage;

class Reader : public HDF5Group {
 public:
  Reader(std::shared_ptr<const hdf5::File> file, uint64_t address, hdf5::Links links, std::string path,
         std::string name)
      : file_(std::move(file)),
        address_(address),
        links_(std::move(links)),
        path_(std::move(path)),
        name_(std::move(name)) {}

  std::string what() const override { return name_.empty() ? path_ : text(path_, ", '", name_, "'"); }

  std::shared_ptr<HDF5Group> group(const std::string& name, bool make) override {
    if (make) read_only();
    if (name.empty()) return std::make_shared<Reader>(*this);
    const auto address = find(name);
    if (!address) return nullptr;
    auto links = guarded(name, [&] { return file_->links(*address); });
    if (!links) return nullptr;
    return std::make_shared<Reader>(file_, *address, std::move(*links), path_, name_ + "/" + name);
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> out;
    for (const auto& [name, link] : links_)
      if (leads_somewhere(link)) out.push_back(name);
    return out;
  }
  std::vector<std::string> dangling() const override {
    std::vector<std::string> out;
    for (const auto& [name, link] : links_)
      if (!leads_somewhere(link)) out.push_back(name);
    return out;
  }
  HDF5Object describe(const std::string& name) const override {
    HDF5Object out;
    try {
      const auto address = located(name);
      if (!address) throw KeyError(what(), ": no entry named '", name, "'");
      out.place = *address;
      const hdf5::Messages messages = file_->messages(*address);
      if (hdf5::is_dataset(*file_, messages)) {
        hdf5::describe(*file_, messages, out);
      } else if (file_->links(*address)) {
        out.kind = HDF5Object::group;
      } else {
        out.why = file_->find(messages, hdf5::kDatatype) ? "a named datatype" : "neither a group nor a dataset";
      }
    } catch (const Damage& d) {
      out.kind = HDF5Object::other;
      out.why = "damaged or of a kind that is not supported: " + d.why;
    }
    return out;
  }
  bool contains(const std::string& name) const override {
    const auto address = find(name);
    return address && guarded(name, [&] { return hdf5::is_dataset(*file_, file_->messages(*address)); });
  }
  HDF5Value read(const std::string& name) const override {
    HDF5Value v = view(name);
    if (v.array && !is_writable(v.array)) v.array = v.array.copy();
    return v;
  }
  HDF5Value view(const std::string& name) const override {
    const auto address = find(name);
    if (!address) throw KeyError(what(), ": no entry named '", name, "'");
    return guarded(name, [&] {
      const hdf5::Messages messages = file_->messages(*address);
      if (!hdf5::is_dataset(*file_, messages)) throw KeyError(what(), ": '", name, "' is a group, expected a dataset");
      return hdf5::view_value(*file_, messages);
    });
  }
  void write(const std::string&, const Array&, std::optional<int>) override { read_only(); }
  void write(const std::string&, const std::string&) override { read_only(); }
  void write_none(const std::string&) override { read_only(); }
  void flush() override {}

 private:
  bool leads_somewhere(const hdf5::Link& link) const {
    if (link.path.empty()) return !link.outside;
    try {
      return file_->find(address_, link.path).has_value();
    } catch (const Damage&) { return true; }  // reading it reports the damage
  }
  // Returns the address of an object below this group. Names may contain slashes.
  std::optional<uint64_t> find(const std::string& name) const {
    return guarded(name, [&] { return located(name); });
  }
  std::optional<uint64_t> located(const std::string& name) const {
    const auto at = links_.find(name);  // avoids reading the group again
    if (at != links_.end() && at->second.path.empty() && !at->second.outside) return at->second.address;
    return file_->find(address_, name);
  }
  template <class F>
  std::invoke_result_t<F> guarded(const std::string& name, F&& f) const {
    try {
      return f();
    } catch (const Damage& d) {
      throw FileError(what(), ": '", name, "' is damaged or of a kind that is not supported: ", d.why);
    }
  }
  [[noreturn]] void read_only() const { throw RuntimeError(what(), ": the file was opened for reading"); }

  std::shared_ptr<const hdf5::File> file_;
  uint64_t address_;
  hdf5::Links links_;
  std::string path_, name_;
};

}  // namespace

std::shared_ptr<HDF5Group> HDF5Group::open(const std::filesystem::path& path) {
  try {
    auto file = std::make_shared<const hdf5::File>(path.string());
    const uint64_t root = file->root();
    auto links = file->links(root);
    if (!links) throw Damage{"its root is not a group"};
    return std::make_shared<Reader>(std::move(file), root, std::move(*links), path.string(), "");
  } catch (const Damage& d) { throw FileError(path.string(), " is damaged or not an HDF5 file: ", d.why); }
}

}  // namespace chainer::serializers
