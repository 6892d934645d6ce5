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
                                          {"safetensors", safetensors},
                                          {"caffemodel", caffemodel},
                                          {"mapped", mapped}};
  return all;
}

}  // namespace fuzz
