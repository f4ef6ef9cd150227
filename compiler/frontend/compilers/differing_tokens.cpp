#include "frontend/compilers/differing_tokens.hpp"

#include <clang/Lex/MacroArgs.h>
#include <clang/Lex/Token.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "frontend/compilers/compiler_macros.hpp"
#include "frontend/compilers/system_macros.hpp"
#include "frontend/tree/type_queries.hpp"

namespace fairway::frontend {
namespace {

/// An escape sequence that Clang knows in every mode, and GCC 12 in none: it reads "N{…}". It does
/// not accept '\x{…}' and '\u{…}', which are no difference.
std::optional<std::string> delimited_escape(llvm::StringRef literal) {
  const std::size_t quote = literal.find_first_of("\"'");
  const bool is_raw = quote != llvm::StringRef::npos && literal.take_front(quote).ends_with("R");
  if (is_raw) return std::nullopt;
  for (std::size_t at = literal.find('\\'); at != llvm::StringRef::npos;
       at = literal.find('\\', at + 2)) {
    const llvm::StringRef escape = literal.substr(at);
    if (escape.starts_with("\\N{") || escape.starts_with("\\o{")) {
      return escape.take_until([](char each) { return each == '}'; }).str() + "}";
    }
  }
  return std::nullopt;
}

/// Whether it is in a file of the user, which macros of other headers may repeat.
bool is_written_by_user(const clang::SourceManager& sources, clang::SourceLocation location) {
  return !sources.isInSystemHeader(location) &&
         !sources.isInSystemHeader(sources.getSpellingLoc(location));
}

void observe_literal(std::vector<DifferingToken>& tokens, const clang::Preprocessor& preprocessor,
                     const clang::Token& token) {
  const bool is_literal =
      clang::tok::isStringLiteral(token.getKind()) ||
      token.isOneOf(clang::tok::char_constant, clang::tok::wide_char_constant,
                    clang::tok::utf8_char_constant, clang::tok::utf16_char_constant,
                    clang::tok::utf32_char_constant);
  if (!is_literal || token.getLiteralData() == nullptr) return;
  const llvm::StringRef raw(token.getLiteralData(), token.getLength());
  if (!raw.contains('\\') ||
      !is_written_by_user(preprocessor.getSourceManager(), token.getLocation())) {
    return;
  }
  // Without splices of lines.
  if (const auto escape = delimited_escape(preprocessor.getSpelling(token))) {
    tokens.push_back(
        {{token.getLocation(), *escape, "write the character itself, or its '\\u' or '\\x' escape"},
         true});
  }
}

/// The name of a function, and columns, which the compilers write in other ways.
void observe_place(std::vector<DifferingToken>& tokens, const clang::Preprocessor& preprocessor,
                   const clang::Token& token) {
  const auto* name = token.isAnnotation() ? nullptr : token.getIdentifierInfo();
  if (name == nullptr) return;
  const bool differs = token.is(clang::tok::kw___PRETTY_FUNCTION__) ||
                       name->isStr("source_location") || name->isStr("__builtin_source_location") ||
                       name->isStr("__builtin_COLUMN");
  if (!differs || !is_written_by_user(preprocessor.getSourceManager(), token.getLocation())) return;
  tokens.push_back({{token.getLocation(), name->getName().str(), "write the value"}});
}

class MacroObserver : public clang::PPCallbacks {
 public:
  MacroObserver(std::vector<DifferingToken>& tokens, const clang::Preprocessor& preprocessor)
      : tokens_(tokens),
        sources_(preprocessor.getSourceManager()),
        system_(preprocessor),
        is_gnu_mode_(preprocessor.getLangOpts().GNUMode != 0) {}

