#include "frontend/compiler_conditions.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Token.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "frontend/source_files.hpp"

namespace fairway::frontend {
namespace {

bool is_compiler_macro(llvm::StringRef name) {
  constexpr llvm::StringLiteral kPrefixes[] = {"__clang", "__GNUC",     "__GXX_", "__OPTIMIZE",
                                               "__cpp_",  "__SANITIZE", "__has_"};
  constexpr llvm::StringLiteral kNames[] = {"__llvm__", "__VERSION__", "__NO_INLINE__",
                                            "FAIRWAY_ROUTE_COMPILER"};
  if (name.starts_with("__has_include")) return false;
  return std::ranges::any_of(kPrefixes, [&](auto prefix) { return name.starts_with(prefix); }) ||
         std::ranges::find(kNames, name) != std::end(kNames);
}

class ConditionObserver : public clang::PPCallbacks {
 public:
  ConditionObserver(std::vector<CompilerCondition>& conditions, const clang::SourceManager& sources)
      : conditions_(conditions), sources_(sources) {}

 private:
  using Location = clang::SourceLocation;
  using Definition = clang::MacroDefinition;

  void If(Location location, clang::SourceRange, ConditionValueKind) override {
    open(location, "#if");
  }
  void Ifdef(Location location, const clang::Token& name, const Definition&) override {
    mention(name);
    open(location, "#ifdef");
  }
  void Ifndef(Location location, const clang::Token& name, const Definition&) override {
    mention(name);
    open(location, "#ifndef");
  }
  void Elif(Location location, clang::SourceRange, ConditionValueKind, Location) override {
    add(location);
  }
  void Elifdef(Location location, const clang::Token& name, const Definition&) override {
    mention(name);
    add(location);
  }
  void Elifndef(Location location, const clang::Token& name, const Definition&) override {
    mention(name);
    add(location);
  }
  void Endif(Location location, Location) override {
    if (open_.empty()) return;
    CompilerCondition condition = std::move(open_.back());
    open_.pop_back();
    condition.end = location;
    if (!condition.macro.empty()) conditions_.push_back(std::move(condition));
  }
  void Defined(const clang::Token& name, const Definition&, clang::SourceRange) override {
    mention(name);
  }
  void MacroExpands(const clang::Token& name, const Definition&, clang::SourceRange,
                    const clang::MacroArgs*) override {
    mention(name);
  }
  void HasInclude(Location location, llvm::StringRef name, bool, clang::OptionalFileEntryRef,
                  clang::SrcMgr::CharacteristicKind) override {
    if (name.ends_with(kGeneratedSuffix)) mention(location, "__has_include");
  }

  void mention(const clang::Token& name) {
    const llvm::StringRef text = name.getIdentifierInfo()->getName();
    if (is_compiler_macro(text)) mention(name.getLocation(), text);
  }
  void mention(Location location, llvm::StringRef name) {
    mentioned_ = sources_.getExpansionLoc(location);
    macro_ = name.str();
  }

  /// The macro that the condition of a directive mentions; empty if there is none.
  std::string taken(Location directive) {
    const Location mentioned = std::exchange(mentioned_, Location());
    // Macros are also expanded between directives.
    const bool is_of_directive = mentioned.isValid() && directive < mentioned;
    return is_of_directive ? std::move(macro_) : std::string();
  }

  void open(Location location, const char* directive) {
    open_.push_back({location, {}, directive, taken(location)});
  }
  void add(Location location) {
    if (open_.empty()) return;
    const std::string macro = taken(location);
    if (open_.back().macro.empty()) open_.back().macro = macro;
  }

  std::vector<CompilerCondition>& conditions_;
  const clang::SourceManager& sources_;
  std::vector<CompilerCondition> open_;
  Location mentioned_;
  std::string macro_;
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

}  // namespace

std::unique_ptr<clang::PPCallbacks> observe_conditions(std::vector<CompilerCondition>& conditions,
                                                       const clang::SourceManager& sources) {
  return std::make_unique<ConditionObserver>(conditions, sources);
}

const CompilerCondition* condition_in(const FileContext& context, clang::SourceRange range) {
  const auto& sources = context.at.sources();
  const auto found = std::ranges::find_if(context.conditions, [&](const auto& condition) {
    return contains(sources, range, condition.begin) && selects_code(context, condition);
  });
  return found == context.conditions.end() ? nullptr : &*found;
}

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
    auto& diagnostic = context.report(
        model::rules::registration_not_top_level,
        fmt::format("routes depend on '{}', which differs between the route compiler and the "
                    "compiler of the program",
                    condition.macro),
        context.at.token(condition.begin));
    diagnostic.help = fmt::format(
        "decide inside the handler, or replace the '{}' by a macro that your build defines",
        condition.directive);
  }
}

}  // namespace fairway::frontend
