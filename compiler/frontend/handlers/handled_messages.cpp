#include "frontend/handlers/handled_messages.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/Lex/Lexer.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/source/source_tokens.hpp"

namespace fairway::frontend {
namespace {

class TextReader {
 public:
  TextReader(const std::vector<SourceToken>& tokens, std::string_view socket,
             std::function<bool(std::string_view)> is_macro)
      : tokens_(tokens), socket_(socket), is_macro_(std::move(is_macro)) {
    use_.handles_others = false;
  }

  model::MessageUse read() {
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      const std::string_view text = tokens_[at_].text;
      if (text == "(" || text == "[" || text == "{") brackets_.push_back(text);
      if (!brackets_.empty() && (text == ")" || text == "]" || text == "}")) brackets_.pop_back();
      if (text == socket_) socket();
      // Also of another name of the socket, such as `from`.
      if (text == "on" && is_member()) handled(at_ + 1);
      if (tokens_[at_].kind == SourceToken::Kind::name && is_macro_(text)) {
        use_.handles_others = true;
      }
    }
    return std::move(use_);
  }

 private:
  std::string_view text(std::size_t index) const {
    return index < tokens_.size() ? tokens_[index].text : std::string_view();
  }
  std::string_view before(std::size_t steps) const {
    return steps > at_ ? std::string_view() : text(at_ - steps);
  }

  bool is_member() const {
    const std::string_view last = before(before(1) == "template" ? 2 : 1);
    return last == "." || last == "->" || last == "::";
  }

  void socket() {
    if (is_member() || text(at_ + 1) == ".") return;
    const bool is_captured = !brackets_.empty() && brackets_.back() == "[";
    const bool is_parameter = before(1) == "Socket" || (before(1) == "&" && before(2) == "Socket");
    // A topic only sends: `app.topics().get<Said>("room").subscribe(socket)`.
    const bool is_subscribed = before(1) == "(" && before(2) == "subscribe" && before(3) == "." &&
                               before(4) == ")" && before(5) != "(" && text(at_ + 1) == ")";
    if (!is_captured && !is_parameter && !is_subscribed) use_.handles_others = true;
  }

  /// The tokens after `.on`.
  void handled(std::size_t next) {
    if (text(next) == "(" && is_plain_string(next + 1) && text(next + 2) == ",") {
      const std::string_view literal = text(next + 1);
      use_.handled.push_back({.name = std::string(literal.substr(1, literal.size() - 2))});
      return;
    }
    if (text(next) == "<") {
      std::string_view last;
      for (++next; next < tokens_.size() &&
                   (tokens_[next].kind == SourceToken::Kind::name || text(next) == "::");
           ++next) {
        last = text(next);
      }
      if (!last.empty() && text(next) == ">") {
        use_.handled.push_back({.type = std::string(last)});
        return;
      }
    }
    use_.handles_others = true;
  }

  bool is_plain_string(std::size_t index) const {
    const std::string_view literal = text(index);
    return literal.size() > 1 && literal.front() == '"' && literal.back() == '"' &&
           literal.find('\\') == std::string_view::npos;
  }

  const std::vector<SourceToken>& tokens_;
  std::string_view socket_;
  std::function<bool(std::string_view)> is_macro_;
  std::vector<std::string_view> brackets_;  ///< those that are open
  std::size_t at_ = 0;
  model::MessageUse use_;
};

}  // namespace

model::MessageUse handled_messages(const FileContext& context, const clang::Stmt& body,
                                   const clang::ParmVarDecl* socket) {
  if (socket == nullptr || socket->getName().empty()) return {.handles_others = socket == nullptr};
  bool is_invalid = false;
  const std::string text =
      clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(body.getSourceRange()),
                                  context.at.sources(), context.at.language(), &is_invalid)
          .str();
  if (is_invalid || text.empty()) return {};
  const std::vector<SourceToken> tokens = source_tokens(text);
  const auto is_macro = [&](std::string_view name) {
    return context.ast.Idents.get(name).hadMacroDefinition();
  };
  return TextReader(tokens, socket->getName(), is_macro).read();
}

}  // namespace fairway::frontend
