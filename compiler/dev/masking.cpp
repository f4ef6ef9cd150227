#include "dev/masking.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "base/media_type.hpp"

namespace fairway::dev {
namespace {

using Json = nlohmann::ordered_json;

/// Without the characters that separate words.
constexpr std::array<std::string_view, 16> kSecretWords = {
    "password", "passwd",     "passphrase", "secret",     "token", "authorization",
    "cookie",   "credential", "apikey",     "privatekey", "otp",   "csrf",
    "session",  "signature",  "cardnumber", "cvc"};
constexpr int kIndent = 2;
/// Deeper bodies are not shown, because their printing would need too much of the stack.
constexpr int kMaxDepth = 200;

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c == '-' || c == '_' || c == '.') continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return plain;
}

/// False if it is too deep.
bool mask_members(Json& value, int depth = 0) {
  if (depth > kMaxDepth) return false;
  if (!value.is_structured()) return true;
  for (auto each = value.begin(); each != value.end(); ++each) {
    if (value.is_object() && is_secret_name(each.key())) {
      *each = std::string(kMasked);
    } else if (!mask_members(*each, depth + 1)) {
      return false;
    }
  }
  return true;
}

/// An upper bound of the depth, so that the parser need not recurse: brackets in strings count.
bool may_be_too_deep(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kMaxDepth) return true;
  }
  return false;
}

std::string masked_json(std::string_view body) {
  if (may_be_too_deep(body)) return {};
  Json value = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded() || !mask_members(value)) return {};
  return value.dump(kIndent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

bool is_secret_name(std::string_view name) {
  const std::string plain = plain_name(name);
  return std::ranges::any_of(kSecretWords,
                             [&](std::string_view word) { return plain.find(word) != plain.npos; });
}

std::string masked_pairs(std::string_view pairs) {
  std::string result;
  while (!pairs.empty()) {
    const auto end = std::min(pairs.find('&'), pairs.size());
    const std::string_view pair = pairs.substr(0, end);
    const auto name_end = pair.find('=');
    // An escaped name could be any.
    const std::string_view name = pair.substr(0, name_end);
    const bool is_hidden =
        name_end != pair.npos && (is_secret_name(name) || name.find('%') != name.npos);
    if (is_hidden) {
      result.append(name).append("=").append(kMasked);
    } else {
      result.append(pair);
    }
    if (end < pairs.size()) result += '&';
    pairs.remove_prefix(std::min(end + 1, pairs.size()));
  }
  return result;
}

std::string masked_target(std::string_view target) {
  const auto query = target.find('?');
  if (query == target.npos) return std::string(target);
  return std::string(target.substr(0, query + 1)) + masked_pairs(target.substr(query + 1));
}

std::string masked_field(std::string_view name, std::string_view value) {
  if (is_secret_name(name)) return std::string(kMasked);
  const bool is_url = fw::base::equal_ignoring_case(name, "location") ||
                      fw::base::equal_ignoring_case(name, "referer");
  return is_url ? masked_target(value) : std::string(value);
}

std::string masked_body(std::string_view media_type, std::string_view body) {
  const std::string_view essence = fw::base::media_type(media_type);
  if (essence == "application/x-www-form-urlencoded") return masked_pairs(body);
  if (fw::base::is_json(media_type)) return masked_json(body);
  // Names of HTML and XML would need a parser.
  const bool is_text =
      essence == "text/plain" || essence == "text/csv" || essence == "text/event-stream";
  return is_text ? std::string(body) : std::string();
}

}  // namespace fairway::dev
