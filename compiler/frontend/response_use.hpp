// How a handler responds.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include "frontend/locations.hpp"
#include "frontend/type_queries.hpp"
#include "model/parsed_file.hpp"

namespace fairway::frontend {

/// Watches the response while a handler's body is visited.
class ResponseUse {
 public:
  ResponseUse(const Locations& at, const clang::ParmVarDecl& response)
      : at_(at), response_(response) {}

  /// A node of the body, without its children.
  void see(const clang::Stmt& node);
  /// A value that is kept under another name.
  void take(const clang::Expr& value);
  /// False when every use of the response is known and none of them sends JSON.
  bool may_send_json() const { return may_send_json_; }
  /// Whether some response without JSON has been seen.
  bool sends_without_json() const { return sends_without_json_; }
  /// The constant statuses that it sets or sends.
  std::vector<model::SentStatus> take_statuses() { return std::move(statuses_); }

 private:
  /// The response itself, or what a chainable call on it gives.
  bool is_response(const clang::Expr& expression) const;

  void note_status(const MemberUse& use);

  const Locations& at_;
  const clang::ParmVarDecl& response_;
  std::vector<model::SentStatus> statuses_;
  bool may_send_json_ = false;
  bool sends_without_json_ = false;
};

}  // namespace fairway::frontend
