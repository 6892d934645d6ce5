// Members of links that CHAINER_MEMBERS does not list.
#pragma once
#include <string>
#include <vector>

namespace chainer {

class Link;

/// One line for each link and parameter that lies inside an object of this tree of links and that no walk over the tree
/// meets: it would be neither trained nor saved. Members of containers and behind pointers are not seen.
std::vector<std::string> left_out_members(const Link& root);

/// Warns about them; in debug mode a RuntimeError.
void check_left_out_members(const Link& root);

}  // namespace chainer
