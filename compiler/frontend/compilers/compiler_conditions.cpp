#include "frontend/compilers/compiler_conditions.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Token.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "frontend/compilers/differing_tokens.hpp"
#include "frontend/invocation/clang_versions.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {

namespace {

void add_lambda_bodies(const clang::Stmt& node, std::vector<clang::SourceRange>& bodies) {
  if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&node)) {
    bodies.push_back(lambda->getBody()->getSourceRange());
    return;
  }
  for (const clang::Stmt* child : node.children()) {
    if (child != nullptr) add_lambda_bodies(*child, bodies);
  }
}

/// Whether there is anything but directives between two locations of a file.
bool selects_code(const FileContext& context, const CompilerCondition& condition) {
  const auto& sources = context.at.sources();
  const clang::FileID file = sources.getFileID(condition.begin);
  const llvm::StringRef text = sources.getBufferData(file);
  clang::Lexer lexer(sources.getLocForStartOfFile(file), context.at.language(), text.begin(),
                     text.begin() + sources.getFileOffset(condition.begin), text.end());
  bool in_directive = true;
  clang::Token token;
  lexer.LexFromRawLexer(token);  // the keyword of the directive
  while (!lexer.LexFromRawLexer(token) && token.getLocation() < condition.end) {
    if (token.isAtStartOfLine()) in_directive = token.is(clang::tok::hash);
    if (!in_directive) return true;
  }
  return false;
}

bool contains(const clang::SourceManager& sources, clang::SourceRange range,
              clang::SourceLocation location) {
  return sources.getExpansionLoc(range.getBegin()) < location &&
         location < sources.getExpansionLoc(range.getEnd());
}

/// The value of a return statement; null if there is none.
const clang::Expr* result_of(const clang::Stmt& node) {
  const auto* statement = llvm::dyn_cast<clang::ReturnStmt>(&node);
  const clang::Expr* value = statement == nullptr ? nullptr : statement->getRetValue();
  return value != nullptr && value->getType()->isVoidType() ? nullptr : value;
}

bool has_result(const clang::Stmt& node) {
  if (llvm::isa<clang::LambdaExpr>(node)) return false;
  if (result_of(node) != nullptr) return true;
  return std::ranges::any_of(node.children(), [](const clang::Stmt* child) {
    return child != nullptr && has_result(*child);
  });
}

/// Searches what an expression or a member uses.
class DependenceFinder : public clang::RecursiveASTVisitor<DependenceFinder> {
 public:
  explicit DependenceFinder(const FileContext& context) : context_(context) {}
  /// Leaves out conditions whose branches are all read, because their results are compared.
  struct WithoutCompared {};
  DependenceFinder(const FileContext& context, WithoutCompared)
      : context_(context), skips_compared_(true) {}

  const Dependence& found() const { return found_; }
  void check_place(const clang::Decl& declaration) {
    check(condition_around(context_, declaration.getLocation()));
  }

  void check_member(const clang::FieldDecl& field) {
    if (!TraverseTypeLoc(field.getTypeSourceInfo()->getTypeLoc())) return;
    is_default_ = true;
    if (field.getInClassInitializer() != nullptr) visit(*field.getInClassInitializer());
  }

  /// Only what decides the type of the expression.
  void check_type(const clang::Expr& expression) {
    is_type_ = true;
    visit(expression);
  }
  /// Only what decides the type of the result of a function that deduces it.
  void check_result(const clang::Stmt& body) {
    is_type_ = true;
    result(body, Returns::anywhere);
  }

