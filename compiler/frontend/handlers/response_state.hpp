// What is known of a response while a handler runs.
#pragma once

#include <clang/AST/Stmt.h>

#include <cstddef>
#include <map>
#include <set>
#include <string>

namespace fairway::frontend {

/// The statuses that a response may have.
struct Statuses {
  std::set<int> known = {};
  bool is_unknown = false;    ///< others than `known` are possible
  bool may_be_error = false;  ///< others of 400 to 599 are possible: `res.status(e.status())`

  void join(const Statuses& others) {
    known.insert(others.known.begin(), others.known.end());
    is_unknown = is_unknown || others.is_unknown;
    may_be_error = may_be_error || others.may_be_error;
  }
  friend bool operator==(const Statuses&, const Statuses&) = default;
};

/// The strings that an expression may have.
struct Texts {
  std::set<std::string> known = {};
  bool is_unknown = false;  ///< others than `known` are possible

  void join(const Texts& others) {
    known.insert(others.known.begin(), others.known.end());
    is_unknown = is_unknown || others.is_unknown;
  }
};

/// What is set somewhere, at a time that is not known.
struct HeadChanges {
  Statuses statuses = {};
  std::set<std::string> media_types = {};
};

/// What may have happened to the response when a part of the handler is reached.
struct ResponseState {
  bool is_reached = false;
  bool is_open = false;  ///< perhaps nothing has been sent; a second response is ignored
  /// Of the response, if nothing has been sent: its statuses with each media type that may be set
  /// as a header; "": none is set, "*/*": it is not constant.
  std::map<std::string, Statuses> heads = {};
  std::set<const clang::Stmt*> set_by = {};  ///< the calls that have set the statuses

  static ResponseState first() {
    return {.is_reached = true, .is_open = true, .heads = {{"", {.known = {200}}}}};
  }
  /// After a response has been sent.
  static ResponseState sent() { return {.is_reached = true}; }

  Statuses statuses() const {
    Statuses all;
    for (const auto& [media_type, statuses] : heads) all.join(statuses);
    return all;
  }
  void set_statuses(const Statuses& statuses) {
    for (auto& [media_type, own] : heads) own = statuses;
  }
  /// To one of these.
  void set_media_type(const std::set<std::string>& media_types) {
    const Statuses before = statuses();
    heads.clear();
    for (const std::string& each : media_types) heads[each] = before;
    bound();
  }
  /// If there is none.
  void append_media_type(const std::set<std::string>& media_types) {
    const auto none = heads.extract("");
    if (!none) return;
    for (const std::string& each : media_types) heads[each].join(none.mapped());
    bound();
  }

  /// The changes may have been made, or not.
  void add(const HeadChanges& changes) {
    const Statuses before = statuses();
    for (const std::string& media_type : changes.media_types) heads[media_type].join(before);
    for (auto& [media_type, own] : heads) own.join(changes.statuses);
    bound();
  }

  /// Of two ways to one part of the handler.
  void join(const ResponseState& other) {
    is_reached = is_reached || other.is_reached;
    is_open = is_open || other.is_open;
    for (const auto& [media_type, statuses] : other.heads) heads[media_type].join(statuses);
    bound();
    set_by.insert(other.set_by.begin(), other.set_by.end());
  }
  friend bool operator==(const ResponseState&, const ResponseState&) = default;

 private:
  static constexpr std::size_t kMaxMediaTypes = 16;

  /// Each state of a large handler would have all statuses with each of its media types.
  void bound() {
    if (heads.size() > kMaxMediaTypes) heads = {{"*/*", statuses()}};
  }
};

}  // namespace fairway::frontend
