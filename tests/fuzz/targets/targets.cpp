// SPDX-License-Identifier: MIT
#include "../targets.h"

namespace fuzz {

const std::vector<Target>& targets() {
  static const std::vector<Target> all = {{"npy", npy},
                                          {"zip", zip},
                                          {"json", json},
                                          {"idx", idx},
                                          {"csv", csv},
                                          {"pickle", pickle},
                                          {"matlab", matlab},
                                          {"tar", tar},
                                          {"picture", picture},
                                          {"snapshot", snapshot},
                                          {"optimizer", optimizer},
                                          {"hdf5", hdf5},
                                          {"records", records},
                                          {"lists", lists},
                                          {"zipped_pictures", zipped_pictures},
                                          {"texts", texts},
                                          {"safetensors", safetensors},
                                          {"caffemodel", caffemodel},
                                          {"mapped", mapped},
                                          {"onnx", onnx},
                                          {"tokenizer", tokenizer},
                                          {"request", request},
                                          {"tool", tool}};
  return all;
}

}  // namespace fuzz
