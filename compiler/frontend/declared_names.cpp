#include "frontend/declared_names.hpp"

#include <clang/Lex/Lexer.h>
#include <clang/Lex/Token.h>

#include <array>
#include <cstddef>
#include <vector>

#include "frontend/type_queries.hpp"

namespace fairway::frontend {
namespace {

using Tokens = std::vector<clang::Token>;

constexpr std::array<llvm::StringLiteral, 4> kTypeKeywords = {"struct", "class", "union", "enum"};
/// Before a call, where a declaration has the name of a type.
constexpr std::array<llvm::StringLiteral, 9> kStatementKeywords = {
    "return", "co_return", "co_await", "co_yield", "throw", "else", "new", "delete", "case"};

/// The tokens of each branch of a condition, without directives. The lexer is at its first token;
/// `end` is invalid for the rest of the file.
std::vector<Tokens> branches_of(clang::Lexer& lexer, clang::SourceLocation end) {
  std::vector<Tokens> branches(1);
  bool in_directive = true;
  bool is_name = false;  // the token is the name of a directive
  int depth = 0;         // of conditions inside
  clang::Token token;
  while (!lexer.LexFromRawLexer(token) && (end.isInvalid() || token.getLocation() < end)) {
    if (token.isAtStartOfLine()) {
      in_directive = token.is(clang::tok::hash);
      is_name = in_directive;
      if (in_directive) continue;
    }
    if (!in_directive) {
      branches.back().push_back(token);
    } else if (is_name && token.is(clang::tok::raw_identifier)) {
      const llvm::StringRef name = token.getRawIdentifier();
      if (name.starts_with("if")) ++depth;
      if (name == "endif") --depth;
      if (name.starts_with("el") && depth == 0) branches.emplace_back();
    }
    is_name = false;
  }
  return branches;
}

/// Reads the declarations of one branch.
class DeclarationScanner {
 public:
  DeclarationScanner(const Tokens& tokens, std::set<std::string>& names)
      : tokens_(tokens), names_(names) {}

  void run() {
    while (at_ < tokens_.size()) step();
  }

 private:
  bool is(std::size_t index, clang::tok::TokenKind kind) const {
    return index < tokens_.size() && tokens_[index].is(kind);
  }
  llvm::StringRef word(std::size_t index) const {
    return is(index, clang::tok::raw_identifier) ? tokens_[index].getRawIdentifier()
                                                 : llvm::StringRef();
  }
  void keep(std::size_t index) { names_.insert(word(index).str()); }

  void step() {
    const llvm::StringRef name = word(at_);
    if (is(at_, clang::tok::l_brace)) {  // of a class or a function
      at_ = after(at_, clang::tok::l_brace, clang::tok::r_brace);
    } else if (is(at_, clang::tok::l_paren)) {
      at_ = after(at_, clang::tok::l_paren, clang::tok::r_paren);
    } else if (is(at_, clang::tok::equal)) {
      skip_initialiser();
    } else if (name == "template" && is(at_ + 1, clang::tok::less)) {
      at_ = after_arguments(at_ + 1);
    } else if (name == "namespace") {
      begin_namespace();
    } else if (name == "extern" && is(at_ + 1, clang::tok::string_literal)) {
      at_ += is(at_ + 2, clang::tok::l_brace) ? 3 : 2;
    } else if (name == "using") {
      alias();
    } else if (is_one_of(kTypeKeywords, name)) {
      type();
    } else if (!name.empty()) {
      function(at_);
      ++at_;
    } else {
      ++at_;
    }
  }

  /// After the bracket that closes the one at `index`.
  std::size_t after(std::size_t index, clang::tok::TokenKind open,
                    clang::tok::TokenKind close) const {
    for (int depth = 0; index < tokens_.size(); ++index) {
      if (tokens_[index].is(open)) ++depth;
      if (tokens_[index].is(close) && --depth == 0) return index + 1;
    }
    return index;
  }
  std::size_t after_arguments(std::size_t index) const {
    int depth = 0;
    while (index < tokens_.size()) {
      if (is(index, clang::tok::l_paren)) {
        index = after(index, clang::tok::l_paren, clang::tok::r_paren);
        continue;
      }
      if (is(index, clang::tok::less)) ++depth;
      if (is(index, clang::tok::greater)) --depth;
      if (is(index, clang::tok::greatergreater)) depth -= 2;
      ++index;
      if (depth <= 0) return index;
    }
    return index;
  }

