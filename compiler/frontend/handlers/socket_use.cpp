#include "frontend/handlers/socket_use.hpp"

#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
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
      if (text == "#") directive();
      if (text == "(" || text == "[" || text == "{") open(text);
      if (text == "struct" || text == "class" || text == "union") is_class_ = true;
      if (text == ";" || text == "(" || text == ")" || text == "{") is_class_ = false;
      if (text == ")" || text == "]" || text == "}") close();
      if (tokens_[at_].kind != SourceToken::Kind::name) continue;
      if (text == "Socket") parameter();
      if (text == socket_) socket();
      if (is_known(text)) sent();
      if (declares_other()) std::erase(sockets_, text);
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

  bool is_known(std::string_view name) const {
    return std::ranges::find(sockets_, name) != sockets_.end();
  }
  bool is_member() const { return before(1) == "." || before(1) == "->" || before(1) == "::"; }

  void open(std::string_view bracket) {
    const bool sets_function = is_function_set_ && bracket == "(";
    is_function_set_ = is_function_set_ && bracket != "(";
    const bool is_binding =
        bracket == "[" && (before(1) == "auto" || before(1) == "&" || before(1) == "&&");
    // The variables of `for (…) {` and the parameters of a function end with its block.
    const bool is_block = bracket == "{" && before(before(1) == "mutable" ? 2 : 1) == ")";
    brackets_.push_back({.text = bracket,
                         .sets_function = sets_function,
                         .is_binding = is_binding,
                         .sockets = is_block ? before_last_ : sockets_,
                         .inside = sockets_});
    // The functions of a class do not see the variables around it.
    if (is_class_ && bracket == "{") sockets_.clear();
  }

  void close() {
    if (brackets_.empty()) return;
    // What is declared in a block or in such a function is unknown after it.
    if (brackets_.back().text == "{" || brackets_.back().sets_function) {
      // An `else` sees the variables of its `if (…) {`, too.
      sockets_ = text(at_ + 1) == "else" ? brackets_.back().inside : brackets_.back().sockets;
    }
    before_last_ = std::move(brackets_.back().sockets);
    brackets_.pop_back();
  }

  /// Code between `#if` and `#endif` may not be part of the program.
  void directive() {
    const std::string_view name = text(at_ + 1);
    if (name == "if" || name == "ifdef" || name == "ifndef") ++conditions_;
    if (name == "endif" && conditions_ > 0) --conditions_;
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
      parameter_at_ = name;
    }
  }

  /// `for (auto& socket : lobby)`: another variable, perhaps a socket of another route.
  bool declares_other() const {
    constexpr std::string_view kAfter[] = {")", ",", "=", ":", ";", "{", "(", "]", "["};
    if (at_ == parameter_at_ || std::ranges::find(kAfter, text(at_ + 1)) == std::end(kAfter)) {
      return false;
    }
    if (!brackets_.empty() && brackets_.back().text == "[") {
      return brackets_.back().is_binding || (text(at_ + 1) != "," && text(at_ + 1) != "]");
    }
    // Also of an assignment, and of `fw::Socket first, socket = …`.
    if (text(at_ + 1) == "=" && !is_member()) return true;
    const bool is_after_name = at_ > 0 && tokens_[at_ - 1].kind == SourceToken::Kind::name;
    return is_after_name || before(1) == "&" || before(1) == "&&" || before(1) == "*" ||
           before(1) == ">";
  }

  /// `from.send("said", …)`.
  void sent() {
    const bool is_call = text(at_ + 1) == "." && text(at_ + 2) == "send" && text(at_ + 3) == "(";
    const std::size_t name = at_ + 4;
    const bool is_whole = text(name + 1) == "," || text(name + 1) == ")";
    if (!is_member() && conditions_ == 0 && is_call && is_whole && is_plain_string(name)) {
      use_.sent.push_back(named(name));
    }
  }

  bool is_plain_string(std::size_t index) const {
    if (index >= tokens_.size() || tokens_[index].kind != SourceToken::Kind::string) return false;
    const std::string_view literal = tokens_[index].text;
    return literal.size() > 1 && literal.front() == '"' && literal.back() == '"' &&
           literal.find('\\') == std::string_view::npos;
  }
  model::NamedMessage named(std::size_t index) const {
    const std::string_view literal = tokens_[index].text;
    return {.name = std::string(literal.substr(1, literal.size() - 2)),
            .range = range_of_(tokens_[index])};
  }

  void socket() {
    if (is_member()) return;
    if (text(at_ + 1) == ".") {
      const std::size_t name = at_ + (text(at_ + 2) == "template" ? 3 : 2);
      if (text(name) == "on") handled(name + 1);
      return;
    }
    const bool is_captured = !brackets_.empty() && brackets_.back().text == "[";
    const bool is_parameter = before(1) == "Socket" || (before(1) == "&" && before(2) == "Socket");
    // A topic only sends.
    const bool is_subscribed = before(1) == "(" && before(2) == "subscribe" && text(at_ + 1) == ")";
    if (!is_captured && !is_parameter && !is_subscribed) use_.handles_others = true;
  }

  /// The tokens after `socket.on`.
  void handled(std::size_t next) {
    if (!is_known(socket_) || conditions_ > 0) {
      use_.handles_others = true;
      return;
    }
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
    bool sets_function = false;             ///< the one of `socket.on(`
    bool is_binding = false;                ///< the one of `auto& [id, socket]`
    std::vector<std::string_view> sockets;  ///< `sockets_` after its end
    std::vector<std::string_view> inside;   ///< `sockets_` at its beginning
  };
  std::vector<std::string_view> before_last_;  ///< `sockets_` before the bracket closed last
  std::vector<Bracket> brackets_;
  bool is_class_ = false;         ///< after `struct`, before its bracket
  bool is_function_set_ = false;  ///< after `socket.on`, before its bracket
  std::size_t conditions_ = 0;    ///< the number of `#if` without `#endif`
  std::size_t parameter_at_ = 0;  ///< the name of the last parameter of such a function
  std::size_t at_ = 0;
  model::MessageUse use_;
};

