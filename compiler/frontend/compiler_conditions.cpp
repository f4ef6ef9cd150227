#include "frontend/compiler_conditions.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/HeaderSearchOptions.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/Token.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "frontend/clang_versions.hpp"
#include "frontend/compiler_macros.hpp"
#include "frontend/differing_tokens.hpp"
#include "frontend/other_compiler.hpp"
#include "frontend/source_files.hpp"
#include "frontend/system_macros.hpp"
#include "frontend/type_queries.hpp"

namespace fairway::frontend {

namespace {

/// Whether a header that Clang has is in the directory of GCC's headers, too.
bool is_in_every_compiler(llvm::StringRef header) {
  constexpr llvm::StringLiteral kNames[] = {"cpuid.h",
                                            "emmintrin.h",
                                            "float.h",
                                            "immintrin.h",
                                            "inttypes.h",
                                            "iso646.h",
                                            "limits.h",
                                            "mm_malloc.h",
                                            "mmintrin.h",
                                            "nmmintrin.h",
                                            "pmmintrin.h",
                                            "smmintrin.h",
                                            "stdalign.h",
                                            "stdarg.h",
                                            "stdatomic.h",
                                            "stdbool.h",
                                            "stddef.h",
                                            "stdint.h",
                                            "stdnoreturn.h",
                                            "tgmath.h",
                                            "tmmintrin.h",
                                            "unwind.h",
                                            "varargs.h",
                                            "wmmintrin.h",
                                            "x86intrin.h",
                                            "xmmintrin.h",
                                            "avxintrin.h",
                                            "avx2intrin.h",
                                            "arm_neon.h",
                                            "arm_acle.h",
                                            "sanitizer/asan_interface.h",
                                            "sanitizer/common_interface_defs.h",
                                            "sanitizer/lsan_interface.h",
                                            "sanitizer/tsan_interface.h"};
  return std::ranges::find(kNames, header) != std::end(kNames);
}

/// Whether a reading as GCC has a header that Clang does not have.
bool is_in_readings(llvm::StringRef header) {
  return std::ranges::find(gcc_headers(), std::string_view(header)) != gcc_headers().end();
}

/// Whether GCC has a header, if it is installed completely, that Clang does not find.
bool is_in_gcc(llvm::StringRef header) {
  return header.starts_with("objc/") || header.ends_with("intrin.h") || is_in_readings(header);
}

/// Whether the readings have each value that a condition may distinguish.
bool is_varied(llvm::StringRef macro) {
  constexpr std::array<llvm::StringLiteral, 11> kOthers = {
      "__OPTIMIZE__",  "__NO_INLINE__",   "__has_feature",           "__has_extension",
      "__has_warning", "__is_identifier", "__has_constexpr_builtin", "__has_declspec_attribute",
      "__has_builtin", "__has_attribute", "__has_cpp_attribute"};
  const std::string_view name(macro);
  return is_one_of(kOthers, macro) ||
         std::ranges::find(clang_macros(), name) != clang_macros().end() ||
         std::ranges::find(gcc_macros(), name, &PredefinedMacro::name) != gcc_macros().end();
}

class ConditionObserver : public clang::PPCallbacks {
 public:
  ConditionObserver(Conditions& conditions, clang::Preprocessor& preprocessor)
      : conditions_(conditions),
        preprocessor_(preprocessor),
        sources_(preprocessor.getSourceManager()),
        language_(preprocessor.getLangOpts()),
        system_(preprocessor) {}

 private:
  using Location = clang::SourceLocation;
  using Definition = clang::MacroDefinition;
  struct Decisive {
    std::string macro;
    Location condition;  ///< in which a macro is defined that the compiler decides with this one
    bool is_covered = true;
  };