 private:
  void MacroExpands(const clang::Token& name, const clang::MacroDefinition& macro,
                    clang::SourceRange, const clang::MacroArgs* arguments) override {
    constexpr std::array<llvm::StringLiteral, 8> kNames = {
        "__FILE__",    "__FILE_NAME__", "__BASE_FILE__", "__INCLUDE_LEVEL__",
        "__COUNTER__", "__DATE__",      "__TIME__",      "__TIMESTAMP__"};
    const llvm::StringRef text = name.getIdentifierInfo()->getName();
    if (text == "__LINE__" && is_in_lines(name.getLocation())) {
      tokens_.push_back({{name.getLocation(), "__LINE__ in a macro call of several lines",
                          "write the call of the macro in one line"},
                         true});
    }
    if (keeps_comma_in_gcc(macro, arguments)) {
      tokens_.push_back(
          {{name.getLocation(),
            fmt::format("'{}' without arguments, whose ', ##__VA_ARGS__' keeps its comma in GCC's "
                        "strict mode",
                        text),
            "write '__VA_OPT__(,) __VA_ARGS__'"},
           true});
    }
    const bool differs =
        is_one_of(kNames, text) ||
        (is_compiler_macro(text) && !sources_.isInSystemHeader(name.getLocation())) ||
        is_of_system_condition(name, macro);
    if (differs) {
      tokens_.push_back({{name.getLocation(), text.str(),
                          "write the value, or a macro that your build defines"}});
    }
  }

  /// Whether this is a call without arguments of a macro with no other parameters than `...`. Clang
  /// removes the comma before `##__VA_ARGS__` always, GCC not with `-std=c++20`.
  bool keeps_comma_in_gcc(const clang::MacroDefinition& macro,
                          const clang::MacroArgs* arguments) const {
    const clang::MacroInfo* info = macro ? macro.getMacroInfo() : nullptr;
    return !is_gnu_mode_ && info != nullptr && arguments != nullptr && info->isVariadic() &&
           info->getNumParams() == 1 && info->hasCommaPasting() && arguments->isVarargsElidedUse();
  }

  /// Whether it is a value that a header of the system chooses by the compiler.
  bool is_of_system_condition(const clang::Token& name, const clang::MacroDefinition& macro) {
    const clang::MacroInfo* info = macro ? macro.getMacroInfo() : nullptr;
    return info != nullptr && info->isObjectLike() && info->getNumTokens() > 0 &&
           system_.condition_of(macro, name.getLocation()) != nullptr;
  }

  /// Whether the macro call around a location has several lines: Clang counts up to the last one,
  /// GCC up to the first.
  bool is_in_lines(clang::SourceLocation location) const {
    if (!location.isMacroID()) return false;
    const clang::CharSourceRange call = sources_.getExpansionRange(location);
    return sources_.getExpansionLineNumber(call.getBegin()) !=
           sources_.getExpansionLineNumber(call.getEnd());
  }

  std::vector<DifferingToken>& tokens_;
  const clang::SourceManager& sources_;
  SystemMacros system_;
  const bool is_gnu_mode_;
};

}  // namespace

std::unique_ptr<clang::PPCallbacks> observe_macros(std::vector<DifferingToken>& tokens,
                                                   const clang::Preprocessor& preprocessor) {
  return std::make_unique<MacroObserver>(tokens, preprocessor);
}

void observe_token(std::vector<DifferingToken>& tokens, const clang::Preprocessor& preprocessor,
                   const clang::Token& token) {
  observe_literal(tokens, preprocessor, token);
  observe_place(tokens, preprocessor, token);
}

const DifferingToken* differing_token_in(const std::vector<DifferingToken>& tokens,
                                         const clang::SourceManager& sources,
                                         clang::SourceRange expression) {
  // The type of a lambda without parentheses, `[] static {}`, has no begin.
  if (tokens.empty() || expression.isInvalid()) return nullptr;
  const clang::SourceLocation begin = sources.getExpansionLoc(expression.getBegin());
  const clang::SourceLocation end = sources.getExpansionRange(expression.getEnd()).getEnd();
  const auto found = std::ranges::find_if(tokens, [&](const DifferingToken& token) {
    const clang::SourceLocation at = sources.getExpansionLoc(token.begin);
    return !sources.isBeforeInTranslationUnit(at, begin) &&
           !sources.isBeforeInTranslationUnit(end, at);
  });
  return found == tokens.end() ? nullptr : &*found;
}

}  // namespace fairway::frontend