  bool VisitStmt(clang::Stmt* node) { return macros(node->getBeginLoc()); }
  bool VisitIntegerLiteral(clang::IntegerLiteral* literal) { return tokens(*literal); }
  bool VisitFloatingLiteral(clang::FloatingLiteral* literal) { return tokens(*literal); }
  bool VisitCharacterLiteral(clang::CharacterLiteral* literal) { return tokens(*literal); }
  /// A literal may be written in several parts.
  bool VisitStringLiteral(clang::StringLiteral* literal) {
    if (!tokens(*literal)) return false;
    for (unsigned i = 0; i < literal->getNumConcatenated(); ++i) {
      if (!macros(literal->getStrTokenLoc(i))) return false;
    }
    return true;
  }
  /// `sizeof(__INT_FAST16_TYPE__)`, `std::source_location`
  bool VisitTypeLoc(clang::TypeLoc type) {
    return macros(type.getBeginLoc()) && tokens(type.getSourceRange());
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* node) {
    if (!tokens(node->getSourceRange())) return false;
    if (!found_by(*node->getFoundDecl(), node->getSourceRange())) return false;
    return llvm::isa<clang::FunctionDecl>(node->getDecl()) ||
           use(*node->getDecl(), node->getSourceRange());
  }
  bool VisitMemberExpr(clang::MemberExpr* node) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(node->getMemberDecl());
    return variable == nullptr || use(*variable, node->getSourceRange());
  }
  bool VisitCallExpr(clang::CallExpr* node) {
    const clang::FunctionDecl* callee = node->getDirectCallee();
    return callee == nullptr || use(*callee, node->getSourceRange());
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* node) {
    return use(*node->getConstructor(), node->getSourceRange());
  }
  bool VisitTypedefTypeLoc(clang::TypedefTypeLoc type) {
    return use(*type.getTypedefNameDecl(), type.getSourceRange());
  }
  bool VisitUsingTypeLoc(clang::UsingTypeLoc type) {
    return found_by(*type.getFoundDecl(), type.getSourceRange());
  }
  /// A condition may specialise the template.
  bool VisitTemplateSpecializationTypeLoc(clang::TemplateSpecializationTypeLoc type) {
    const clang::TemplateDecl* named = type.getTypePtr()->getTemplateName().getAsTemplateDecl();
    return (named == nullptr || use(*named, type.getSourceRange())) && bases(type);
  }
  bool VisitRecordTypeLoc(clang::RecordTypeLoc type) { return bases(type); }
  bool TraverseNestedNameSpecifierLoc(clang::NestedNameSpecifierLoc scope) {
    const auto* alias = scope ? scope.getNestedNameSpecifier()->getAsNamespaceAlias() : nullptr;
    if (alias != nullptr && !use(*alias, scope.getSourceRange())) return false;
    return RecursiveASTVisitor::TraverseNestedNameSpecifierLoc(scope);
  }
  bool TraverseCXXTemporaryObjectExpr(clang::CXXTemporaryObjectExpr* node) {
    return has_written_type(node->getTypeSourceInfo())
               ? written_type(*node, *node->getTypeSourceInfo())
               : RecursiveASTVisitor::TraverseCXXTemporaryObjectExpr(node);
  }
  bool TraverseCXXFunctionalCastExpr(clang::CXXFunctionalCastExpr* node) {
    return has_written_type(node->getTypeInfoAsWritten())
               ? written_type(*node, *node->getTypeInfoAsWritten())
               : RecursiveASTVisitor::TraverseCXXFunctionalCastExpr(node);
  }
  bool TraverseCXXStaticCastExpr(clang::CXXStaticCastExpr* node) {
    return has_written_type(node->getTypeInfoAsWritten())
               ? written_type(*node, *node->getTypeInfoAsWritten())
               : RecursiveASTVisitor::TraverseCXXStaticCastExpr(node);
  }
  /// Nothing is read of it.
  static bool TraverseLambdaExpr(clang::LambdaExpr*) { return true; }

 private:
  /// False if it depends on a condition, which ends the search.
  bool use(const clang::NamedDecl& declaration, clang::SourceRange range) {
    if (is_in_namespace(declaration, "std") || is_in_namespace(declaration, "fw") ||
        is_in_namespace(declaration, "nlohmann") || !seen_.insert(&declaration).second) {
      return true;
    }
    const clang::SourceRange outer = std::exchange(use_, use_.isValid() ? use_ : range);
    // `follow` searches a body for what decides its type.
    const bool is_head =
        has_written_type(declaration) || (is_type_ && llvm::isa<clang::FunctionDecl>(declaration));
    const clang::SourceRange whole(declaration.getBeginLoc(),
                                   is_head ? declaration.getLocation() : declaration.getEndLoc());
    const bool continues = check(condition_around(context_, declaration.getLocation())) &&
                           check(condition_in(context_, whole)) && follow(declaration);
    use_ = outer;
    return continues;
  }

  /// Whether the type of an expression is written, so that its operands do not decide it.
  bool has_written_type(const clang::TypeSourceInfo* type) const {
    return is_type_ && type != nullptr && type->getType()->getContainedDeducedType() == nullptr;
  }
  /// The same of a variable, and of the result of a function.
  bool has_written_type(const clang::NamedDecl& declaration) const {
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&declaration)) {
      return is_type_ && function->getDeclaredReturnType()->getContainedDeducedType() == nullptr;
    }
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
    return variable != nullptr && has_written_type(variable->getTypeSourceInfo());
  }
  bool written_type(const clang::Expr& node, const clang::TypeSourceInfo& type) {
    return macros(node.getBeginLoc()) && TraverseTypeLoc(type.getTypeLoc());
  }

  /// A name that another declaration than its own makes visible: `using b::A;`.
  bool found_by(const clang::NamedDecl& found, clang::SourceRange range) {
    const auto* shadow = llvm::dyn_cast<clang::UsingShadowDecl>(&found);
    return shadow == nullptr || use(*shadow, range);
  }

  /// The arguments of the templates from which a class has its constants.
  bool bases(clang::TypeLoc type) {
    const clang::CXXRecordDecl* record = type.getType()->getAsCXXRecordDecl();
    if (is_type_ || record == nullptr || !record->hasDefinition() ||
        is_in_namespace(*record, "std") || is_in_namespace(*record, "fw") ||
        is_in_namespace(*record, "nlohmann") || !seen_.insert(record).second) {
      return true;
    }
    const clang::SourceRange outer =
        std::exchange(use_, use_.isValid() ? use_ : type.getSourceRange());
    const bool continues = std::ranges::all_of(record->bases(), [&](const auto& base) {
      return TraverseTypeLoc(base.getTypeSourceInfo()->getTypeLoc());
    });
    use_ = outer;
    return continues;
  }

  /// Arguments that a use of the template need not name.
  bool defaults(const clang::TemplateDecl& declaration) {
    if (is_type_) return true;
    return std::ranges::all_of(
        *declaration.getTemplateParameters(), [&](const clang::NamedDecl* parameter) {
          if (const auto* value = llvm::dyn_cast<clang::NonTypeTemplateParmDecl>(parameter)) {
            const clang::Expr* written = default_argument(*value);
            return written == nullptr || visit(*written);
          }
          const auto* type = llvm::dyn_cast<clang::TemplateTypeParmDecl>(parameter);
          const clang::TypeSourceInfo* written =
              type == nullptr ? nullptr : default_argument(*type);
          return written == nullptr || TraverseTypeLoc(written->getTypeLoc());
        });
  }

  bool follow(const clang::NamedDecl& declaration) {
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration)) {
      const auto* written = variable->getTypeSourceInfo();
      if (written != nullptr && !TraverseTypeLoc(written->getTypeLoc())) return false;
      if (const auto* special = llvm::dyn_cast<clang::VarTemplateSpecializationDecl>(variable);
          special != nullptr && !defaults(*special->getSpecializedTemplate())) {
        return false;
      }
      if (has_written_type(*variable)) return true;
      const clang::VarDecl* definition = nullptr;
      const clang::Expr* initialiser = variable->getAnyInitializer(definition);
      return initialiser == nullptr ||
             (check(condition_around(context_, definition->getLocation())) &&
              check(condition_in(context_, definition->getSourceRange())) && visit(*initialiser));
    }
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&declaration)) {
      if (has_written_type(*function)) return true;
      const clang::Stmt* body = function->getBody();
      if (body == nullptr) return true;
      if (is_type_) return result(*body, Returns::certain);
      return check(condition_in(context_, body->getSourceRange())) && visit(*body);
    }
    if (const auto* enumerator = llvm::dyn_cast<clang::EnumConstantDecl>(&declaration)) {
      const auto* all = llvm::cast<clang::EnumDecl>(enumerator->getDeclContext());
      if (!check(condition_in(context_, all->getSourceRange()))) return false;
      return enumerator->getInitExpr() == nullptr || visit(*enumerator->getInitExpr());
    }
    if (const auto* alias = llvm::dyn_cast<clang::TypedefNameDecl>(&declaration)) {
      return alias->getTypeSourceInfo() == nullptr ||
             TraverseTypeLoc(alias->getTypeSourceInfo()->getTypeLoc());
    }
    if (const auto* alias = llvm::dyn_cast<clang::TypeAliasTemplateDecl>(&declaration)) {
      const auto* written = alias->getTemplatedDecl()->getTypeSourceInfo();
      return defaults(*alias) && (written == nullptr || TraverseTypeLoc(written->getTypeLoc()));
    }
    if (const auto* pattern = llvm::dyn_cast<clang::ClassTemplateDecl>(&declaration)) {
      return defaults(*pattern);
    }
    // An object that is an argument: its constructor may be written for one compiler only.
    if (const auto* object = llvm::dyn_cast<clang::TemplateParamObjectDecl>(&declaration)) {
      const auto* record = object->getType()->getAsCXXRecordDecl();
      return record == nullptr || std::ranges::all_of(record->ctors(), [&](const auto* each) {
               return each->isImplicit() || use(*each, use_);
             });
    }
    return true;
  }

  enum class Returns { anywhere, certain };
  /// The values that a function returns, and what chooses between their types.
  bool result(const clang::Stmt& node, Returns returns) {
    if (llvm::isa<clang::LambdaExpr>(node)) return true;
    const auto* choice = llvm::dyn_cast<clang::IfStmt>(&node);
    if (choice != nullptr && choice->isConstexpr() && has_result(node)) {
      if (!visit(*choice->getCond())) return false;
    } else if (const clang::Expr* value = result_of(node)) {
      const bool is_certain =
          returns == Returns::anywhere || check(condition_around(context_, node.getBeginLoc()));
      if (!is_certain || !visit(*value)) return false;
    }
    return std::all_of(node.child_begin(), node.child_end(), [&](const clang::Stmt* child) {
      return child == nullptr || result(*child, returns);
    });
  }

  /// Clang's visitors take no constants.
  bool visit(const clang::Stmt& node) { return TraverseStmt(const_cast<clang::Stmt*>(&node)); }

  bool tokens(const clang::Expr& literal) { return tokens(literal.getSourceRange()); }
  bool tokens(clang::SourceRange range) {
    const DifferingToken* token =
        differing_token_in(context_.differing_tokens, context_.at.sources(), range);
    if (token == nullptr || (is_default_ && !token->is_error)) return true;
    found_ = {.condition = token, .use = use_.isValid() ? use_ : range};
    return false;
  }

  /// The macros that a token comes from.
  bool macros(clang::SourceLocation location) {
    const auto& sources = context_.at.sources();
    const clang::SourceRange range(sources.getExpansionLoc(location));
    while (location.isMacroID()) {
      const clang::SourceRange outer = std::exchange(use_, use_.isValid() ? use_ : range);
      const bool continues = check(condition_around(context_, sources.getSpellingLoc(location)));
      use_ = outer;
      if (!continues) return false;
      location = sources.getImmediateExpansionRange(location).getBegin();
    }
    return true;
  }

  /// Conditions in the factory are reported by `check_conditions`.
  bool check(const CompilerCondition* condition) {
    if (condition == nullptr) return true;
    if (skips_compared_ && condition->is_compared && condition->is_covered) return true;
    const auto& factory = context_.bodies.factory;
    if (factory.isValid() && contains(context_.at.sources(), factory, condition->begin))
      return true;
    found_ = {.condition = condition, .use = use_};
    return false;
  }

  const FileContext& context_;
  std::set<const clang::NamedDecl*> seen_;
  bool is_default_ = false;  ///< an initialiser of a member is searched
  bool is_type_ = false;     ///< only what decides a type is searched
  bool skips_compared_ = false;
  clang::SourceRange use_;  ///< in the expression from which the search starts
  Dependence found_;
};

