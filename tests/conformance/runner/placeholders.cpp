#include "placeholders.hpp"

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>
#include <sstream>

namespace conformance {
namespace {

constexpr const char* kUuid4 =
    "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

std::string escaped(const std::string& text) {
  static const std::regex special(R"([.^$|()\[\]{}*+?\\])");
  return std::regex_replace(text, special, R"(\$&)");
}

/// The expression that a placeholder inside a text stands for; empty for what is none.
std::string expression_of(const std::string& name, const Memory& memory) {
  if (name == "<request_id>") {
    if (!memory.request_brought_id)
      return std::string("(?=") + kUuid4 + ")" + escaped(memory.request_id);
    return escaped(memory.request_id);
  }
  if (name == "<n>") return "[0-9]+";
  if (name == "<time>")
    return R"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z)";
  if (name == "<clock>") return R"([0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3})";
  if (name == "<any>") return R"([\s\S]*)";
  if (name == "<text>") return R"([\s\S]+)";
  if (name == "<session_id>" || name == "<csrf_token>") return "[A-Za-z0-9_-]+";
  if (name == "<csrf_cookie>") return "[A-Za-z0-9_.-]+";
  if (name == "<up>")
    return escaped(memory.remembered.contains("up") ? memory.remembered.at("up") : "");
  return {};
}

std::set<std::string> tokens_of(const std::string& list) {
  std::set<std::string> tokens;
  std::istringstream stream(list);
  for (std::string token; std::getline(stream, token, ',');) {
    std::string clean;
    for (const char c : token) {
      if (c != ' ') clean += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    if (!clean.empty()) tokens.insert(clean);
  }
  return tokens;
}

}  // namespace

bool matches_text(const std::string& expected, const std::string& text, Memory& memory) {
  if (expected.starts_with("<re>")) return std::regex_search(text, std::regex(expected.substr(4)));
  if (expected.starts_with("<tokens>")) {
    const auto wanted = tokens_of(expected.substr(8));
    const auto present = tokens_of(text);
    return std::includes(present.begin(), present.end(), wanted.begin(), wanted.end());
  }
  std::string pattern;
  for (std::size_t at = 0; at < expected.size();) {
    const std::size_t close = expected[at] == '<' ? expected.find('>', at) : std::string::npos;
    if (close != std::string::npos) {
      const std::string expression = expression_of(expected.substr(at, close - at + 1), memory);
      if (!expression.empty()) {
        pattern += expression;
        at = close + 1;
        continue;
      }
    }
    pattern += escaped(expected.substr(at, 1));
    ++at;
  }
  const bool matched = std::regex_match(text, std::regex(pattern));
  if (matched && expected.size() > 2 &&
      (expected == "<session_id>" || expected == "<csrf_token>" || expected == "<csrf_cookie>")) {
    memory.remembered[expected.substr(1, expected.size() - 2)] = text;
  }
  return matched;
}

bool matches_json(const Json& expected, const Json& value, Memory& memory) {
  if (expected.is_string()) {
    const auto& text = expected.get_ref<const std::string&>();
    if (text == "<any>") return true;
    if (text == "<n>" && value.is_number()) return true;
    return value.is_string() && matches_text(text, value.get<std::string>(), memory);
  }
  if (expected.is_object()) {
    if (!value.is_object() || value.size() != expected.size()) return false;
    return std::all_of(expected.items().begin(), expected.items().end(), [&](const auto& member) {
      return value.contains(member.key()) &&
             matches_json(member.value(), value.at(member.key()), memory);
    });
  }
  if (expected.is_array()) {
    if (!value.is_array() || value.size() != expected.size()) return false;
    for (std::size_t index = 0; index < expected.size(); ++index) {
      if (!matches_json(expected[index], value[index], memory)) return false;
    }
    return true;
  }
  return expected == value;
}

std::string substituted(std::string text, const Memory& memory) {
  for (const auto& [name, value] : memory.remembered) {
    const std::string placeholder = "<" + name + ">";
    for (std::size_t at; (at = text.find(placeholder)) != std::string::npos;) {
      text.replace(at, placeholder.size(), value);
    }
  }
  return text;
}

}  // namespace conformance
