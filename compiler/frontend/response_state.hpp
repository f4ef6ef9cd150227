// What is known of a response while a handler runs.
#pragma once

#include <clang/AST/Stmt.h>

#include <set>

namespace fairway::frontend {

/// The statuses that a response may have.
struct Statuses {
  std::set<int> known = {};
  bool is_unknown = false;  ///< others than `known` are possible

  void join(const Statuses& others) {
    known.insert(others.known.begin(), others.known.end());
    is_unknown = is_unknown || others.is_unknown;
  }
};

/// What may have happened to the response when a part of the handler is reached.
struct ResponseState {
  bool is_reached = false;
  bool is_open = false;    ///< perhaps nothing has been sent; a second response is ignored
  Statuses statuses = {};  ///< of the response, if nothing has been sent
  std::set<const clang::Stmt*> set_by = {};  ///< the calls that have set these statuses

  static ResponseState first() {
    return {.is_reached = true, .is_open = true, .statuses = {.known = {200}}};
  }
  /// After a response has been sent.
  static ResponseState sent() { return {.is_reached = true}; }

  /// Of two ways to one part of the handler.
  void join(const ResponseState& other) {
    is_reached = is_reached || other.is_reached;
    is_open = is_open || other.is_open;
    statuses.join(other.statuses);
    set_by.insert(other.set_by.begin(), other.set_by.end());
  }
};

}  // namespace fairway::frontend
