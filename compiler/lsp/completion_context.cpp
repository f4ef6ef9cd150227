#include <algorithm>
#include <string_view>
#include <vector>

#include "base/ascii.hpp"
#include "frontend/source/source_tokens.hpp"
#include "lsp/features.hpp"
#include "model/registration_words.hpp"

namespace fairway::lsp {
namespace {

using frontend::SourceToken;
using Kind = CompletionContext::Kind;
using Tokens = std::vector<SourceToken>;

bool is_location(std::string_view name) {
  return std::ranges::find(model::kRequestLocations, name) != model::kRequestLocations.end();
}

bool is_registration(std::string_view function) {
  return std::ranges::find(model::kRegistrationMethods, function,
                           &model::RegistrationMethod::function) !=
         model::kRegistrationMethods.end();
}

/// The text between the quotes; empty for raw strings.
std::string_view content_of(const SourceToken& string) {
  std::string_view content = string.text;
  const std::size_t quote = content.find('"');
  if (content.substr(0, quote).ends_with('R')) return {};
  content.remove_prefix(quote + 1);
  if (content.ends_with('"')) content.remove_suffix(1);
  return content;
}

/// An open bracket.
struct Bracket {
  char open = '{';
  /// `(`: the function. `{`: the member or the type that it initialises; empty for an element of a
  /// list.
  std::string_view owner;
  std::string_view member;  ///< `.member =`, since the last comma
  int index = 0;            ///< the number of commas
  std::string_view first_string;
};

/// The brackets that are open before a token.
class Brackets {
 public:
  Brackets(const Tokens& tokens, std::size_t count) : tokens_(tokens) {
    for (std::size_t index = 0; index < count; ++index) see(index);
  }

  const Bracket& top() const { return at(0); }
  /// The bracket that is `depth` levels above the innermost one.
  const Bracket& at(std::size_t depth) const {
    static const Bracket kNone{.open = ' ', .owner = {}, .member = {}, .first_string = {}};
    return depth < stack_.size() ? stack_[stack_.size() - 1 - depth] : kNone;
  }
  std::size_t depth() const { return stack_.size(); }

 private:
  std::string_view text(std::size_t index) const {
    return index < tokens_.size() ? tokens_[index].text : std::string_view();
  }
  std::string_view name(std::size_t index) const {
    const bool is_name = index < tokens_.size() && tokens_[index].kind == SourceToken::Kind::name;
    return is_name ? tokens_[index].text : std::string_view();
  }

  void see(std::size_t index) {
    const std::string_view token = text(index);
    if (token == "(" || token == "{" || token == "[") {
      Bracket bracket{.open = token[0], .owner = {}, .member = {}, .first_string = {}};
      bracket.owner = token == "(" ? name(index - 1) : token == "{" ? owner(index) : "";
      stack_.push_back(bracket);
    } else if (token == ")" || token == "}" || token == "]") {
      close(token == ")" ? '(' : token == "}" ? '{' : '[');
    } else if (stack_.empty()) {
      return;
    } else if (token == ",") {
      ++stack_.back().index;
      stack_.back().member = {};
    } else if (!name(index).empty() && text(index - 1) == "." &&
               (text(index - 2) == "{" || text(index - 2) == ",")) {
      stack_.back().member = token;
    } else if (tokens_[index].kind == SourceToken::Kind::string &&
               stack_.back().first_string.empty()) {
      stack_.back().first_string = content_of(tokens_[index]);
    }
  }

  /// What the brace at `index` initialises: `.member = {`, `Type name = {`, `Type name{`, `Type{`.
  std::string_view owner(std::size_t index) const {
    const std::size_t variable = text(index - 1) == "=" ? index - 2 : index - 1;
    if (text(variable - 1) == ".") return name(variable);
    if (!name(variable).empty() && !name(variable - 1).empty()) return name(variable - 1);
    return text(index - 1) == "=" ? std::string_view() : name(variable);
  }

  /// Brackets that are still open inside are closed too: they lack their ends while the user types.
  void close(char open) {
    const auto found = std::find_if(stack_.rbegin(), stack_.rend(),
                                    [open](const Bracket& each) { return each.open == open; });
    if (found != stack_.rend()) stack_.erase(std::prev(found.base()), stack_.end());
  }

  const Tokens& tokens_;
  std::vector<Bracket> stack_;
};

class Context {
 public:
  explicit Context(const Brackets& brackets) : brackets_(brackets) {}