  void If(Location location, clang::SourceRange, ConditionValueKind value) override {
    mention_words(location);
    open(location, "#if", value == CVK_True);
  }
  void Ifdef(Location location, const clang::Token& name, const Definition& macro) override {
    mention_definition(name, macro);
    open(location, "#ifdef", bool(macro));
  }
  void Ifndef(Location location, const clang::Token& name, const Definition& macro) override {
    mention_definition(name, macro);
    open(location, "#ifndef", !macro);
  }
  void Elif(Location location, clang::SourceRange, ConditionValueKind value, Location) override {
    if (value != CVK_NotEvaluated) mention_words(location);
    add(location, value == CVK_True);
  }
  void Elifdef(Location location, const clang::Token& name, const Definition& macro) override {
    mention_definition(name, macro);
    add(location, bool(macro));
    note_extension("#elifdef", "#elif defined");
  }
  void Elifndef(Location location, const clang::Token& name, const Definition& macro) override {
    mention_definition(name, macro);
    add(location, !macro);
    note_extension("#elifndef", "#elif !defined");
  }
  void Endif(Location location, Location) override {
    if (open_.empty()) return;
    CompilerCondition condition = std::move(open_.back());
    open_.pop_back();
    condition.end = location;
    if (!is_in_file_of_user(sources_, condition.begin)) return;
    if (!condition.macro.empty()) note_macros(condition);
    (condition.macro.empty() ? conditions_.others : conditions_.of_compiler)
        .push_back(std::move(condition));
  }
  void Defined(const clang::Token& name, const Definition& macro, clang::SourceRange) override {
    mention_definition(name, macro);
  }
  void MacroExpands(const clang::Token& name, const Definition& macro, clang::SourceRange,
                    const clang::MacroArgs*) override {
    if (preprocessor_.isParsingIfOrElifDirective()) mention_value(name, macro);
  }
  /// In headers that a condition includes, too.
  void MacroDefined(const clang::Token& name, const clang::MacroDirective*) override {
    derive(name);
  }
  void MacroUndefined(const clang::Token& name, const Definition&,
                      const clang::MacroDirective*) override {
    derive(name);
  }
  void HasInclude(Location location, llvm::StringRef name, bool, clang::OptionalFileEntryRef file,
                  clang::SrcMgr::CharacteristicKind) override {
    const llvm::StringRef own =
        preprocessor_.getHeaderSearchInfo().getHeaderSearchOpts().ResourceDir;
    const bool is_of_compiler =
        file ? file->getName().starts_with(own) && !is_in_every_compiler(name) : is_in_gcc(name);
    if (!name.ends_with(kGeneratedSuffix) && !is_of_compiler) return;
    mention(location, {"__has_include", {}, is_in_readings(name)});
  }

  /// GCC 12 ignores the directive in a branch that it skips, Clang never.
  void note_extension(const char* directive, const char* standard) {
    if (is_cpp23(language_) || language_.GNUMode || open_.empty() || !open_.back().macro.empty()) {
      return;
    }
    open_.back().macro = directive;
    open_.back().is_covered = false;
    open_.back().help = fmt::format("write '{}(…)', which C++20 knows", standard);
  }

  void mention_value(const clang::Token& name, const Definition& macro) {
    const llvm::StringRef text = name.getIdentifierInfo()->getName();
    if (text.starts_with("__GNU")) conditions_.mention_gcc_version = true;
    if (text.starts_with("__clang_")) conditions_.mention_clang_version = true;
    mention(name, macro);
  }
  /// All compilers define some macros, with other values.
  void mention_definition(const clang::Token& name, const Definition& macro) {
    const llvm::StringRef text = name.getIdentifierInfo()->getName();
    if (!macro || !is_defined_by_every_compiler(text)) mention(name, macro);
  }
  void mention(const clang::Token& name, const Definition& macro) {
    const llvm::StringRef text = name.getIdentifierInfo()->getName();
    if (text == "__cplusplus" && is_cpp23(language_)) conditions_.mention_standard = true;
    // The program includes the file from another one.
    const bool differs =
        is_compiler_macro(text) || text == "__INCLUDE_LEVEL__" || text == "__COUNTER__";
    if (differs) return mention(name.getLocation(), {text.str(), {}, is_varied(text)});
    const auto derived = derived_.find(text);
    if (derived != derived_.end()) return mention(name.getLocation(), derived->second);
    const std::string* const decisive = system_.condition_of(macro, name.getLocation());
    if (decisive != nullptr) mention(name.getLocation(), {*decisive, {}, false});
  }

  void derive(const clang::Token& name) {
    if (sources_.isInSystemHeader(name.getLocation())) return;
    const auto open = std::ranges::find_if(open_, [&](const CompilerCondition& condition) {
      return !condition.macro.empty() && !sources_.isInSystemHeader(condition.begin);
    });
    if (open == open_.end()) return;
    derive(name.getIdentifierInfo()->getName(), *open);
  }
  /// Several conditions may define it.
  void derive(llvm::StringRef name, const CompilerCondition& condition) {
    const auto known =
        derived_
            .emplace(name.str(), Decisive{condition.macro, condition.begin, condition.is_covered})
            .first;
    known->second.is_covered = known->second.is_covered && condition.is_covered;
  }

  /// The macros in the condition of a directive that this compiler does not define, which are not
  /// expanded.
  void mention_words(Location directive) {
    const clang::FileID file = sources_.getFileID(directive);
    if (sources_.isInSystemHeader(directive)) return;
    const llvm::StringRef text = sources_.getBufferData(file);
    clang::Lexer lexer(sources_.getLocForStartOfFile(file), language_, text.begin(),
                       text.begin() + sources_.getFileOffset(directive), text.end());
    clang::Token token;
    lexer.LexFromRawLexer(token);  // the name of the directive
    bool is_operand = false;       // of `defined`
    while (!lexer.LexFromRawLexer(token) && !token.isAtStartOfLine()) {
      if (token.isNot(clang::tok::raw_identifier)) continue;
      const llvm::StringRef word = token.getRawIdentifier();
      if (std::exchange(is_operand, word == "defined")) continue;
      const auto derived = derived_.find(word);
      Decisive decisive;
      if (is_compiler_macro(word)) {
        decisive = {word.str(), {}, is_varied(word)};
      } else if (derived != derived_.end()) {
        decisive = derived->second;
      } else {
        continue;
      }
      if (is_after(mentioned_, directive)) {
        is_covered_ = is_covered_ && decisive.is_covered;
      } else {
        mention(token.getLocation(), decisive);
      }
    }
  }
  void mention(Location location, const Decisive& decisive) {
    mentioned_ = sources_.getExpansionLoc(location);
    decisive_ = decisive;
    is_covered_ = is_covered_ && decisive.is_covered;
  }