bool has_no_difference(const FileContext& context) {
  return context.conditions.empty() && context.differing_tokens.empty();
}

}  // namespace

const CompilerCondition* condition_in(const FileContext& context, clang::SourceRange range) {
  const auto& sources = context.at.sources();
  const auto found = std::ranges::find_if(context.conditions, [&](const auto& condition) {
    return contains(sources, range, condition.begin) && selects_code(context, condition);
  });
  return found == context.conditions.end() ? nullptr : &*found;
}

const CompilerCondition* condition_around(const FileContext& context,
                                          clang::SourceLocation location) {
  if (context.conditions.empty()) return nullptr;
  const auto& sources = context.at.sources();
  const clang::SourceLocation own = sources.getExpansionLoc(location);
  for (auto at = own; at.isValid(); at = sources.getIncludeLoc(sources.getFileID(at))) {
    if (sources.isInSystemHeader(at)) return nullptr;
    // The branch of another compiler may include the same header.
    const bool is_included = sources.getFileID(at) != sources.getFileID(own);
    const auto found = std::ranges::find_if(context.conditions, [&](const auto& condition) {
      return condition.begin < at && at < condition.end && !(is_included && condition.is_compared);
    });
    if (found != context.conditions.end()) return &*found;
  }
  return nullptr;
}