  Kind kind() const {
    const Bracket& top = brackets_.top();
    const Bracket& parent = brackets_.at(1);
    if (is_call(top, "param")) return Kind::path_parameter;
    if (is_call(top, "render")) return Kind::page;
    if (is_call(top, "compile_field")) return Kind::schema_type;
    if (top.open != '{') return Kind::none;
    if (top.member == "page" && top.owner == "frontend") return Kind::page;
    if (top.member == "schema") return Kind::schema_type;
    if (!top.member.empty()) return Kind::none;
    if (top.owner == "middlewares") return Kind::middleware;
    if (!top.owner.empty()) return Kind::none;
    if (parent.owner == "middlewares" && top.index == 0) return Kind::middleware;
    if (is_field(0) && top.index == 0 && parent.owner == "param") return Kind::path_parameter;
    if (top.index == 1 && (is_field(0) || is_response(0) || is_event(0))) return Kind::schema_type;
    return Kind::none;
  }

  /// The path of the nearest registration.
  std::string subpath() const {
    for (std::size_t depth = 0; depth < brackets_.depth(); ++depth) {
      const Bracket& bracket = brackets_.at(depth);
      if (bracket.open == '(' && is_registration(bracket.owner)) {
        return std::string(bracket.first_string);
      }
    }
    return {};
  }

 private:
  static bool is_call(const Bracket& bracket, std::string_view function) {
    return bracket.open == '(' && bracket.owner == function && bracket.index == 0;
  }

  /// `{"name", "type"}`
  bool is_field(std::size_t depth) const {
    return is_element(depth) && is_list_of_fields(depth + 1);
  }
  /// `{"201", "type"}`
  bool is_response(std::size_t depth) const {
    return is_element(depth) && brackets_.at(depth + 1).owner == "responses";
  }
  /// `{"created", "type"}` in `fw::events({…})`
  bool is_event(std::size_t depth) const {
    const Bracket& call = brackets_.at(depth + 2);
    return is_element(depth) && is_element(depth + 1) && call.open == '(' && call.owner == "events";
  }
  /// `{"say", {…}}` in `.receive = {…}`
  bool is_message(std::size_t depth) const {
    const std::string_view owner = brackets_.at(depth + 1).owner;
    return is_element(depth) && (owner == "receive" || owner == "send");
  }
  bool is_element(std::size_t depth) const {
    return brackets_.at(depth).open == '{' && brackets_.at(depth).owner.empty();
  }

  bool is_list_of_fields(std::size_t depth) const {
    const Bracket& list = brackets_.at(depth);
    const Bracket& parent = brackets_.at(depth + 1);
    if (list.open != '{') return false;
    if (list.owner == "SchemaMap" || list.owner == "schema") return true;
    if (is_location(list.owner)) return parent.owner == "validate";
    if (!list.owner.empty()) return false;
    if (parent.open == '(') {
      return parent.owner == "array_of" || parent.owner == "optional" || parent.owner == "lines";
    }
    return parent.index == 1 && (is_field(depth + 1) || is_response(depth + 1) ||
                                 is_event(depth + 1) || is_message(depth + 1));
  }

  const Brackets& brackets_;
};

/// Whether the string is the argument of `fw::Field<"…">`.
bool is_in_field(const Tokens& tokens, std::size_t string) {
  return string >= 2 && tokens[string - 1].text == "<" && tokens[string - 2].text == "Field";
}

/// Narrows the range of the context to the type around `offset` in a schema string. Returns false
/// if no type belongs there, as after the colon of a range.
bool find_type(CompletionContext& context, std::string_view content, std::size_t offset) {
  constexpr std::string_view kArrayOf = "array<";
  std::size_t word = 0;
  while (content.substr(word).starts_with(kArrayOf)) word += kArrayOf.size();
  const auto is_part = [](char c) { return fw::base::is_alphanumeric(c); };
  const std::string_view rest = content.substr(word);
  const auto length =
      static_cast<std::size_t>(std::ranges::find_if_not(rest, is_part) - rest.begin());
  if (offset < word || offset > word + length) return false;
  context.begin += word;
  context.end = context.begin + length;
  return true;
}

}  // namespace

CompletionContext completion_context(const std::string& text, std::size_t offset) {
  const Tokens tokens = frontend::source_tokens(text);
  const auto string = std::ranges::find_if(tokens, [offset](const SourceToken& token) {
    return token.begin < offset && offset <= token.end();
  });
  if (string == tokens.end() || string->kind != SourceToken::Kind::string) return {};
  const std::string_view content = content_of(*string);
  const std::size_t begin = string->begin + string->text.find('"') + 1;
  const bool is_raw = content.empty() && string->text.find('R') < string->text.find('"');
  if (is_raw || offset < begin || offset > begin + content.size()) return {};
  const auto index = static_cast<std::size_t>(string - tokens.begin());
  const Brackets brackets(tokens, index);
  const Context where(brackets);
  CompletionContext context{.kind = is_in_field(tokens, index) ? Kind::schema_type : where.kind(),
                            .begin = begin,
                            .end = begin + content.size(),
                            .subpath = {}};
  if (context.kind == Kind::schema_type && !find_type(context, content, offset - begin)) return {};
  if (context.kind == Kind::path_parameter) context.subpath = where.subpath();
  return context;
}

}  // namespace fairway::lsp
