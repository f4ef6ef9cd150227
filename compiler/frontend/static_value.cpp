#include "frontend/static_value.hpp"

#include <algorithm>

#include "frontend/registration_call.hpp"
#include "frontend/static_resolver.hpp"
#include "frontend/type_queries.hpp"

namespace fairway::frontend {
namespace {

/// A conversion that runs a function of the user's.
bool is_foreign_conversion(const clang::CastExpr& cast) {
  if (cast.getCastKind() != clang::CK_UserDefinedConversion) return false;
  const auto* member =
      llvm::dyn_cast<clang::CXXMemberCallExpr>(cast.getSubExpr()->IgnoreImplicit());
  if (member == nullptr) return false;
  const clang::CXXRecordDecl* owner = member->getRecordDecl();
  return owner != nullptr && !owner->isInStdNamespace() && !is_in_namespace(*owner, "fw") &&
         !is_in_namespace(*owner, "nlohmann");
}

/// Looks through what adds no meaning: parentheses, casts, temporaries.
const clang::Expr* without_wrappers(const clang::Expr* e) {
  while (true) {
    if (const auto* full = llvm::dyn_cast<clang::FullExpr>(e)) {
      e = full->getSubExpr();
    } else if (const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(e)) {
      e = temporary->getSubExpr();
    } else if (const auto* bound = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(e)) {
      e = bound->getSubExpr();
    } else if (const auto* list = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(e)) {
      e = list->getSubExpr();
    } else if (const auto* parenthesised = llvm::dyn_cast<clang::ParenExpr>(e)) {
      e = parenthesised->getSubExpr();
    } else if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(e);
               cast != nullptr && !is_duration(cast->getType()) && !is_foreign_conversion(*cast)) {
      e = cast->getSubExpr();
    } else {
      return e;
    }
  }
}

bool is_callable(clang::QualType type) {
  if (type.isNull()) return false;
  type = type.getNonReferenceType();
  return is_lambda_type(type) || is_std_type(type, {"function"}) || type->isFunctionPointerType() ||
         type->isFunctionType();
}

constexpr int kMaxNames = 16;

/// The function's own conversion to a `std::function` is looked through.
bool is_empty(const clang::Expr& expression, int depth) {
  const clang::Expr& e = bare(*without_wrappers(&expression));
  if (llvm::isa<clang::CXXNullPtrLiteralExpr, clang::GNUNullExpr, clang::CXXScalarValueInitExpr,
                clang::ImplicitValueInitExpr>(e)) {
    return true;
  }
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(&e)) {
    return list->getNumInits() == 0 ||
           (list->getNumInits() == 1 && is_empty(*list->getInit(0), depth));
  }
  if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&e)) {
    if (!is_std_type(construct->getType(), {"function"})) return false;
    return construct->getNumArgs() == 0 ||
           llvm::isa<clang::CXXDefaultArgExpr>(construct->getArg(0)) ||
           is_empty(*construct->getArg(0), depth);
  }
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&e);
  const auto* variable =
      reference == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
  const clang::Expr* initialiser = variable == nullptr ? nullptr : variable->getAnyInitializer();
  return initialiser != nullptr && depth < kMaxNames && variable->getType().isConstQualified() &&
         is_empty(*initialiser, depth + 1);
}

/// `const auto x = …` used by two routes is one fault: the later report only adds its notes.
void merge_repeated(model::Diagnostics& diagnostics, std::size_t before) {
  for (std::size_t index = before; index < diagnostics.size();) {
    const auto end = diagnostics.begin() + static_cast<std::ptrdiff_t>(before);
    const auto at = diagnostics.begin() + static_cast<std::ptrdiff_t>(index);
    const auto first = std::find_if(diagnostics.begin(), end, [&](const auto& earlier) {
      return earlier.id == at->id && earlier.range == at->range && earlier.message == at->message;
    });
    if (first == end) {
      ++index;
      continue;
    }
    for (auto& note : at->notes) {
      const bool known =
          std::any_of(first->notes.begin(), first->notes.end(), [&](const model::Note& each) {
            return each.message == note.message && each.range == note.range;
          });
      if (!known) first->notes.push_back(std::move(note));
    }
    diagnostics.erase(at);
  }
}

}  // namespace

