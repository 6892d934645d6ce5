// SPDX-License-Identifier: MIT
#include "../table.h"

namespace bench {
namespace {
Inputs matrix(const Size& s) { return {normal(s.matrix)}; }
Inputs two_matrices(const Size& s) { return {normal(s.matrix), normal(s.matrix)}; }
/// Eight sequences of up to eight items, the longest first; the items are vectors or numbers.
Inputs sequences(const Size& s) {
  Inputs xs;
  for (int64_t i = 0; i < 8; ++i) xs.push_back(normal({8 - i / 2, s.n / 64}));
  return xs;
}
Inputs lines(const Size& s) {
  Inputs xs;
  for (int64_t i = 0; i < 8; ++i) xs.push_back(normal({s.n / 64 * (8 - i / 2)}));
  return xs;
}
}  // namespace

void array_manipulation(Table& t) {
  t.add(
      "broadcast", "list(torch.broadcast_tensors(x[0], x[1]))",
      [](const Variables& x) {
        return F::broadcast({x[0], x[1]});
      },
      [](const Size& s) {
        return Inputs{normal({s.rows(), 1}), normal({1, s.columns()})};
      });
  t.add(
      "broadcast_to", "x[0].broadcast_to(len(x[1]), -1)",
      [](const Variables& x) {
        return F::broadcast_to(x[0], {x[1].shape(0), x[0].shape(1)});
      },
      [](const Size& s) {
        return Inputs{normal({1, s.columns()}), fixed(normal({s.rows()}))};
      });
  t.add(
      "cast", "x[0].double()", [](const Variables& x) { return F::cast(x[0], float64); }, matrix);
  t.add(
      "concat", "torch.cat(x, 1)", [](const Variables& x) { return F::concat(x); }, two_matrices);
  t.add(
      "copy", "x[0].clone()", [](const Variables& x) { return F::copy(x[0], x[0].device()); }, matrix);
  t.add(
      "depth2space", "F.pixel_shuffle(x[0], 2)", [](const Variables& x) { return F::depth2space(x[0], 2); },
      [](const Size& s) {
        return Inputs{normal({s.n / s.images[3] / s.images[3] / 4, 4, s.images[2], s.images[3]})};
      });
  t.add(
      "space2depth", "F.pixel_unshuffle(x[0], 2)", [](const Variables& x) { return F::space2depth(x[0], 2); },
      [](const Size& s) {
        return Inputs{normal({s.n / s.images[3] / s.images[3], 1, s.images[2], s.images[3]})};
      });
  t.add(
      "diagonal", "torch.diagonal(x[0])", [](const Variables& x) { return F::diagonal(x[0]); }, matrix);
  t.add(
      "dstack", "torch.dstack(x)", [](const Variables& x) { return F::dstack(x); }, two_matrices);
  t.add(
      "hstack", "torch.hstack(x)", [](const Variables& x) { return F::hstack(x); }, two_matrices);
  t.add(
      "vstack", "torch.vstack(x)", [](const Variables& x) { return F::vstack(x); }, two_matrices);
  t.add(
      "stack", "torch.stack(x)", [](const Variables& x) { return F::stack(x); }, two_matrices);
  t.add(
      "expand_dims", "x[0].unsqueeze(1)", [](const Variables& x) { return F::expand_dims(x[0], 1); }, matrix);
  t.add(
      "flatten", "torch.flatten(x[0])", [](const Variables& x) { return F::flatten(x[0]); }, matrix);
  t.add(
      "flip", "torch.flip(x[0], (1,))", [](const Variables& x) { return F::flip(x[0], 1); }, matrix);
  t.add(
      "fliplr", "torch.fliplr(x[0])", [](const Variables& x) { return F::fliplr(x[0]); }, matrix);
  t.add(
      "flipud", "torch.flipud(x[0])", [](const Variables& x) { return F::flipud(x[0]); }, matrix);
  t.add(
      "get_item", "x[0][1:, ::2]",
      [](const Variables& x) {
        return x[0][{Slice(1, {}), Slice({}, {}, 2)}];
      },
      matrix);
  t.add(
      "moveaxis", "torch.movedim(x[0], 0, -1)", [](const Variables& x) { return F::moveaxis(x[0], 0, -1); },
      [](const Size& s) { return Inputs{normal(s.images)}; });
  t.add(
      "rollaxis", "torch.movedim(x[0], 2, 0)", [](const Variables& x) { return F::rollaxis(x[0], 2); },
      [](const Size& s) { return Inputs{normal(s.images)}; });
  t.add(
      "swapaxes", "torch.swapaxes(x[0], 0, 1)", [](const Variables& x) { return F::swapaxes(x[0], 0, 1); }, matrix);
  t.add(
      "transpose", "x[0].t()", [](const Variables& x) { return F::transpose(x[0]); }, matrix);
  t.add(
      "reshape", "x[0].reshape(-1, 4)",
      [](const Variables& x) {
        return F::reshape(x[0], {-1, 4});
      },
      matrix);
  t.add(
      "squeeze", "torch.squeeze(x[0])", [](const Variables& x) { return F::squeeze(x[0]); },
      [](const Size& s) {
        return Inputs{normal({s.rows(), 1, s.columns()})};
      });
  t.add(
      "pad", "F.pad(x[0], (1, 1, 1, 1))", [](const Variables& x) { return F::pad(x[0], 1, "constant"); }, matrix);
  t.add(
      "pad_sequence", "torch.nn.utils.rnn.pad_sequence(x, batch_first=True)",
      [](const Variables& x) { return F::pad_sequence(x); }, lines);
  t.add(
      "transpose_sequence", "transpose_sequence(x)", [](const Variables& x) { return F::transpose_sequence(x); },
      sequences);
  t.add(
      "permutate", "x[0].index_select(0, x[1])", [](const Variables& x) { return F::permutate(x[0], x[1].array()); },
      [](const Size& s) {
        return Inputs{normal(s.matrix), permutation(s.rows())};
      });
  t.add(
      "repeat", "torch.repeat_interleave(x[0], 2, 1)", [](const Variables& x) { return F::repeat(x[0], {2}, 1); },
      matrix);
  t.add(
      "tile", "torch.tile(x[0], (2, 2))",
      [](const Variables& x) {
        return F::tile(x[0], {2, 2});
      },
      matrix);
  t.add(
      "scatter_add", "torch.index_add(x[0], 0, x[2], x[1])",
      [](const Variables& x) { return F::scatter_add(x[0], {x[2].array()}, x[1]); },
      [](const Size& s) {
        return Inputs{normal(s.matrix), normal(s.matrix), integers(0, static_cast<double>(s.rows()), {s.rows()})};
      });
  t.add(
      "scatter_max", "torch.index_reduce(x[0], 0, x[2], x[1], 'amax')",
      [](const Variables& x) { return F::scatter_max(x[0], {x[2].array()}, x[1]); },
      [](const Size& s) {
        return Inputs{normal(s.matrix), normal(s.matrix), integers(0, static_cast<double>(s.rows()), {s.rows()})};
      });
  t.add(
      "scatter_mean", "torch.index_reduce(x[0], 0, x[2], x[1], 'mean')",
      [](const Variables& x) { return F::scatter_mean(x[0], {x[2].array()}, x[1]); },
      [](const Size& s) {
        return Inputs{normal(s.matrix), normal(s.matrix), integers(0, static_cast<double>(s.rows()), {s.rows()})};
      });
  t.add(
      "select_item", "x[0].gather(1, x[1][:, None])[:, 0]",
      [](const Variables& x) { return F::select_item(x[0], x[1]); },
      [](const Size& s) {
        return Inputs{normal(s.matrix), integers(0, static_cast<double>(s.columns()), {s.rows()})};
      });
  t.add(
      "separate", "list(x[0].unbind(0))", [](const Variables& x) { return F::separate(x[0]); },
      [](const Size& s) {
        return Inputs{normal({8, s.n / 8})};
      });
  t.add(
      "split_axis", "list(torch.tensor_split(x[0], 4, 1))",
      [](const Variables& x) { return F::split_axis(x[0], 4, 1); }, matrix);
  t.add(
      "where", "torch.where(x[2] > 0, x[0], x[1])",
      [](const Variables& x) { return F::where(Variable(greater(x[2].array(), 0), false), x[0], x[1]); },
      [](const Size& s) {
        return Inputs{normal(s.line()), normal(s.line()), fixed(normal(s.line()))};
      });
  t.add(
      "im2col", "F.unfold(x[0], 3, padding=1)", [](const Variables& x) { return F::im2col(x[0], 3, {.pad = 1}); },
      [](const Size& s) { return Inputs{normal(s.images)}; });
  t.add(
      "resize_images", "F.interpolate(x[0], tuple(2 * d for d in x[0].shape[2:]), mode='bilinear', align_corners=True)",
      [](const Variables& x) {
        return F::resize_images(x[0], {2 * x[0].shape(2), 2 * x[0].shape(3)});
      },
      [](const Size& s) { return Inputs{normal(s.images)}; });
  t.add(
      "spatial_transformer_grid", "F.affine_grid(x[0], (len(x[0]), 1, 8, 8), align_corners=True).permute(0, 3, 1, 2)",
      [](const Variables& x) {
        return F::spatial_transformer_grid(x[0], {8, 8});
      },
      [](const Size& s) {
        return Inputs{normal({(s.n + 127) / 128, 2, 3})};
      });
  t.add(
      "spatial_transformer_sampler", "F.grid_sample(x[0], x[1].permute(0, 2, 3, 1), align_corners=True)",
      [](const Variables& x) { return F::spatial_transformer_sampler(x[0], x[1]); },
      [](const Size& s) {
        return Inputs{normal(s.images), uniform(-1, 1, {s.images[0], 2, s.images[2], s.images[3]})};
      });
  t.add(
      "rotary_embedding", "rotary_embedding(x[0])", [](const Variables& x) { return F::rotary_embedding(x[0]); },
      matrix);
}

}  // namespace bench
