#include "frontend/handlers/input_source.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "frontend/tree/registration_call.hpp"
#include "frontend/tree/type_names.hpp"
#include "frontend/tree/type_queries.hpp"
#include "frontend/values/static_value.hpp"

namespace fairway::frontend {
namespace {

constexpr std::array<llvm::StringLiteral, 4> kTextLocations = {"param", "query", "header",
                                                               "cookie"};
/// Accessors of whole locations.
constexpr std::array<std::pair<llvm::StringLiteral, llvm::StringLiteral>, 4> kMaps = {
    {{"params", "param"}, {"query", "query"}, {"headers", "header"}, {"cookies", "cookie"}}};

/// See RequestCall.
constexpr std::array<llvm::StringLiteral, 8> kCalls = {
    "auth",    "client_certificate", "cookies", "has_session",
    "headers", "http_version",       "ip",      "session"};

constexpr std::array<llvm::StringLiteral, 6> kJsonLookups = {"[]",       "at",   "value",
                                                             "contains", "find", "count"};
constexpr std::array<llvm::StringLiteral, 2> kMapLookups = {"find", "contains"};

bool is_constant(const clang::VarDecl& variable) {
  const clang::QualType type = variable.getType();
  return type->isReferenceType() || type.isConstQualified();
}

/// Whether the type's own `from_json` reads the location: the concept of the overload says so.
bool reads_any_schema(const clang::CXXMethodDecl& method) {
  const auto* pattern = method.getPrimaryTemplate();
  const auto* parameter = pattern == nullptr || pattern->getTemplateParameters()->size() == 0
                              ? nullptr
                              : llvm::dyn_cast<clang::TemplateTypeParmDecl>(
                                    pattern->getTemplateParameters()->getParam(0));
  const auto* constraint = parameter == nullptr ? nullptr : parameter->getTypeConstraint();
  return constraint != nullptr && constraint->getNamedConcept()->getName() == "ReadByFromJson";
}

}  // namespace

void InputSources::declare(const clang::VarDecl& variable) {
  if (variable.getInit() == nullptr || !is_constant(variable)) return;
  if (auto source = source_of(*variable.getInit())) {
    constants_.emplace(&variable, std::move(*source));
  }
}

void InputSources::see(const clang::Stmt& node) {
  const auto use = member_use(node);
  if (!use) return;
  const bool on_request = is_request(*use->object);
  if (on_request && is_one_of(kCalls, use->name)) {
    calls_.push_back({.function = use->name, .range = context_.at.used(node.getSourceRange())});
  }
  if (on_request && use->name == "valid") add_typed(node, *use);
  if (use->arguments.empty()) return;
  const clang::Expr& key = *use->arguments[0];
  if (on_request) {
    if (use->arguments.size() != 1 || !is_one_of(kTextLocations, use->name)) return;
    return add({.location = use->name, .path = {}}, key);
  }
  const auto source = source_of(*use->object);
  if (!source) return;
  const bool looks_up =
      source->is_json ? is_one_of(kJsonLookups, use->name) : is_one_of(kMapLookups, use->name);
  if (looks_up) add(*source, key);
}

void InputSources::add_typed(const clang::Stmt& node, const MemberUse& use) {
  const auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(&node);
  const clang::CXXMethodDecl* method = call == nullptr ? nullptr : call->getMethodDecl();
  const auto* arguments = method == nullptr ? nullptr : method->getTemplateSpecializationArgs();
  // The other overloads convert the JSON to any type.
  if (arguments == nullptr || !method->getReturnType()->isReferenceType()) return;
  if (reads_any_schema(*method)) return;
  const auto source = location_of(use);
  if (!source || arguments->size() == 0) return;
  const clang::TemplateArgument& type = arguments->get(0);
  if (type.getKind() != clang::TemplateArgument::Type) return;
  typed_reads_.push_back({.location = source->location,
                          .type = cpp_name(context_, type.getAsType()),
                          .range = context_.at.used(node.getSourceRange())});
}

std::vector<model::InputRead> InputSources::take_reads() {
  const auto location = [](const model::InputRead& read) {
    return std::tie(read.range.line, read.range.column);
  };
  std::ranges::stable_sort(reads_, {}, location);
  return std::move(reads_);
}

bool InputSources::is_request(const clang::Expr& object) const {
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&strip_wrappers(object));
  return reference != nullptr && request_ != nullptr && reference->getDecl() == request_;
}

std::optional<InputSources::Source> InputSources::source_of(const clang::Expr& expression) {
  // A copy is treated like the original.
  const clang::Expr& e = strip_wrappers(*expression.IgnoreUnlessSpelledInSource());
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&e)) {
    const auto known = constants_.find(reference->getDecl());
    return known == constants_.end() ? std::nullopt : std::optional(known->second);
  }
  const auto use = member_use(e);
  if (!use) return std::nullopt;
  if (is_request(*use->object)) return location_of(*use);
  const bool is_member = use->arguments.size() == 1 && (use->name == "[]" || use->name == "at");
  if (!is_member) return std::nullopt;
  auto source = source_of(*use->object);
  if (!source || !source->is_json) return std::nullopt;
  const auto name = static_text(*use->arguments[0]);
  if (!name) return std::nullopt;
  source->path.push_back(*name);
  return source;
}

/// `req.body()`, `req.query()`, `req.valid(fw::Location::query)`.
std::optional<InputSources::Source> InputSources::location_of(const MemberUse& use) {
  if (use.arguments.empty()) {
    if (use.name == "body") return Source{.location = "body", .path = {}, .is_json = true};
    for (const auto& [function, location] : kMaps) {
      if (function == use.name) return Source{.location = location.str(), .path = {}};
    }
    return std::nullopt;
  }
  if (use.name != "valid" || use.arguments.size() != 1) return std::nullopt;
  const auto* enumerator = llvm::dyn_cast<clang::DeclRefExpr>(&strip_wrappers(*use.arguments[0]));
  const auto* location = enumerator == nullptr
                             ? nullptr
                             : llvm::dyn_cast<clang::EnumConstantDecl>(enumerator->getDecl());
  if (location == nullptr) return std::nullopt;
  return Source{
      .location = location->getNameAsString(), .path = {}, .validated = true, .is_json = true};
}

std::optional<std::string> InputSources::static_text(const clang::Expr& expression) {
  if (expression.isTypeDependent()) return std::nullopt;
  const auto value = evaluate(context_, expression, Purpose::path).value;
  if (!value || value->kind != model::Value::Kind::string) return std::nullopt;
  return value->text;
}

void InputSources::add(const Source& source, const clang::Expr& key) {
  const auto name = static_text(key);
  if (!name) return;
  reads_.push_back({.location = source.location,
                    .path = source.path,
                    .validated = source.validated,
                    .range = context_.at.used(key.getSourceRange())});
  reads_.back().path.push_back(*name);
}

}  // namespace fairway::frontend
