// Trees on the way of an error, which may be a lack of memory. The destructor of nlohmann::json
// needs memory for a tree that is not empty, and ends the process if there is none. Lists of
// initializers are such trees, too.
#pragma once

#include <fairway/json.hpp>

#include "base/json_text.hpp"

namespace fw::base {

/// Empties a tree at the end of a scope without needing memory.
class TreeGuard {
 public:
  explicit TreeGuard(Json& tree) noexcept : tree_(tree) {}
  ~TreeGuard() { destroy_iteratively(tree_); }
  TreeGuard(const TreeGuard&) = delete;
  TreeGuard& operator=(const TreeGuard&) = delete;

 private:
  Json& tree_;
};

/// The tree that `fill` builds from an empty object. If it throws, the members so far need no
/// memory to end. It must not set members or items of a null value, which is no valid tree if that
/// fails.
template <class Fill>
Json make_tree(const Fill& fill) {
  Json tree = Json::object();
  try {
    fill(tree);
  } catch (...) {
    destroy_iteratively(tree);
    throw;
  }
  return tree;
}

/// Copies into `to`, which must be empty, and guarded because the copy may fail.
inline void copy_tree(const Json& from, Json& to) {
  if (const auto* members = from.get_ptr<const Json::object_t*>()) {
    to = Json::object();
    for (const auto& [name, member] : *members) copy_tree(member, to[name]);
  } else if (const auto* items = from.get_ptr<const Json::array_t*>()) {
    to = Json::array();
    for (const Json& item : *items) copy_tree(item, to.emplace_back());
  } else {
    to = from;
  }
}

}  // namespace fw::base
