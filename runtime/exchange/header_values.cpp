#include "exchange/header_values.hpp"

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/url_encoding.hpp"
#include "schema/fingerprint.hpp"

namespace fw::detail {
namespace {

// RFC 8187 attr-char, without letters and digits.
constexpr std::string_view kAttributeSafe = "!#$&+-.^_`|~";

/// Whether the parameters of a list member exclude it: "q=0", "q=0.00".
bool is_unacceptable(std::string_view parameters) {
  bool unacceptable = false;
  base::for_each_token(parameters, ';', [&](std::string_view parameter) {
    parameter = base::trim_ows(parameter);
    if (parameter.size() < 3 || !base::equal_ignoring_case(parameter.substr(0, 2), "q=")) return;
    unacceptable = parameter.substr(2).find_first_not_of("0.") == std::string_view::npos;
  });
  return unacceptable;
}

}  // namespace

std::string_view media_type(std::string_view content_type) {
  return base::trim_ows(content_type.substr(0, content_type.find(';')));
}

bool is_json(std::string_view media_type) {
  constexpr std::string_view kSuffix = "+json";
  return base::equal_ignoring_case(media_type, "application/json") ||
         (media_type.size() > kSuffix.size() &&
          base::equal_ignoring_case(media_type.substr(media_type.size() - kSuffix.size()),
                                    kSuffix));
}

std::string make_entity_tag(std::string_view bytes) {
  return fmt::format("\"{:016x}\"", schema::fingerprint(bytes));
}

bool names_entity_tag(std::string_view if_none_match, std::string_view tag) {
  bool found = false;
  base::for_each_token(if_none_match, ',', [&](std::string_view item) {
    item = base::trim_ows(item);
    if (item.starts_with("W/")) item.remove_prefix(2);  // weak comparison
    found = found || item == tag || item == "*";
  });
  return found;
}

bool names_strong_entity_tag(std::string_view if_match, std::string_view tag) {
  bool found = false;
  base::for_each_token(if_match, ',', [&](std::string_view item) {
    item = base::trim_ows(item);
    found = found || item == tag || item == "*";
  });
  return found;
}

bool takes_coding(std::optional<std::string_view> accept_encoding, std::string_view coding) {
  if (!accept_encoding) return false;
  std::optional<bool> named;
  bool any = false;
  base::for_each_token(*accept_encoding, ',', [&](std::string_view item) {
    const auto end = item.find(';');
    const std::string_view name = base::trim_ows(item.substr(0, end));
    const bool unacceptable =
        end != std::string_view::npos && is_unacceptable(item.substr(end + 1));
    if (base::equal_ignoring_case(name, coding)) named = !unacceptable;
    if (name == "*") any = !unacceptable;
  });
  return named.value_or(any);
}

std::string attachment(std::string_view filename) {
  filename.remove_prefix(filename.find_last_of("/\\") + 1);
  std::string fallback;
  bool plain = true;
  for (const char c : filename) {
    const bool ascii = !base::is_control(c) && static_cast<unsigned char>(c) < 0x80;
    // Some clients do not unescape quotation marks, and some decode percent signs.
    if (!ascii || c == '"' || c == '%') {
      plain = false;
      const bool continuation = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
      if (!continuation) fallback += ascii && c == '"' ? '\'' : '_';
    } else {
      fallback += c;
    }
  }
  std::string text = "attachment";
  if (filename.empty()) return text;
  text += "; filename=\"" + fallback + "\"";
  if (!plain) text += "; filename*=UTF-8''" + base::percent_encode(filename, kAttributeSafe);
  return text;
}

}  // namespace fw::detail
