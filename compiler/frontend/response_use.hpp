// The uses of the response in a handler.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include "frontend/locations.hpp"
#include "frontend/type_queries.hpp"
#include "model/parsed_file.hpp"

namespace fairway::frontend {

/// Tracks the response while the body of a handler is visited.
class ResponseUse {
 public:
  ResponseUse(const Locations& at, const clang::ParmVarDecl& response)
      : at_(at), response_(response) {}

  /// A node of the body, without its children.
  void see(const clang::Stmt& node);
  /// Handles a value that is stored under another name.
  void take(const clang::Expr& value);
  /// False if all uses of the response are known and none sends JSON.
  bool may_send_json() const { return may_send_json_; }
  /// Whether a response without JSON was found.
  bool sends_without_json() const { return sends_without_json_; }
  /// The constant statuses that the handler sets or sends.
  std::vector<model::SentStatus> take_statuses() { return std::move(statuses_); }
  /// The pages that the handler renders.
  std::vector<model::RenderedPage> take_pages() { return std::move(pages_); }

 private:
  /// Whether the expression is the response or a chained call on it.
  bool is_response(const clang::Expr& expression) const;

  void note_status(const MemberUse& use);
  void note_page(const MemberUse& use);

  const Locations& at_;
  const clang::ParmVarDecl& response_;
  std::vector<model::SentStatus> statuses_;
  std::vector<model::RenderedPage> pages_;
  bool may_send_json_ = false;
  bool sends_without_json_ = false;
};

}  // namespace fairway::frontend
