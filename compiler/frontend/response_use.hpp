// The uses of the response in a handler.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/file_context.hpp"
#include "frontend/locations.hpp"
#include "frontend/type_queries.hpp"
#include "frontend/type_reader.hpp"
#include "model/parsed_file.hpp"

namespace fairway::frontend {

/// The statuses of HTTP that an expression may have, if they are constants: `found ? 200 : 404`.
/// Empty for other expressions.
std::vector<int> constant_statuses(const clang::ASTContext& ast, const clang::Expr& expression);

/// Keeps the types that `fw::Response` writes with generated code, wherever the file calls it.
void keep_sent_types(const FileContext& context, TypeReader& types);

/// A call of a function of the file that takes the response by reference or as a pointer.
struct ResponseHelper {
  const clang::Expr* call = nullptr;
  const clang::Stmt* body = nullptr;  ///< of the specialisation, if it has a body
  const clang::ParmVarDecl* response = nullptr;
  /// The others, which may be statuses.
  std::vector<std::pair<const clang::ParmVarDecl*, const clang::Expr*>> arguments = {};
};

/// Tracks the response while the body of a handler is visited.
class ResponseUse {
 public:
  /// `response` is null for a handler that does not take it.
  ResponseUse(const FileContext& context, TypeReader& types, const clang::ParmVarDecl* response)
      : context_(context), at_(context.at), ast_(context.ast), types_(types), response_(response) {}

  /// A statement that each run reaches unless it has returned, before its nodes are seen.
  void begin_statement(const clang::Stmt& statement);
  /// A node of the body, without its children.
  void see(const clang::Stmt& node);
  /// Handles a value that is stored in a variable: a reference to the response is another name for
  /// it, and anything else that contains it may send a response.
  void take(const clang::VarDecl& variable);

  /// The node that was seen last, if it is a call of a helper: the caller visits its body between
  /// `enter` and `leave`, or calls `lose`.
  const std::optional<ResponseHelper>& helper() const { return helper_; }
  /// The state of the function that calls a helper.
  struct Caller {
    const clang::ParmVarDecl* response;
    std::vector<int> set;
    const clang::Expr* statement;
    std::size_t sending_calls;
    bool is_reached;  ///< whether each run calls the helper, unless it has returned
  };
  Caller enter(const ResponseHelper& helper);
  void leave(const Caller& caller);
  /// Notes all values that a parameter of a function with this body gets, which may be statuses.
  void pass(const clang::ParmVarDecl& parameter, const std::vector<const clang::Expr*>& arguments,
            const clang::Stmt& body);
  /// Notes that unknown code has the response.
  void lose(const clang::Expr& value);
  /// False if all uses of the response are known and none sends JSON.
  bool may_send_json() const { return may_send_json_; }
  /// Whether responses other than `take_sent` returns are possible. The statuses of these may be
  /// unknown.
  bool sends_others() const { return sends_others_ || has_left_unknown_; }
  /// The responses that the handler sends.
  std::vector<model::SentResponse> take_sent();
  /// Whether the text of the body has more calls with the names of sending functions than were
  /// seen: Clang drops some statements with errors.
  bool has_lost_calls(const clang::Stmt& body) const;
  /// Whether a response without JSON was found.
  bool sends_without_json() const { return sends_without_json_; }
  /// The constant statuses that the handler sets or sends.
  std::vector<model::SentStatus> take_statuses();
  /// The pages that the handler renders.
  std::vector<model::RenderedPage> take_pages() { return std::move(pages_); }

 private:
  /// Whether the expression is the response or a chained call on it.
  bool is_response(const clang::Expr& expression) const;
  void take(const clang::Expr& value);

  // What depends on a condition of the compiler is no constant.
  std::vector<int> constant_statuses(const clang::Expr& expression) const;
  std::optional<std::string> text_of(const clang::Expr& expression) const;
  void keep_arguments(const clang::CallExpr& call);
  std::optional<ResponseHelper> helper_of(const clang::Stmt& node) const;
  bool is_in_statement(const clang::Stmt& node) const;
  void note_status(const clang::Stmt& node, const MemberUse& use);
  void note_page(const MemberUse& use);
  void note_media_type(const MemberUse& use);
  void note_response(const clang::Stmt& node, const MemberUse& use);
  void chained_status(const clang::Expr& object, std::vector<int>& statuses);

  const FileContext& context_;
  const Locations& at_;
  const clang::ASTContext& ast_;
  TypeReader& types_;
  const clang::ParmVarDecl* response_;
  std::set<const clang::ValueDecl*> aliases_;  ///< references and pointers to the response
  std::optional<ResponseHelper> helper_;
  std::vector<model::SentStatus> statuses_;
  std::size_t left_ = 0;           ///< the first of the statuses with which nothing has been sent
  bool has_left_unknown_ = false;  ///< nothing has been sent with a status that is not constant
  std::map<const clang::Decl*, std::vector<int>> arguments_;  ///< statuses that helpers get
  std::vector<model::SentResponse> sent_;
  std::vector<int> set_ = {200};          ///< what `status` may have set before; empty: unknown
  std::set<const clang::Stmt*> chained_;  ///< calls of `status` before one that sends
  const clang::Expr* statement_ = nullptr;
  std::string media_type_;  ///< set as a header; empty: none, "*/*": not constant
  std::size_t sending_calls_ = 0;
  bool sends_others_ = false;
  std::vector<model::RenderedPage> pages_;
  bool may_send_json_ = false;
  bool sends_without_json_ = false;
};

}  // namespace fairway::frontend
