#include "frontend/differing_tokens.hpp"

#include <algorithm>
#include <array>

#include "frontend/compiler_conditions.hpp"
#include "frontend/type_queries.hpp"

namespace fairway::frontend {
namespace {

class TokenObserver : public clang::PPCallbacks {
 public:
  TokenObserver(std::vector<DifferingToken>& tokens, const clang::SourceManager& sources)
      : tokens_(tokens), sources_(sources) {}

 private:
  void MacroExpands(const clang::Token& name, const clang::MacroDefinition&, clang::SourceRange,
                    const clang::MacroArgs*) override {
    constexpr std::array<llvm::StringLiteral, 8> kNames = {
        "__FILE__",    "__FILE_NAME__", "__BASE_FILE__", "__INCLUDE_LEVEL__",
        "__COUNTER__", "__DATE__",      "__TIME__",      "__TIMESTAMP__"};
    const llvm::StringRef text = name.getIdentifierInfo()->getName();
    const bool differs =
        is_one_of(kNames, text) ||
        (is_compiler_macro(text) && !sources_.isInSystemHeader(name.getLocation()));
    if (differs) {
      tokens_.push_back({{name.getLocation(), text.str(),
                          "write the value, or a macro that your build defines"}});
    }
  }

  std::vector<DifferingToken>& tokens_;
  const clang::SourceManager& sources_;
};

}  // namespace

std::unique_ptr<clang::PPCallbacks> observe_tokens(std::vector<DifferingToken>& tokens,
                                                   clang::Preprocessor& preprocessor) {
  return std::make_unique<TokenObserver>(tokens, preprocessor.getSourceManager());
}

const DifferingToken* differing_token_in(const std::vector<DifferingToken>& tokens,
                                         const clang::SourceManager& sources,
                                         clang::SourceRange expression) {
  if (tokens.empty()) return nullptr;
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
