// Host names, IP addresses, URLs and e-mail addresses.
#include <algorithm>
#include <cstddef>

#include "base/ascii.hpp"
#include "schema/formats.hpp"

namespace fw::schema {
namespace {

bool is_host_label(std::string_view label) {
  constexpr std::size_t kMaxLabelLength = 63;
  if (label.empty() || label.size() > kMaxLabelLength) return false;
  if (label.front() == '-' || label.back() == '-') return false;
  // Two hyphens in the third and fourth position are reserved for encoded names (RFC 5891,
  // 4.2.3.1).
  if (label.size() >= 4 && label.substr(2, 2) == "--" &&
      !base::equal_ignoring_case(label.substr(0, 2), "xn")) {
    return false;
  }
  return std::ranges::all_of(label, [](char c) { return base::is_alphanumeric(c) || c == '-'; });
}

// RFC 3986: unreserved and sub-delims, allowed in every part of a URL, like percent triplets.
bool is_plain_url_character(char c) {
  return base::is_alphanumeric(c) ||
         std::string_view("-._~!$&'()*+,;=").find(c) != std::string_view::npos;
}

bool is_url_text(std::string_view text, std::string_view further_characters) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size() || !base::is_hex_digit(text[i + 1]) ||
          !base::is_hex_digit(text[i + 2])) {
        return false;
      }
      i += 2;
    } else if (!is_plain_url_character(text[i]) &&
               further_characters.find(text[i]) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

bool is_url_authority(std::string_view authority) {
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    if (!is_url_text(authority.substr(0, at), ":")) return false;
    authority.remove_prefix(at + 1);
  }
  std::string_view after_host;
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos || !is_ipv6(authority.substr(1, close - 1))) return false;
    after_host = authority.substr(close + 1);
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    // An http URL with an empty host is invalid (RFC 9110, 4.2.1).
    if (colon == 0 || !is_url_text(authority.substr(0, colon), "")) return false;
    after_host = authority.substr(colon);
  }
  if (after_host.empty()) return true;
  return after_host.front() == ':' && std::ranges::all_of(after_host.substr(1), base::is_digit);
}

// RFC 5321: a dot-string of atoms, or a quoted string.
bool is_mail_local_part(std::string_view local) {
  constexpr std::size_t kMaxLocalPartLength = 64;
  if (local.empty() || local.size() > kMaxLocalPartLength) return false;
  if (local.front() == '"') {
    if (local.size() < 2 || local.back() != '"') return false;
    const std::string_view content = local.substr(1, local.size() - 2);
    for (std::size_t i = 0; i < content.size(); ++i) {
      if (content[i] == '"') return false;
      if (content[i] == '\\' && ++i == content.size()) return false;
      if (content[i] < ' ' || content[i] > '~') return false;
    }
    return true;
  }
  char previous = '.';
  for (const char c : local) {
    if (c == '.' ? previous == '.'
                 : !base::is_alphanumeric(c) &&
                       std::string_view("!#$%&'*+-/=?^_`{|}~").find(c) == std::string_view::npos) {
      return false;
    }
    previous = c;
  }
  return previous != '.';
}

}  // namespace

bool is_hostname(std::string_view text) {
  constexpr std::size_t kMaxNameLength = 253;
  if (text.size() > kMaxNameLength) return false;
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_host_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_ipv4(std::string_view text) {
  for (int octet = 0; octet < 4; ++octet) {
    if (octet > 0) {
      if (!text.starts_with('.')) return false;
      text.remove_prefix(1);
    }
    std::size_t length = 0;
    int value = 0;
    while (length < text.size() && length < 3 && base::is_digit(text[length])) {
      value = value * 10 + (text[length++] - '0');
    }
    if (length == 0 || value > 255 || (length > 1 && text.front() == '0')) return false;
    text.remove_prefix(length);
  }
  return text.empty();
}

bool is_ipv6(std::string_view text) {
  constexpr int kGroups = 8;
  int groups = 0;
  bool shortened = false;
  if (text.starts_with("::")) {
    shortened = true;
    text.remove_prefix(2);
  }
  bool expects_group = !shortened;
  while (!text.empty()) {
    std::size_t length = 0;
    while (length < text.size() && base::is_hex_digit(text[length])) ++length;
    if (length < text.size() && text[length] == '.') {
      if (!is_ipv4(text)) return false;
      groups += 2;
      expects_group = false;
      break;
    }
    if (length == 0 || length > 4) return false;
    ++groups;
    expects_group = false;
    text.remove_prefix(length);
    if (text.empty()) break;
    if (text.starts_with("::")) {
      if (shortened) return false;
      shortened = true;
      text.remove_prefix(2);
    } else if (text.starts_with(':')) {
      expects_group = true;
      text.remove_prefix(1);
    } else {
      return false;
    }
  }
  return !expects_group && (shortened ? groups < kGroups : groups == kGroups);
}

bool is_url(std::string_view text) {
  const std::size_t colon = text.find("://");
  if (colon == std::string_view::npos) return false;
  const std::string_view scheme = text.substr(0, colon);
  if (!base::equal_ignoring_case(scheme, "http") && !base::equal_ignoring_case(scheme, "https"))
    return false;
  text.remove_prefix(colon + 3);

  if (const std::size_t hash = text.find('#'); hash != std::string_view::npos) {
    if (!is_url_text(text.substr(hash + 1), ":@/?")) return false;
    text = text.substr(0, hash);
  }
  const std::size_t authority_end = std::min(text.find_first_of("/?"), text.size());
  return is_url_authority(text.substr(0, authority_end)) &&
         is_url_text(text.substr(authority_end), ":@/?");
}

bool is_email(std::string_view text) {
  constexpr std::size_t kMaxMailboxLength = 254;
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos || text.size() > kMaxMailboxLength) return false;
  const std::string_view domain = text.substr(at + 1);
  return domain.find('.') != std::string_view::npos && is_hostname(domain) &&
         is_mail_local_part(text.substr(0, at));
}

}  // namespace fw::schema
