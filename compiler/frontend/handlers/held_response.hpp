// Where an object has the response of a handler.
#pragma once

#include <clang/AST/Decl.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace fairway::frontend {

/// The members by which the response is reached from an object, and the response itself. Members
/// are references and pointers to it, or objects that have such members.
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
    return held;
  }
  void add_member(const clang::FieldDecl& field, const HeldResponse& held) {
    for (Path path : held.paths_) {
      path.insert(path.begin(), field.getCanonicalDecl());
      add(std::move(path));
    }
  }
  /// Another object with other members, which is a part of this one.
  void add_base(const HeldResponse& base) {
    for (const Path& path : base.paths_) add(path);
  }
  friend bool operator==(const HeldResponse&, const HeldResponse&) = default;

 private:
  using Path = std::vector<const clang::FieldDecl*>;

  explicit HeldResponse(std::vector<Path> paths) : paths_(std::move(paths)) {}
  void add(Path path) {
    if (std::ranges::find(paths_, path) == paths_.end()) paths_.push_back(std::move(path));
  }

  std::vector<Path> paths_;
};

}  // namespace fairway::frontend