std::optional<model::Value> StaticResolver::resolve(const clang::Expr& expression) {
  const clang::Expr& inner = *without_wrappers(&expression);
  if (inner.containsErrors() && llvm::isa<clang::RecoveryExpr>(inner)) return std::nullopt;
  Result value = !is_callable(inner.getType())   ? dispatch(inner)
                 : is_empty_callable(expression) ? Value{}
                                                 : function_value();
  if (!value) return std::nullopt;
  if (value->range.line == 0) value->range = unit_.at.of(expression);
  convert(*value, expression);
  return value;
}

std::optional<model::Value> StaticResolver::dispatch(const clang::Expr& e) {
  if (const auto* literal = llvm::dyn_cast<clang::StringLiteral>(&e)) return string(*literal);
  if (const auto* literal = llvm::dyn_cast<clang::IntegerLiteral>(&e)) return integer(*literal);
  if (const auto* literal = llvm::dyn_cast<clang::CharacterLiteral>(&e)) {
    Value value;
    value.kind = Value::Kind::integer;
    value.integer = literal->getValue();
    return value;
  }
  if (const auto* literal = llvm::dyn_cast<clang::FloatingLiteral>(&e)) {
    Value value;
    value.kind = Value::Kind::number;
    value.number = literal->getValueAsApproximateDouble();
    return value;
  }
  if (const auto* literal = llvm::dyn_cast<clang::CXXBoolLiteralExpr>(&e)) {
    Value value;
    value.kind = Value::Kind::boolean;
    value.boolean = literal->getValue();
    return value;
  }
  if (llvm::isa<clang::CXXNullPtrLiteralExpr>(e)) return Value{};
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&e)) return operation(*unary);
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&e)) {
    return constant(e, *reference->getDecl());
  }
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&e)) {
    return constant(e, *member->getMemberDecl());
  }
  if (const auto* literal = llvm::dyn_cast<clang::UserDefinedLiteral>(&e)) {
    return user_defined_literal(*literal);
  }
  if (is_duration(e.getType())) return duration(e);
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(&e)) return braces(*list);
  if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(&e)) {
    return construction(*construct);
  }
  if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&e)) return this->call(*call);
  if (llvm::isa<clang::CXXScalarValueInitExpr, clang::ImplicitValueInitExpr>(e)) {
    return zero(e.getType());
  }
  if (llvm::isa<clang::CastExpr>(e)) return conversion(e);
  return refuse(e, describe(e));
}

model::Value function_value() {
  model::Value value;
  value.kind = model::Value::Kind::function;
  return value;
}

bool is_empty_callable(const clang::Expr& e) { return is_empty(e, 0); }

std::optional<model::Value> resolve_static(Unit& unit, const clang::Expr& expression,
                                           Purpose purpose, std::string_view method,
                                           std::string_view route) {
  const std::size_t before = unit.file.diagnostics.size();
  auto value = StaticResolver(unit, purpose, method, route).resolve(expression);
  merge_repeated(unit.file.diagnostics, before);
  return value;
}

StaticOptions resolve_options(Unit& unit, const clang::Expr& expression, std::string_view method,
                              std::string_view route) {
  const std::size_t before = unit.file.diagnostics.size();
  StaticResolver resolver(unit, Purpose::options, method, route);
  auto value = resolver.resolve(expression);
  merge_repeated(unit.file.diagnostics, before);
  const bool is_complete = value.has_value() && !resolver.lacks_members();
  return {std::move(value), is_complete};
}

}  // namespace fairway::frontend
