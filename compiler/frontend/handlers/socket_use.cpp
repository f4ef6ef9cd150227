#include "frontend/handlers/socket_use.hpp"

#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/source/source_tokens.hpp"

namespace fairway::frontend {
namespace {

using Tokens = std::vector<SourceToken>;

class TextReader {
 public:
  /// `range_of` gives the range of a token.
  TextReader(const Tokens& tokens, std::string_view socket,
             std::function<model::Range(const SourceToken&)> range_of)
      : tokens_(tokens), socket_(socket), range_of_(std::move(range_of)) {
    use_.handles_others = false;
    sockets_.push_back(socket);
  }

  model::MessageUse read() {
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      const std::string_view text = tokens_[at_].text;
      if (text == "(" || text == "[" || text == "{") {
        brackets_.push_back({text, is_function_set_ && text == "("});
        is_function_set_ = is_function_set_ && text != "(";
      }
      const bool closes = text == ")" || text == "]" || text == "}";
      if (closes && !brackets_.empty()) brackets_.pop_back();
      if (tokens_[at_].kind != SourceToken::Kind::name) continue;
      if (text == "Socket") parameter();
      if (text == socket_) socket();
      if (std::ranges::find(sockets_, text) != sockets_.end()) sent();
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

  /// `fw::Socket& from`: a parameter of a function for messages. Other variables may be sockets of
  /// other routes.
  void parameter() {
    const bool is_in_function = brackets_.size() > 1 && brackets_.back().text == "(" &&
                                brackets_[brackets_.size() - 2].sets_function;
    if (!is_in_function || before(1) != "::" || before(2) != "fw") return;
    const std::size_t name = at_ + (text(at_ + 1) == "&" ? 2 : 1);
    if (name < tokens_.size() && tokens_[name].kind == SourceToken::Kind::name) {
      sockets_.push_back(text(name));
    }
  }

  /// `from.send("said", …)`.
  void sent() {
    const bool is_member = before(1) == "." || before(1) == "->" || before(1) == "::";
    const bool is_call = text(at_ + 1) == "." && text(at_ + 2) == "send" && text(at_ + 3) == "(";
    const std::size_t name = at_ + 4;
    const bool is_whole = text(name + 1) == "," || text(name + 1) == ")";
    if (!is_member && is_call && is_whole && is_plain_string(name)) {
      use_.sent.push_back(named(name));
    }
  }

  bool is_plain_string(std::size_t index) const {
    if (index >= tokens_.size() || tokens_[index].kind != SourceToken::Kind::string) return false;
    const std::string_view literal = tokens_[index].text;
    return literal.size() > 1 && literal.front() == '"' &&
           literal.find('\\') == std::string_view::npos;
  }
  model::NamedMessage named(std::size_t index) const {
    const std::string_view literal = tokens_[index].text;
    return {.name = std::string(literal.substr(1, literal.size() - 2)),
            .range = range_of_(tokens_[index])};
  }

  void socket() {
    if (text(at_ + 1) == ".") {
      const std::size_t name = at_ + (text(at_ + 2) == "template" ? 3 : 2);
      if (text(name) == "on") handled(name + 1);
      return;
    }
    const bool is_member = before(1) == "." || before(1) == "->" || before(1) == "::";
    const bool is_captured = !brackets_.empty() && brackets_.back().text == "[";
    const bool is_parameter = before(1) == "Socket" || (before(1) == "&" && before(2) == "Socket");
    // A topic only sends.
    const bool is_subscribed = before(1) == "(" && before(2) == "subscribe" && text(at_ + 1) == ")";
    if (!is_member && !is_captured && !is_parameter && !is_subscribed) use_.handles_others = true;
  }

  /// The tokens after `socket.on`.
  void handled(std::size_t next) {
    is_function_set_ = true;
    if (text(next) == "(") {
      if (is_plain_string(next + 1) && text(next + 2) == ",") {
        use_.handled.push_back(named(next + 1));
        return;
      }
    } else if (text(next) == "<") {
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

  const Tokens& tokens_;
  std::string_view socket_;
  std::vector<std::string_view> sockets_;  ///< the names of `socket_` and of such parameters
  std::function<model::Range(const SourceToken&)> range_of_;
  struct Bracket {
    std::string_view text;
    bool sets_function = false;  ///< the one of `socket.on(`
  };
  std::vector<Bracket> brackets_;
  bool is_function_set_ = false;  ///< after `socket.on`, before its bracket
  std::size_t at_ = 0;
  model::MessageUse use_;
};

}  // namespace

model::MessageUse message_use(const FileContext& context, const clang::Stmt& body,
                              const clang::ParmVarDecl* socket) {
  if (socket == nullptr || socket->getName().empty()) return {.handles_others = socket == nullptr};
  bool is_invalid = false;
  const std::string text =
      clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(body.getSourceRange()),
                                  context.at.sources(), context.at.language(), &is_invalid)
          .str();
  if (is_invalid || text.empty()) return {};
  const Tokens tokens = source_tokens(text);
  const clang::SourceLocation begin = context.at.sources().getSpellingLoc(body.getBeginLoc());
  const auto range_of = [&](const SourceToken& token) {
    return context.at.token(begin.getLocWithOffset(static_cast<int>(token.begin)));
  };
  return TextReader(tokens, socket->getName(), range_of).read();
}

}  // namespace fairway::frontend
