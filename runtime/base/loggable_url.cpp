#include "base/loggable_url.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace fw::base {

std::string loggable_url(std::string_view url) {
  url = url.substr(0, url.find('#'));
  const auto mark = std::min(url.find('?'), url.size());
  const std::string_view query = url.substr(mark);
  url = url.substr(0, mark);
  std::string result;
  if (const auto scheme = url.find("://"); scheme != url.npos) {
    const auto begin = scheme + 3;
    const auto authority = url.substr(begin, url.find_first_of("/\\", begin) - begin);
    const auto at = authority.rfind('@');
    result.append(url.substr(0, begin));
    url.remove_prefix(begin + (at == authority.npos ? 0 : at + 1));
  }
  result.append(url);
  if (query.empty()) return result;
  char before = '?';
  for_each_token(query.substr(1), '&', [&](std::string_view pair) {
    const auto equals = pair.find('=');
    result += before;
    // A pair without a name may be a secret itself.
    result.append(equals == pair.npos ? std::string_view() : pair.substr(0, equals + 1));
    if (!pair.empty()) result.append("…");
    before = '&';
  });
  return result;
}

std::string without_secrets_of(std::string_view url, std::string text) {
  if (url.empty()) return text;
  const std::string shown = loggable_url(url);
  for (auto at = text.find(url); at != text.npos; at = text.find(url, at + shown.size())) {
    text.replace(at, url.size(), shown);
  }
  return text;
}

}  // namespace fw::base
