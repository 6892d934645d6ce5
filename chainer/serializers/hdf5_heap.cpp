// SPDX-License-Identifier: MIT
#include "chainer/serializers/hdf5_heap.h"

#include <algorithm>
#include <bit>

namespace chainer::hdf5 {
namespace {

// Returns the number of bytes in which the file stores numbers up to `most`.
std::size_t bytes_for(uint64_t most) { return (static_cast<std::size_t>(std::bit_width(most)) + 7) / 8; }

// A fractal heap: an address space for objects, divided into blocks (whose headers are part of the space). Rows have
// `width` blocks: two rows of the first size, then each row has twice the size of the row before. Rows after those with
// the largest direct blocks contain indirect blocks, which are tables of the same kind.
class FractalHeap {
 public:
  FractalHeap(const File& file, uint64_t address) : file_(file) {
    Cursor c = file.structure(address, 142, "FRHP");
    if (c.number(1) != 0) throw Damage{"the version of a heap is unknown"};
    id_size_ = c.number(2);
    if (c.number(2) != 0) throw Damage{"a heap is compressed"};
    c.skip(1);
    const uint64_t largest = c.number(4);
    c.skip(12 * 8);
    width_ = c.number(2);
    first_size_ = c.number(8);
    largest_direct_ = c.number(8);
    const uint64_t bits = c.number(2);
    c.skip(2);
    root_ = c.number(8);
    root_rows_ = c.number(2);
    if (!std::has_single_bit(width_) || !std::has_single_bit(first_size_) || !std::has_single_bit(largest_direct_) ||
        first_size_ > largest_direct_ || largest_direct_ > (uint64_t(1) << 40) || bits == 0 || bits > 64)
      throw Damage{"the table of a heap is invalid"};
    offset_size_ = (bits + 7) / 8;
    length_size_ = std::min(bytes_for(largest_direct_ - 1), bytes_for(largest));
    if (id_size_ < 1 + offset_size_ + length_size_) throw Damage{"the object ids of a heap are too short"};
  }

  std::size_t id_size() const { return id_size_; }

  std::string_view object(std::string_view id) const {
    Cursor c(id);
    if (c.number(1) & 0xf0) throw Damage{"a name is of an unknown kind"};
    const uint64_t offset = c.number(offset_size_), length = c.number(length_size_);
    if (root_rows_ == 0) return part(root_, first_size_, offset, length);
    return within(root_, root_rows_, offset, length);
  }

 private:
  // Returns log2 of the size of a row's blocks relative to the first row.
  static uint64_t doublings(uint64_t row) { return row == 0 ? 0 : row - 1; }

  std::string_view part(uint64_t block, uint64_t size, uint64_t offset, uint64_t length) const {
    if (offset > size || length > size - offset) throw Damage{"a name exceeds its block"};
    (void)file_.structure(block, 4, "FHDB");
    return file_.at(block + offset, length);
  }

  // Returns the object at an offset in the space of an indirect block's children.
  std::string_view within(uint64_t block, uint64_t rows, uint64_t offset, uint64_t length) const {
    const uint64_t per_row = width_ * first_size_;
    const uint64_t row = offset < per_row ? 0 : static_cast<uint64_t>(std::bit_width(offset / per_row));
    if (row >= rows || row > 48) throw Damage{"a name is outside of its heap"};
    const uint64_t size = first_size_ << doublings(row), begin = row == 0 ? 0 : per_row << doublings(row);
    const uint64_t column = (offset - begin) / size, left = (offset - begin) % size;
    (void)file_.structure(block, 4, "FHIB");
    const uint64_t head = 4 + 1 + 8 + offset_size_, child = head + (row * width_ + column) * 8;
    const uint64_t address = Cursor(file_.at(block + child, 8)).number(8);
    if (size <= largest_direct_) return part(address, size, left, length);
    // The rows that give the block's size. Terminates, since the remaining offset is less than the size.
    return within(address, static_cast<uint64_t>(std::bit_width(size / per_row)), left, length);
  }

  const File& file_;
  uint64_t id_size_, width_, first_size_, largest_direct_, root_, root_rows_;
  std::size_t offset_size_, length_size_;
};

// A version 2 B-tree. Records are the hash of a name and its id in the heap.
class NameTree {
 public:
  NameTree(const File& file, uint64_t address, const FractalHeap& heap) : file_(file), heap_(heap) {
    Cursor c = file.structure(address, 34, "BTHD");
    if (c.number(1) != 0 || c.number(1) != kByName) throw Damage{"the tree of its names is of an unknown kind"};
    node_size_ = c.number(4);
    record_size_ = c.number(2);
    const uint64_t depth = c.number(2);
    c.skip(2);
    const uint64_t root = c.number(8), records = c.number(2), all = c.number(8);
    if (record_size_ != 4 + heap.id_size() || node_size_ < kHead + record_size_ || depth > 32 ||
        all > file.size() / record_size_)
      throw Damage{"the tree of its names is invalid"};
    most_ = all;
    // The sizes of counts follow from the largest number of records in a node and in a subtree.
    const uint64_t leaf = (node_size_ - kHead) / record_size_;
    count_size_ = bytes_for(leaf);
    double below = static_cast<double>(leaf);
    for (uint64_t level = 1; level <= depth; ++level) {
      const uint64_t pointer = 8 + count_size_ + (level > 1 ? total_sizes_.back() : 0);
      const uint64_t room =
          node_size_ > kHead + pointer ? (node_size_ - kHead - pointer) / (record_size_ + pointer) : 0;
      below = static_cast<double>(room + 1) * below + static_cast<double>(room);
      total_sizes_.push_back(below < 0x1p63 ? bytes_for(static_cast<uint64_t>(below)) : 8);
    }
    if (root != kNowhere) read(root, records, depth);
  }
  const std::vector<std::string_view>& objects() const { return objects_; }

 private:
  static constexpr uint64_t kByName = 5, kHead = 10;  // signature, version, type; checksum

  void read(uint64_t address, uint64_t count, uint64_t level) {
    Cursor c = file_.structure(address, node_size_, level > 0 ? "BTIN" : "BTLF");
    c.skip(2);
    for (uint64_t i = 0; i < count; ++i) {
      if (objects_.size() == most_) throw Damage{"the tree of its names has a cycle"};
      c.skip(4);
      objects_.push_back(heap_.object(c.take(heap_.id_size())));
    }
    if (level == 0) return;
    for (uint64_t i = 0; i <= count; ++i) {
      const uint64_t child = c.number(8), there = c.number(count_size_);
      if (level > 1) c.skip(total_sizes_[level - 2]);
      // Every node has names, so the check of their number also ends cycles.
      if (there == 0) throw Damage{"the tree of its names has an empty node"};
      read(child, there, level - 1);
    }
  }

  const File& file_;
  const FractalHeap& heap_;
  uint64_t node_size_, record_size_, most_;
  std::size_t count_size_;
  std::vector<std::size_t> total_sizes_;  // by level, beginning with 1
  std::vector<std::string_view> objects_;
};

}  // namespace

std::vector<std::string_view> dense_links(const File& file, uint64_t heap, uint64_t tree) {
  const FractalHeap objects(file, heap);
  return NameTree(file, tree, objects).objects();
}

}  // namespace chainer::hdf5