Dependence dependence_of(const FileContext& context, const clang::Expr& expression) {
  if (has_no_difference(context)) return {};
  DependenceFinder finder(context);
  finder.TraverseStmt(const_cast<clang::Expr*>(&expression));
  return finder.found();
}

Dependence type_dependence_of(const FileContext& context, const clang::Expr& expression) {
  if (has_no_difference(context)) return {};
  DependenceFinder finder(context, DependenceFinder::WithoutCompared());
  finder.check_type(expression);
  return finder.found();
}

Dependence dependence_of(const FileContext& context, const clang::FieldDecl& field) {
  if (has_no_difference(context)) return {};
  DependenceFinder finder(context);
  finder.check_member(field);
  return finder.found();
}

Dependence dependence_of(const FileContext& context, const clang::CXXBaseSpecifier& base) {
  if (has_no_difference(context)) return {};
  DependenceFinder finder(context);
  finder.TraverseTypeLoc(base.getTypeSourceInfo()->getTypeLoc());
  return finder.found();
}

bool is_token(const FileContext& context, const CompilerDifference& difference) {
  return std::ranges::any_of(context.differing_tokens,
                             [&](const auto& token) { return &token == &difference; });
}

model::Note note_of(const FileContext& context, const Dependence& dependence) {
  const CompilerDifference& difference = *dependence.condition;
  return {is_token(context, difference) ? fmt::format("'{}' is here", difference.macro)
                                        : "the condition is here",
          context.at.token(difference.begin)};
}

