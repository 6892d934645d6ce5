// SPDX-License-Identifier: MIT
// Members of links that CHAINER_MEMBERS does not list.
#pragma once
#include <string>
#include <vector>

namespace chainer {

class Link;

/// Returns one line for each link and parameter that is stored in an object of this tree of links but not visited by a
/// walk over the tree, so that it would be neither trained nor saved. Does not find members of containers and members
/// that are reached through pointers.
std::vector<std::string> left_out_members(const Link& root);
/// Returns one line for each link that is not visited by a walk and that an object of this tree, of a user's class,
/// points to: by std::unique_ptr, std::shared_ptr or as the first link of a std::vector. Includes links that are
/// borrowed on purpose.
std::vector<std::string> links_behind_pointers(const Link& root);

/// Warns about both. In debug mode, throws RuntimeError for left out members.
void check_left_out_members(const Link& root);

}  // namespace chainer
