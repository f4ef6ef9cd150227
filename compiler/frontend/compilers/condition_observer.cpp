#include "frontend/compilers/condition_observer.hpp"

#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/HeaderSearchOptions.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/Token.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "frontend/compilers/compiler_macros.hpp"
#include "frontend/compilers/other_compiler.hpp"
#include "frontend/compilers/system_macros.hpp"
#include "frontend/invocation/clang_versions.hpp"
#include "frontend/invocation/source_files.hpp"

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

}  // namespace

std::unique_ptr<clang::PPCallbacks> observe_conditions(Conditions& conditions,
                                                       clang::Preprocessor& preprocessor) {
  return std::make_unique<ConditionObserver>(conditions, preprocessor);
}

}  // namespace fairway::frontend
