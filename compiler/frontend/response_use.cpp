#include "frontend/response_use.hpp"

#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "frontend/registration_call.hpp"
#include "frontend/type_queries.hpp"

namespace fairway::frontend {
namespace {

constexpr std::array<llvm::StringLiteral, 5> kChainable = {"status", "set_header", "append_header",
                                                           "set_cookie", "clear_cookie"};
constexpr std::array<llvm::StringLiteral, 5> kWithoutJson = {"text", "stream", "download",
                                                             "redirect", "render"};
constexpr std::array<llvm::StringLiteral, 3> kQueries = {"get_header", "status_code", "is_sent"};

/// `json(nullptr)` and statuses without content send no JSON.
bool sends_data(const MemberUse& use) {
  if (use.arguments.empty()) return true;
  const clang::Expr& data = bare(*use.arguments[0]->IgnoreUnlessSpelledInSource());
  if (llvm::isa<clang::CXXNullPtrLiteralExpr>(data)) return false;
  if (use.arguments.size() < 2) return true;
  const auto* status = llvm::dyn_cast<clang::IntegerLiteral>(&bare(*use.arguments[1]));
  if (status == nullptr) return true;
  const std::uint64_t code = status->getValue().getLimitedValue();
  return code != 204 && code != 205 && code != 304;
}

}  // namespace

void ResponseUse::see(const clang::Stmt& node) {
  const auto use = member_use(node);
  const bool on_response = use && is_response(*use->object);
  if (on_response) note_status(*use);
  if (on_response) note_page(*use);
  if (on_response) {
    const bool is_json = use->name == "json" || use->name == "raw_json";
    if (is_json ? !sends_data(*use) : is_one_of(kWithoutJson, use->name)) {
      sends_without_json_ = true;
    } else if (!is_one_of(kChainable, use->name) && !is_one_of(kQueries, use->name)) {
      may_send_json_ = true;
    }
  }
  // Any other expression with the response may send JSON. A member is handled with its call.
  const bool is_callee =
      llvm::isa<clang::MemberExpr, clang::UnresolvedMemberExpr, clang::CXXDependentScopeMemberExpr>(
          node);
  if (is_callee || !llvm::isa<clang::Expr, clang::DeclStmt, clang::ReturnStmt>(node)) return;
  for (const clang::Stmt* child : node.children()) {
    const auto* value = llvm::dyn_cast_or_null<clang::Expr>(child);
    const bool is_object = value != nullptr && on_response && &bare(*value) == &bare(*use->object);
    if (value != nullptr && !is_object) take(*value);
  }
}

void ResponseUse::note_status(const MemberUse& use) {
  const bool is_sent = use.name == "json" || use.name == "text";
  if (!is_sent && use.name != "status") return;
  const std::size_t index = is_sent ? 1 : 0;
  if (use.arguments.size() <= index) return;
  const clang::Expr& status = *use.arguments[index];
  clang::Expr::EvalResult constant;
  if (status.isValueDependent() || status.containsErrors() ||
      !status.EvaluateAsInt(constant, response_.getASTContext())) {
    return;
  }
  const std::int64_t value = constant.Val.getInt().getExtValue();
  if (value >= 100 && value <= 599) {
    statuses_.push_back({static_cast<int>(value), at_.of(status)});
  }
}

void ResponseUse::note_page(const MemberUse& use) {
  if (use.name != "render" || use.arguments.empty()) return;
  const auto* name =
      llvm::dyn_cast<clang::StringLiteral>(&bare(*use.arguments[0]->IgnoreUnlessSpelledInSource()));
  // Without a name, it is known at run time only.
  pages_.push_back(
      name == nullptr
          ? model::RenderedPage{.name = {}, .range = at_.of(*use.arguments[0])}
          : model::RenderedPage{.name = name->getString().str(), .range = at_.of(*name)});
}

void ResponseUse::take(const clang::Expr& value) {
  if (!is_response(value)) return;
  may_send_json_ = true;
  pages_.push_back({.name = {}, .range = at_.of(value)});  // which other code may render
}

bool ResponseUse::is_response(const clang::Expr& expression) const {
  const clang::Expr& e = bare(expression);
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&e)) {
    return reference->getDecl() == &response_;
  }
  const auto use = member_use(e);
  return use && is_one_of(kChainable, use->name) && is_response(*use->object);
}

}  // namespace fairway::frontend