/// `(socket.send("opened", parts), ...)`: not part of the program if the pack is empty.
bool has_pack(const Tokens& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_catch = i > 1 && tokens[i - 2].text == "catch";
    if (tokens[i].text == "..." && !is_catch) return true;
  }
  return false;
}

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
  model::MessageUse use = TextReader(tokens, socket->getName(), range_of).read();
  // Code of a template may be for other sockets: `if constexpr (kAdmin)`.
  const auto* function = llvm::dyn_cast<clang::FunctionDecl>(socket->getDeclContext());
  const bool is_template = function != nullptr && function->isTemplateInstantiation();
  if (is_template || has_pack(tokens)) {
    use.handles_others = use.handles_others || !use.handled.empty();
    use.handled.clear();
    use.sent.clear();
  }
  return use;
}

void forget_shared_messages(std::vector<model::Registration>& registrations) {
  std::map<model::Range, int> uses;
  for (const model::Registration& registration : registrations) {
    for (const auto& message : registration.handler.messages.handled) ++uses[message.range];
    for (const auto& message : registration.handler.messages.sent) ++uses[message.range];
  }
  for (model::Registration& registration : registrations) {
    // Other route files may use what is in a header.
    const auto may_be_shared = [&](const model::NamedMessage& message) {
      return !message.name.empty() &&
             (uses[message.range] > 1 || message.range.file != registration.range.file);
    };
    model::MessageUse& use = registration.handler.messages;
    std::erase_if(use.sent, may_be_shared);
    if (std::erase_if(use.handled, may_be_shared) > 0) use.handles_others = true;
  }
}

}  // namespace fairway::frontend
