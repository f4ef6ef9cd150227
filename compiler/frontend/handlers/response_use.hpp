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

#include "frontend/handlers/held_response.hpp"
#include "frontend/handlers/passed_values.hpp"
#include "frontend/handlers/response_state.hpp"
#include "frontend/source/file_context.hpp"
#include "frontend/source/locations.hpp"
#include "frontend/tree/type_queries.hpp"
#include "frontend/types/type_reader.hpp"
#include "model/parsed_file.hpp"

namespace fairway::frontend {

/// The statuses of HTTP that an expression may have, if they are constants: `found ? 200 : 404`.
/// Empty for other expressions.
std::vector<int> constant_statuses(const clang::ASTContext& ast, const clang::Expr& expression);

/// Keeps the types that `fw::Response` writes with generated code, wherever the file calls it.
void keep_sent_types(const FileContext& context, TypeReader& types);

/// Whether a constructor only copies the members of another object of the class.
bool is_copy_of_members(const clang::CXXConstructExpr& construct);

/// Whether a variable, a parameter or a member of the type can be what has the response: a
/// reference or a pointer, or for an object a copy of it.
bool can_hold(clang::QualType type, const HeldResponse& held);

/// The argument of `std::move`, `std::forward` and the like; null for other expressions.
const clang::Expr* passed_through(const clang::Expr& expression);

/// The string that `code.c_str()` or `code.data()` points to, or that a conversion views; null for
/// other expressions.
const clang::Expr* viewed_text(const clang::Expr& expression);

/// The string that the expression copies, views or points to: `name` in
/// `std::string(name).c_str()`.
const clang::Expr& text_source(const clang::Expr& expression);

/// Keeps what a handler does with its response, and the state of the response, while the handler is
/// visited in the order in which it runs.
class ResponseUse {
 public:
  ResponseUse(const FileContext& context, TypeReader& types, const clang::FunctionDecl& handler);

  /// Begins to visit the handler. What it sends is kept only with `keeps`.
  void begin(bool keeps);
  void keep(bool keeps) { keeps_ = keeps; }
  bool keeps() const { return keeps_; }
  /// The handler has been visited.
  void end();

  ResponseState& state() { return state_; }
  /// Whether the expression is the response or a chained call on it.
  bool is_response(const clang::Expr& expression) const {
    return held_by(expression).is_response();
  }
  /// What an object, or a reference or a pointer to it, has of the response.
  HeldResponse held_by(const clang::Expr& expression) const;
  /// What the object has whose function is visited.
  const HeldResponse& self() const { return self_; }
  HeldResponse enter_object(HeldResponse self) { return std::exchange(self_, std::move(self)); }
  void set_name(const clang::ValueDecl& name, HeldResponse held);
  /// What a call returns, or what an object has that has been constructed.
  void set_result(const clang::Expr& call, HeldResponse held);
  std::size_t results() const { return results_.size(); }
  /// A variable with an initialiser: a reference to the response is another name for it, an object
  /// may have it as a member, and anything else that contains it may send a response.
  void declare(const clang::VarDecl& variable);
  /// Parameters of a function with this body, and what they get: perhaps statuses and strings.
  void set_arguments(
      const std::vector<std::pair<const clang::ParmVarDecl*, const clang::Expr*>>& arguments,
      const clang::Stmt& body);
  void forget_argument(const clang::ParmVarDecl& parameter) { values_.forget(parameter); }
  void enter_body(const clang::Stmt& body) { values_.enter(body); }
  std::size_t changed_members() const { return values_.changed_members(); }
  /// A member of an object that may be a status.
  void set_member(HeldResponse& object, const clang::FieldDecl& member,
                  const clang::Expr& value) const;

  /// A function that is written outside of its caller is visited where it is called.
  void enter_helper(const clang::CallExpr& call) { calls_.push_back(&call); }
  void leave_helper() { calls_.pop_back(); }

