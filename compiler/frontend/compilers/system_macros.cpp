#include "frontend/compilers/system_macros.hpp"

#include <clang/Lex/Lexer.h>
#include <clang/Lex/Token.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace fairway::frontend {

const std::string* SystemMacros::condition_of(const clang::MacroDefinition& macro,
                                              clang::SourceLocation use) {
  const clang::MacroInfo* info = macro ? macro.getMacroInfo() : nullptr;
  if (info == nullptr || info->isBuiltinMacro() ||
      !sources_.isInSystemHeader(info->getDefinitionLoc()) || sources_.isInSystemHeader(use)) {
    return nullptr;
  }
  const auto [known, is_new] = known_.try_emplace(info);
  if (is_new) known->second = clang_macro_around(info->getDefinitionLoc());
  return known->second.empty() ? nullptr : &known->second;
}

std::string SystemMacros::clang_macro_around(clang::SourceLocation location) const {
  const clang::FileID file = sources_.getFileID(location);
  const llvm::StringRef text = sources_.getBufferData(file);
  clang::Lexer lexer(sources_.getLocForStartOfFile(file), language_, text.begin(), text.begin(),
                     text.end());
  std::vector<std::string> open;  // the macros in the conditions around a token
  bool is_directive = false;      // after its `#`
  bool is_condition = false;
  clang::Token token;
  while (!lexer.LexFromRawLexer(token) && token.getLocation() < location) {
    if (token.isAtStartOfLine()) is_condition = false;
    const bool is_keyword =
        std::exchange(is_directive, token.isAtStartOfLine() && token.is(clang::tok::hash));
    if (token.isNot(clang::tok::raw_identifier)) continue;
    const llvm::StringRef word = token.getRawIdentifier();
    if (is_keyword) {
      if (word.starts_with("if")) open.emplace_back();
      if (word == "endif" && !open.empty()) open.pop_back();
      is_condition = word.starts_with("if") || word.starts_with("elif");
    } else if (is_condition && word.starts_with("__clang_") && !open.empty()) {
      open.back() = word.str();
    }
  }
  const auto found =
      std::ranges::find_if(open, [](const std::string& each) { return !each.empty(); });
  return found == open.end() ? std::string() : *found;
}

}  // namespace fairway::frontend