namespace {

/// Once for each condition: null if it is reported.
model::Diagnostic* report_condition(FileContext& context, const CompilerDifference& condition) {
  const model::Range range = context.at.token(condition.begin);
  const model::Rule& rule = model::rules::registration_not_top_level;
  const bool is_reported = std::ranges::any_of(context.file.diagnostics, [&](const auto& earlier) {
    return earlier.severity == rule.severity && earlier.range == range;
  });
  if (is_reported) return nullptr;
  auto& diagnostic = context.report(
      rule,
      fmt::format("routes depend on '{}', which differs between the route compiler and the "
                  "compiler of the program",
                  condition.macro),
      range);
  diagnostic.help = is_token(context, condition)
                        ? condition.help
                        : "decide inside the handler, or " + condition.help;
  return &diagnostic;
}

}  // namespace

void check_conditions(FileContext& context, const clang::FunctionDecl& factory) {
  const auto& sources = context.at.sources();
  std::vector<clang::SourceRange> handlers;
  add_lambda_bodies(*factory.getBody(), handlers);
  const clang::SourceRange body = factory.getBody()->getSourceRange();
  for (const CompilerCondition& condition : context.conditions) {
    const bool is_around = context.at.in_main_file(condition.begin) &&
                           (contains(sources, body, condition.begin) ||
                            contains(sources, {condition.begin, condition.end},
                                     sources.getExpansionLoc(body.getBegin())));
    const bool is_in_handler = std::ranges::any_of(handlers, [&](clang::SourceRange handler) {
      return contains(sources, handler, condition.begin);
    });
    if (!is_around || is_in_handler || !selects_code(context, condition)) continue;
    report_condition(context, condition);
  }
}

void check_conditions(FileContext& context, const clang::VarDecl& exported) {
  const CompilerDifference* condition = condition_around(context, exported.getLocation());
  if (condition == nullptr) condition = dependence_of(context, *exported.getInit()).condition;
  if (condition != nullptr) report_condition(context, *condition);
}

void check_handler_conditions(FileContext& context, const clang::FunctionDecl& handler,
                              const std::string& method, const std::string& route) {
  if (has_no_difference(context)) return;
  const auto* source = handler.getTypeSourceInfo();
  DependenceFinder finder(context, DependenceFinder::WithoutCompared());
  finder.check_place(handler);
  if (finder.found().condition == nullptr && source != nullptr) {
    finder.TraverseTypeLoc(source->getTypeLoc());
  }
  const bool is_deduced = handler.getDeclaredReturnType()->getContainedDeducedType() != nullptr;
  if (finder.found().condition == nullptr && is_deduced && handler.getBody() != nullptr) {
    finder.check_result(*handler.getBody());
  }
  if (finder.found().condition == nullptr) return;
  model::Diagnostic* const diagnostic = report_condition(context, *finder.found().condition);
  if (diagnostic == nullptr) return;
  diagnostic->method = method;
  diagnostic->route = route;
}

}  // namespace fairway::frontend
