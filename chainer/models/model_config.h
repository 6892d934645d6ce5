// SPDX-License-Identifier: MIT
// Reading of config.json.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "chainer/autograd/variable.h"
#include "chainer/core/json_fields.h"

namespace chainer::models {

/// Calls f(object) with the object of a config.json whose model_type is `type`; adds the name of the file to errors.
void read_config(const std::filesystem::path& file, std::string_view type,
                 const std::function<void(const json::Value&)>& f);
/// Returns a positive integer member of a config.
int64_t count_of(const json::Value& config, std::string_view name, int64_t otherwise);
/// Throws ValueError unless 0 <= value < 1 (a share of dropout), or value > 0 (the eps of a normalization).
double share_of(const json::Value& config, std::string_view name, double otherwise);
double eps_of(const json::Value& config, std::string_view name, double otherwise);
/// Throws TypeError unless a mask is none or boolean: another one would be added to the scores.
void expect_boolean(std::string_view model, const Array& mask);
/// Returns the function that a config names, as its member `name` does.
std::function<Variable(const Variable&)> activation(const std::string& name);

}  // namespace chainer::models
