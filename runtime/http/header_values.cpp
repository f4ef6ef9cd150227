#include "http/header_values.hpp"

#include "base/ascii.hpp"
#include "base/url_encoding.hpp"

namespace fw::http {
namespace {

// RFC 8187 attr-char, without letters and digits.
constexpr std::string_view kAttributeSafe = "!#$&+-.^_`|~";

}  // namespace

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

void add_vary(http::Fields& fields, std::string_view names) {
  const std::size_t index = fields.index_of("vary");
  if (index == fields.size()) return fields.add("vary", names);
  std::string list(fields[index].value);
  base::for_each_token(names, ',', [&](std::string_view name) {
    name = base::trim_ows(name);
    bool is_known = false;
    base::for_each_token(list, ',', [&](std::string_view each) {
      each = base::trim_ows(each);
      is_known = is_known || each == "*" || base::equal_ignoring_case(each, name);
    });
    if (!is_known) list.append(", ").append(name);
  });
  fields.set_value(index, list);
}

}  // namespace fw::http
