// SPDX-License-Identifier: MIT
#include "../table.h"

namespace bench {
namespace {
Inputs signals(const Size& s) { return {normal(s.signals)}; }
Inputs images(const Size& s) { return {normal(s.images)}; }
Inputs volumes(const Size& s) { return {normal(s.volumes)}; }
}  // namespace

void pooling(Table& t) {
  t.add(
      "average_pooling_1d", "F.avg_pool1d(x[0], 2)", [](const Variables& x) { return F::average_pooling_1d(x[0], 2); },
      signals);
  t.add(
      "average_pooling_2d", "F.avg_pool2d(x[0], 2)", [](const Variables& x) { return F::average_pooling_2d(x[0], 2); },
      images);
  t.add(
      "average_pooling_3d", "F.avg_pool3d(x[0], 2)", [](const Variables& x) { return F::average_pooling_3d(x[0], 2); },
      volumes);
  t.add(
      "average_pooling_nd", "F.avg_pool2d(x[0], 3, 1, 1)",
      [](const Variables& x) { return F::average_pooling_nd(x[0], 3, {.stride = 1, .pad = 1}); }, images);
  t.add(
      "max_pooling_1d", "F.max_pool1d(x[0], 2)", [](const Variables& x) { return F::max_pooling_1d(x[0], 2); },
      signals);
  t.add(
      "max_pooling_2d", "F.max_pool2d(x[0], 2)", [](const Variables& x) { return F::max_pooling_2d(x[0], 2); }, images);
  t.add(
      "max_pooling_3d", "F.max_pool3d(x[0], 2)", [](const Variables& x) { return F::max_pooling_3d(x[0], 2); },
      volumes);
  t.add(
      "max_pooling_nd", "F.max_pool2d(x[0], 3, 1, 1)",
      [](const Variables& x) { return F::max_pooling_nd(x[0], 3, {.stride = 1, .pad = 1}); }, images);
  t.add(
      "spatial_pyramid_pooling_2d", "pyramid(x[0])",
      [](const Variables& x) { return F::spatial_pyramid_pooling_2d(x[0], 3); }, images);
  t.add(
      "unpooling_1d", "F.interpolate(x[0], scale_factor=2)",
      [](const Variables& x) { return F::unpooling_1d(x[0], 2, {.cover_all = false}); }, signals);
  t.add(
      "unpooling_2d", "F.interpolate(x[0], scale_factor=2)",
      [](const Variables& x) { return F::unpooling_2d(x[0], 2, {.cover_all = false}); }, images);
  t.add(
       "unpooling_3d", "F.interpolate(x[0], scale_factor=2)",
       [](const Variables& x) { return F::unpooling_3d(x[0], 2, {.cover_all = false}); }, volumes)
      .up_to(1);
  t.add(
       "unpooling_nd", "F.interpolate(x[0], scale_factor=3)",
       [](const Variables& x) { return F::unpooling_nd(x[0], 3, {.cover_all = false}); }, images)
      .up_to(1);
  t.add(
      "upsampling_2d", "upsampling(*x)",
      [](const Variables& x) { return F::upsampling_2d(x[0], x[1].array(), 2, {.cover_all = false}); },
      [](const Size& s) {
        return Inputs{normal(s.images), integers(0, 4, s.images)};
      });
  for (const char* name :
       {"roi_average_align_2d", "roi_average_pooling_2d", "roi_max_align_2d", "roi_max_pooling_2d", "roi_pooling_2d"})
    t.absent(name, "in torchvision, not in PyTorch");
}

}  // namespace bench