  /// A call of a member of the response, whose object and arguments have been visited. First its
  /// status is set. Returns whether the status remains if the call throws.
  bool begin_call(const clang::Stmt& node, const MemberUse& use);
  void call(const clang::Stmt& node, const MemberUse& use);
  /// Code that is not visited has the response.
  void lose(const clang::Expr& value);
  /// The handler is too large.
  void end_unknown();
  /// Any status may be set, after a response has been sent or not.
  void forget_status();
  /// An object that has the response is used, or ends.
  void change_elsewhere();
  /// How often other code got the response.
  std::size_t losses() const { return losses_; }
  /// An exception, or a function that never returns.
  void end_with_error();
  /// A call of code that is not visited: it may call lambdas that have escaped.
  void call_elsewhere();
  /// A function template whose body is not visited may send what it gets.
  void keep_arguments(const clang::CallExpr& call);
  /// The body of a lambda that may be called at any time from here on is visited.
  void begin_escaped();
  void end_escaped();

  /// False if all uses of the response are known and none sends JSON.
  bool may_send_json() const { return may_send_json_; }
  /// Whether responses other than `take_sent` returns are possible. The statuses of these may be
  /// unknown.
  bool sends_others() const { return sends_others_; }
  /// The responses that the handler sends.
  std::vector<model::SentResponse> take_sent();
  /// Whether a response without JSON was found.
  bool sends_without_json() const { return sends_without_json_; }
  /// The constant statuses that the handler sets or sends.
  std::vector<model::SentStatus> take_statuses();
  /// The constant statuses of redirects with which the runtime never redirects.
  std::vector<model::RefusedRedirect> take_refused_redirects();
  /// The pages that the handler renders.
  std::vector<model::RenderedPage> take_pages() { return std::move(pages_); }

 private:
  std::vector<int> constant_statuses(const clang::Expr& expression) const;
  Statuses statuses_of(const clang::Expr& expression, int depth = 0) const;
  std::optional<Statuses> passed_statuses(const clang::Expr& expression) const;
  Texts texts_of(const clang::Expr& expression, int depth = 0) const;
  Texts returned_texts(const clang::CallExpr& call, int depth) const;
  void set_status(const clang::Stmt& node, const MemberUse& use, std::size_t index);
  void set_status_of_redirect(const clang::Stmt& node, const MemberUse& use);
  Statuses accepted_by_redirect(const clang::Expr& argument);
  void send(const clang::Stmt& node, const MemberUse& use);
  bool is_end(const MemberUse& use) const;
  std::vector<model::HelperCall> helper_calls() const;
  void note_page(const MemberUse& use);
  void set_media_type(const clang::Stmt& node, const MemberUse& use);
  std::set<std::string> media_types_of(const MemberUse& use, const std::string& header) const;

  /// A status that the handler sets or sends, and the call.
  struct SetStatus {
    model::SentStatus status;
    const clang::Stmt* node;
  };

  const FileContext& context_;
  const Locations& at_;
  const clang::ASTContext& ast_;
  TypeReader& types_;
  bool has_result_ = false;  ///< which is sent if the handler has not sent another response
  /// The response, references and pointers to it, and objects that have it.
  std::map<const clang::ValueDecl*, HeldResponse> names_;
  std::map<const clang::Expr*, HeldResponse> results_;  ///< calls that return it, and constructions
  HeldResponse self_;
  PassedValues values_;
  std::vector<const clang::CallExpr*> calls_;  ///< of the helpers that are visited
  ResponseState state_;
  bool keeps_ = false;
  HeadChanges ever_;                     ///< that are made anywhere
  HeadChanges escaped_;                  ///< that lambdas make which have escaped
  std::vector<ResponseState> escaping_;  ///< before each such lambda that is being visited
  bool has_escaped_ = false;             ///< whether such a lambda uses the response
  std::set<const clang::Stmt*> used_;    ///< calls of `status` whose statuses are sent
  std::set<const clang::Stmt*> left_;    ///< those after which the handler may end
  std::vector<SetStatus> statuses_;
  std::vector<model::RefusedRedirect> refused_redirects_;
  std::vector<model::SentResponse> sent_;
  std::size_t losses_ = 0;
  bool sends_others_ = false;
  std::vector<model::RenderedPage> pages_;
  bool may_send_json_ = false;
  bool sends_without_json_ = false;
};

}  // namespace fairway::frontend
