#include "message.hpp"

#include <charconv>

#include "base/ascii.hpp"

namespace pairs {

std::optional<std::string_view> field_of(const Fields& fields, std::string_view name) {
  for (const auto& [field, value] : fields) {
    if (field == name) return value;
  }
  return std::nullopt;
}

std::string joined_field(const Fields& fields, std::string_view name) {
  std::string result;
  for (const auto& [field, value] : fields) {
    if (field == name) result += (result.empty() ? "" : ", ") + value;
  }
  return result;
}

bool lists(std::string_view list, std::string_view member) {
  bool found = false;
  fw::base::for_each_token(list, ',', [&](std::string_view token) {
    found = found || fw::base::equal_ignoring_case(fw::base::trim_ows(token), member);
  });
  return found;
}

std::optional<long> seconds_of(std::string_view cache_control, std::string_view directive) {
  std::optional<long> result;
  fw::base::for_each_token(cache_control, ',', [&](std::string_view token) {
    token = fw::base::trim_ows(token);
    if (token.size() <= directive.size() || token[directive.size()] != '=') return;
    if (!fw::base::equal_ignoring_case(token.substr(0, directive.size()), directive)) return;
    const std::string_view digits = token.substr(directive.size() + 1);
    long seconds = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
    result = seconds;
  });
  return result;
}

std::string describe(const Exchange& exchange) {
  constexpr std::size_t kShownBody = 300;
  const Message& request = exchange.request;
  std::string text =
      "    > " + request.method + ' ' + request.target + "   (" + request.client.name + ")\n";
  for (const auto& [name, value] : request.fields) text += "    > " + name + ": " + value + '\n';
  if (!request.body.empty()) text += "    > " + request.body.substr(0, kShownBody) + '\n';
  if (!exchange.reply.error.empty())
    return text + "    < no response: " + exchange.reply.error + '\n';
  text += "    < " + std::to_string(exchange.reply.status) + '\n';
  for (const auto& [name, value] : exchange.reply.fields) {
    text += "    < " + name + ": " + value + '\n';
  }
  std::string body = exchange.reply.body.substr(0, kShownBody);
  for (char& c : body) {
    if (c == '\n') c = ' ';
  }
  return text + (body.empty() ? "" : "    < " + body + '\n');
}

}  // namespace pairs
