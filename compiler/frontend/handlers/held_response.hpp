// Where an object has the response of a handler.
#pragma once

#include <clang/AST/Decl.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "frontend/handlers/response_state.hpp"

namespace fairway::frontend {

/// The members by which the response is reached from an object, and the response itself. Members
/// are references and pointers to it, or objects that have such members. Of these objects, members
/// that are numbers are kept, too: they may be statuses.
class HeldResponse {
 public:
  static HeldResponse response() { return HeldResponse(std::vector<Path>(1)); }
  HeldResponse() = default;

  bool is_empty() const { return paths_.empty(); }
  bool is_response() const { return paths_.size() == 1 && paths_.front().empty(); }
  /// What a member of the object has.
  HeldResponse member(const clang::FieldDecl& field) const {
    HeldResponse held;
    for (const Path& path : paths_) {
      if (path.empty() || path.front() != field.getCanonicalDecl()) continue;
      held.paths_.emplace_back(path.begin() + 1, path.end());
    }
    for (const auto& [path, statuses] : statuses_) {
      if (path.size() < 2 || path.front() != field.getCanonicalDecl()) continue;
      held.statuses_.emplace_back(Path(path.begin() + 1, path.end()), statuses);
    }
    return held;
  }
  /// The value of a member of the object; null: not known.
  const Statuses* statuses(const clang::FieldDecl& field) const {
    const auto known = std::ranges::find(statuses_, Path{field.getCanonicalDecl()},
                                         &std::pair<Path, Statuses>::first);
    return known == statuses_.end() ? nullptr : &known->second;
  }
  void set_statuses(const clang::FieldDecl& field, Statuses statuses) {
    statuses_.emplace_back(Path{field.getCanonicalDecl()}, std::move(statuses));
  }
  void add_member(const clang::FieldDecl& field, const HeldResponse& held) {
    for (Path path : held.paths_) {
      path.insert(path.begin(), field.getCanonicalDecl());
      add(std::move(path));
    }
    for (auto [path, statuses] : held.statuses_) {
      path.insert(path.begin(), field.getCanonicalDecl());
      statuses_.emplace_back(std::move(path), std::move(statuses));
    }
  }
  /// Another object with other members, which is a part of this one.
  void add_base(const HeldResponse& base) {
    for (const Path& path : base.paths_) add(path);
    statuses_.insert(statuses_.end(), base.statuses_.begin(), base.statuses_.end());
  }
  /// It is this object or another one that has the response in the same members.
  void join(const HeldResponse& other) {
    std::erase_if(statuses_, [&](auto& own) {
      const auto same =
          std::ranges::find(other.statuses_, own.first, &std::pair<Path, Statuses>::first);
      if (same != other.statuses_.end()) own.second.join(same->second);
      return same == other.statuses_.end();
    });
  }
  /// Whether they have the response in the same members.
  friend bool operator==(const HeldResponse& one, const HeldResponse& other) {
    return one.paths_ == other.paths_;
  }

 private:
  using Path = std::vector<const clang::FieldDecl*>;

  explicit HeldResponse(std::vector<Path> paths) : paths_(std::move(paths)) {}
  void add(Path path) {
    if (std::ranges::find(paths_, path) == paths_.end()) paths_.push_back(std::move(path));
  }

  std::vector<Path> paths_;
  std::vector<std::pair<Path, Statuses>> statuses_;  ///< of members that are numbers
};

}  // namespace fairway::frontend