  void skip_initialiser() {
    while (at_ < tokens_.size() && !is(at_, clang::tok::semi)) {
      at_ = is(at_, clang::tok::l_brace)   ? after(at_, clang::tok::l_brace, clang::tok::r_brace)
            : is(at_, clang::tok::l_paren) ? after(at_, clang::tok::l_paren, clang::tok::r_paren)
                                           : at_ + 1;
    }
  }

  /// The last name of `a::b::c`.
  std::size_t last_name(std::size_t index) const {
    while (is(index + 1, clang::tok::coloncolon) && !word(index + 2).empty()) index += 2;
    return index;
  }

  /// `namespace a = b;`, or one whose declarations count.
  void begin_namespace() {
    ++at_;
    if (is(at_ + 1, clang::tok::equal)) return keep(at_);
    if (!word(at_).empty()) at_ = last_name(at_) + 1;
    if (is(at_, clang::tok::l_brace)) ++at_;
  }

  /// `using A = B;`. The name of `using b::A;` is declared elsewhere.
  void alias() {
    ++at_;
    if (!word(at_).empty() && is(at_ + 1, clang::tok::equal)) keep(at_);
    skip_initialiser();
  }

  /// `struct A {`, `template <> struct A<1> {`, `enum class A : int {`.
  void type() {
    ++at_;
    while (is_one_of(kTypeKeywords, word(at_)) || is(at_, clang::tok::l_square) ||
           word(at_) == "alignas") {
      at_ = is(at_, clang::tok::l_square) ? after(at_, clang::tok::l_square, clang::tok::r_square)
            : word(at_) == "alignas"      ? after(at_ + 1, clang::tok::l_paren, clang::tok::r_paren)
                                          : at_ + 1;
    }
    if (word(at_).empty()) return;
    const std::size_t name = last_name(at_);
    at_ = name + 1;
    if (is(at_, clang::tok::less)) at_ = after_arguments(at_);
    // Others are only named: `struct A;`, `struct A make();`.
    const bool is_defined =
        is(at_, clang::tok::l_brace) || is(at_, clang::tok::colon) || word(at_) == "final";
    if (is_defined) keep(name);
  }

  /// `A make(`, `template <> A make<1>(`, and specialisations of variables.
  void function(std::size_t name) {
    std::size_t next = name + 1;
    if (is(next, clang::tok::less)) next = after_arguments(next);
    const bool is_special = next != name + 1;
    const bool is_variable =
        is_special && (is(next, clang::tok::equal) || is(next, clang::tok::l_brace));
    if (!is(next, clang::tok::l_paren) && !is_variable) return;
    if (name == 0) return;
    const clang::Token& before = tokens_[name - 1];
    const bool follows_type =
        before.isOneOf(clang::tok::greater, clang::tok::greatergreater, clang::tok::amp,
                       clang::tok::ampamp, clang::tok::star, clang::tok::raw_identifier);
    if (follows_type && !is_one_of(kStatementKeywords, word(name - 1))) keep(name);
  }

  const Tokens& tokens_;
  std::set<std::string>& names_;
  std::size_t at_ = 0;
};

std::set<std::string> names_of(const std::vector<Tokens>& branches) {
  std::set<std::string> names;
  for (const Tokens& branch : branches) DeclarationScanner(branch, names).run();
  return names;
}

}  // namespace

std::set<std::string> declared_names(const clang::SourceManager& sources,
                                     const clang::LangOptions& language,
                                     clang::SourceLocation begin, clang::SourceLocation end) {
  const clang::FileID file = sources.getFileID(begin);
  const llvm::StringRef text = sources.getBufferData(file);
  clang::Lexer lexer(sources.getLocForStartOfFile(file), language, text.begin(),
                     text.begin() + sources.getFileOffset(begin), text.end());
  clang::Token keyword;
  lexer.LexFromRawLexer(keyword);
  return names_of(branches_of(lexer, end));
}

std::set<std::string> declared_names(const clang::SourceManager& sources,
                                     const clang::LangOptions& language, clang::FileID file) {
  const llvm::StringRef text = sources.getBufferData(file);
  clang::Lexer lexer(sources.getLocForStartOfFile(file), language, text.begin(), text.begin(),
                     text.end());
  return names_of(branches_of(lexer, {}));
}

}  // namespace fairway::frontend
