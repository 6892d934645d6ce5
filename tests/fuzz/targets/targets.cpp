#include "../targets.h"

namespace fuzz {

const std::vector<Target>& targets() {
  static const std::vector<Target> all = {{"npy", npy},
                                          {"zip", zip},
                                          {"json", json},
                                          {"idx", idx},
                                          {"csv", csv},
                                          {"snapshot", snapshot},
                                          {"optimizer", optimizer},
                                          {"picture", picture},
                                          {"pickle", pickle},
                                          {"matlab", matlab},
                                          {"tar", tar},
                                          {"table", table},
                                          {"lines", lines},
                                          {"hdf5", hdf5}};
  return all;
}

}  // namespace fuzz
