// SPDX-License-Identifier: MIT
#include "chainer/interop/arrow.h"

#include <chainer/chainer.h>

#include <cmath>
#include <limits>

#include "test.h"

using namespace chainer;

namespace {

int released = 0;
template <class T>
void release(T* t) {
  ++released;
  t->release = nullptr;
}

// One column, and a table of columns.
struct Column {
  const void* buffers[2];
  arrow::ArrowArray array{};
  arrow::Schema schema{};
  Column(const char* format, const char* name, const void* values, int64_t length, const void* validity = nullptr,
         int64_t nulls = 0)
      : buffers{validity, values} {
    array = {.length = length,
             .null_count = nulls,
             .offset = 0,
             .n_buffers = 2,
             .n_children = 0,
             .buffers = buffers,
             .children = nullptr,
             .dictionary = nullptr,
             .release = release,
             .private_data = nullptr};
    schema = {.format = format,
              .name = name,
              .metadata = nullptr,
              .flags = 0,
              .n_children = 0,
              .children = nullptr,
              .dictionary = nullptr,
              .release = release,
              .private_data = nullptr};
  }
};
struct Table {
  std::vector<arrow::ArrowArray*> arrays;
  std::vector<arrow::Schema*> schemas;
  const void* no_validity[1] = {nullptr};
  Column whole;
  Table(std::initializer_list<Column*> columns, int64_t length, int64_t offset = 0) : whole("+s", "", nullptr, length) {
    for (Column* c : columns) arrays.push_back(&c->array), schemas.push_back(&c->schema);
    whole.array.offset = offset;
    whole.array.n_buffers = 1, whole.array.buffers = no_validity;
    whole.array.n_children = whole.schema.n_children = static_cast<int64_t>(columns.size());
    whole.array.children = arrays.data(), whole.schema.children = schemas.data();
  }
};

}  // namespace

TEST(columns_of_a_table_share_its_memory) {
  released = 0;
  float prices[] = {1, 2, 3, 4};
  int64_t counts[] = {5, 6, 7, 8};
  const uint8_t flags[] = {0b1010};
  Column price("f", "price", prices, 4), count("l", "count", counts, 4), flag("b", "flag", flags, 4);
  Table table({&price, &count, &flag}, 3, 1);
  {
    const auto columns = from_arrow(&table.whole.array, &table.whole.schema);
    EXPECT_EQ(columns.size(), 3u);
    EXPECT_EQ(columns[0].first, "price");
    EXPECT(columns[0].second.raw() == prices + 1);
    EXPECT(columns[1].second.to_vector<int64_t>() == (std::vector<int64_t>{6, 7, 8}));
    EXPECT(columns[2].second.to_vector<int>() == (std::vector<int>{1, 0, 1}));
    Array writable = columns[0].second;
    EXPECT_THROW(ValueError, "cannot be written to", writable.fill(0));
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 2);
}

TEST(the_structures_of_a_table_are_moved_from) {
  released = 0;
  const float values[] = {1, 2, 3};
  Array x;
  {
    Column c("f", "x", values, 3);
    x = from_arrow(&c.array, &c.schema)[0].second;
    // A null `release` marks a structure as moved from; its memory may be freed or reused.
    EXPECT(!c.array.release && !c.schema.release);
    c.array.length = -1, c.schema.format = nullptr;
  }
  EXPECT(x.to_vector<float>() == (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(released, 0);
  x = {};
  EXPECT_EQ(released, 2);
}

TEST(nulls_of_floating_columns_are_nan) {
  const double values[] = {1, 2, 3};
  const uint8_t valid[] = {0b101};
  Column c("g", "x", values, 3, valid, 1);
  const Array x = from_arrow(&c.array, &c.schema)[0].second;
  EXPECT(x[0].item<double>() == 1 && std::isnan(x[1].item<double>()) && x[2].item<double>() == 3);
}

TEST(columns_without_a_dtype_are_errors_that_name_them) {
  released = 0;
  const int32_t values[] = {1, 2, 3};
  const uint8_t valid[] = {0b101};
  const auto take = [&](const char* format, const void* validity, int64_t nulls, int64_t length) {
    Column c(format, "x", values, 3, validity, nulls);
    Table t({&c}, length);
    (void)from_arrow(&t.whole.array, &t.whole.schema);
  };
  EXPECT_THROW(TypeError, "column 'x': format 'u' is not supported", take("u", nullptr, 0, 3));
  EXPECT_THROW(TypeError, "format '+l'", take("+l", nullptr, 0, 3));
  EXPECT_THROW(TypeError, "nulls in integers", take("i", valid, 1, 3));
  EXPECT_THROW(ValueError, "column 'x': expected 5 elements", take("i", nullptr, 0, 5));
  EXPECT_EQ(released, 8);
  EXPECT_THROW(ValueError, "is nullptr", (void)from_arrow(nullptr, nullptr));
}

TEST(inconsistent_columns_are_errors) {
  released = 0;
  const double values[] = {1, 2, 3};
  const auto refused = [&](const char* message, const auto& damage) {
    Column c("g", "x", values, 3);
    Table t({&c}, 2);
    damage(c, t);
    EXPECT_THROW(ValueError, message, (void)from_arrow(&t.whole.array, &t.whole.schema));
  };
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  refused("columns of the table are nullptr", [](Column&, Table& t) { t.whole.array.children = nullptr; });
  refused("columns of the table are nullptr", [](Column&, Table& t) { t.whole.schema.children = nullptr; });
  refused("the buffers", [](Column&, Table& t) { t.whole.array.buffers = nullptr, t.whole.array.null_count = -1; });
  refused("column 0", [](Column&, Table& t) { t.arrays[0] = nullptr; });
  refused("column 0", [](Column&, Table& t) { t.schemas[0] = nullptr; });
  refused("has been released", [](Column& c, Table&) { c.array.release = nullptr; });
  refused("offset must be 0 or more, not -1", [](Column&, Table& t) { t.whole.array.offset = -1; });
  refused("expected 2 elements from 2", [](Column&, Table& t) { t.whole.array.offset = 2; });
  refused("elements from 9", [](Column& c, Table& t) { t.whole.array.offset = most, c.array.offset = 1; });
  refused("and 0 buffers", [](Column& c, Table&) { c.array.buffers = nullptr; });
  refused("values are missing", [](Column& c, Table&) { c.buffers[1] = nullptr; });
  refused("3 elements at -1", [](Column& c, Table&) { c.array.offset = -1; });
  refused("no memory", [](Column& c, Table& t) { c.array.length = most, t.whole.array.offset = most - 2; });
  EXPECT_EQ(released, 26);
}
