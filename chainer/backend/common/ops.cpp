#include "chainer/backend/common/ops.h"

namespace chainer {
namespace {

struct Row {
  std::string_view name;
  Category category;
  int arity;
};
constexpr Row kRows[] = {
#define X(NAME, CATEGORY, ...) {#NAME, Category::CATEGORY, 1},
    CHAINER_UNARY_OPS(X)
#undef X
#define X(NAME, CATEGORY, ...) {#NAME, Category::CATEGORY, 2},
        CHAINER_BINARY_OPS(X)
#undef X
#define X(NAME, ...) {#NAME, Category::compare, Elementwise::NAME < Elementwise::isnan ? 2 : 1},
            CHAINER_COMPARE_OPS(X)
#undef X
#define X(NAME, CATEGORY, ...) {#NAME, Category::CATEGORY, 3},
                CHAINER_TERNARY_OPS(X)
#undef X
                    {"where", Category::any, 3}};

}  // namespace

Category category(Elementwise op) { return kRows[static_cast<int>(op)].category; }
int arity(Elementwise op) { return kRows[static_cast<int>(op)].arity; }
std::string_view name(Elementwise op) { return kRows[static_cast<int>(op)].name; }

}  // namespace chainer