  /// What the condition of a directive mentions; empty if there is nothing.
  Decisive taken(Location directive) {
    const Location mentioned = std::exchange(mentioned_, Location());
    decisive_.is_covered = std::exchange(is_covered_, true);
    // Macros are also expanded between directives.
    return is_after(mentioned, directive) ? std::move(decisive_) : Decisive();
  }
  /// In the same file: places of different files have no order.
  bool is_after(Location location, Location directive) const {
    return location.isValid() && sources_.getFileID(location) == sources_.getFileID(directive) &&
           directive < location;
  }

  void open(Location location, const char* directive, bool value) {
    Decisive decisive = taken(location);
    open_.push_back(
        {{location, std::move(decisive.macro),
          fmt::format("replace the '{}' by a macro that your build defines", directive)},
         {},
         {value}});
    open_.back().derived_from = decisive.condition;
    open_.back().is_covered = decisive.is_covered;
  }
  void add(Location location, bool value) {
    if (open_.empty()) return;
    Decisive decisive = taken(location);
    CompilerCondition& condition = open_.back();
    const bool is_better = condition.derived_from.isValid() && decisive.condition.isInvalid();
    if (!decisive.macro.empty() && (condition.macro.empty() || is_better)) {
      condition.macro = std::move(decisive.macro);
      condition.derived_from = decisive.condition;
    }
    condition.is_covered = condition.is_covered && decisive.is_covered;
    condition.values.push_back(value);
  }

  /// The macros that are defined in a condition, in the branches that Clang skips too.
  void note_macros(const CompilerCondition& condition) {
    const clang::FileID file = sources_.getFileID(condition.begin);
    const auto names = defined_macros(file, sources_.getFileOffset(condition.begin),
                                      sources_.getFileOffset(condition.end));
    for (const llvm::StringRef name : names) derive(name, condition);
  }
  std::vector<llvm::StringRef> defined_macros(clang::FileID file, unsigned begin,
                                              unsigned end) const {
    const llvm::StringRef text = sources_.getBufferData(file);
    clang::Lexer lexer(sources_.getLocForStartOfFile(file), language_, text.begin(),
                       text.begin() + begin, text.end());
    std::vector<llvm::StringRef> names;
    clang::Token token;
    bool is_directive = false;
    llvm::StringRef directive;
    while (!lexer.LexFromRawLexer(token) && sources_.getFileOffset(token.getLocation()) < end) {
      llvm::StringRef word;
      if (token.is(clang::tok::raw_identifier)) word = token.getRawIdentifier();
      if (!word.empty() && (directive == "define" || directive == "undef")) names.push_back(word);
      directive = is_directive ? word : llvm::StringRef();
      is_directive = token.isAtStartOfLine() && token.is(clang::tok::hash);
    }
    return names;
  }

  Conditions& conditions_;
  clang::Preprocessor& preprocessor_;
  const clang::SourceManager& sources_;
  const clang::LangOptions& language_;
  std::vector<CompilerCondition> open_;
  SystemMacros system_;
  std::map<std::string, Decisive, std::less<>> derived_;  ///< macros that conditions define
  Location mentioned_;
  Decisive decisive_;
  bool is_covered_ = true;  ///< all that the condition of a directive mentions
};

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
    return named == nullptr || use(*named, type.getSourceRange());
  }
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
    const bool goes_on = check(condition_around(context_, declaration.getLocation())) &&
                         check(condition_in(context_, whole)) && follow(declaration);
    use_ = outer;
    return goes_on;
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

  bool follow(const clang::NamedDecl& declaration) {
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration)) {
      const auto* written = variable->getTypeSourceInfo();
      if (written != nullptr && !TraverseTypeLoc(written->getTypeLoc())) return false;
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
      return written == nullptr || TraverseTypeLoc(written->getTypeLoc());
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
      const bool goes_on = check(condition_around(context_, sources.getSpellingLoc(location)));
      use_ = outer;
      if (!goes_on) return false;
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

std::unique_ptr<clang::PPCallbacks> observe_conditions(Conditions& conditions,
                                                       clang::Preprocessor& preprocessor) {
  return std::make_unique<ConditionObserver>(conditions, preprocessor);
}

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
