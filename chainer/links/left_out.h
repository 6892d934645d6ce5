// Members of links that CHAINER_MEMBERS does not list.
#pragma once
#include <string>
#include <vector>

namespace chainer {

class Link;

/// One line for each link and parameter that lies inside an object of this tree of links and that no walk over the tree
/// meets: it would be neither trained nor saved. Members of containers and behind pointers are not seen.
std::vector<std::string> left_out_members(const Link& root);
/// One line for each link that no walk meets and that an object of this tree, of a class of the user's, points to:
/// std::unique_ptr, std::shared_ptr and the first link of a std::vector, but also links that are borrowed on purpose.
std::vector<std::string> links_behind_pointers(const Link& root);

/// Warns about both; in debug mode members that were left out are a RuntimeError.
void check_left_out_members(const Link& root);

}  // namespace chainer
