#include "templates/html_syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <system_error>

#include "base/ascii.hpp"

namespace fw::templates {

bool is_in(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

bool runs_code(std::string_view scheme) {
  return is_in(scheme, {"javascript", "vbscript", "data"});
}

bool is_url_attribute(std::string_view name) {
  return is_in(name, {"href", "src", "action", "formaction", "cite", "background", "poster", "data",
                      "manifest", "longdesc", "usemap", "profile", "icon", "xlink:href", "xml:base",
                      "itemtype", "itemid"});
}

bool loads_code(std::string_view element, std::string_view attribute) {
  if (element == "script") return is_in(attribute, {"src", "href", "xlink:href"});
  if (element == "base") return attribute == "href";
  if (is_in(element, {"object", "applet"})) {
    return is_in(attribute, {"data", "code", "codebase", "archive", "classid"});
  }
  if (element == "embed") return attribute == "src";
  if (is_in(element, {"set", "animate", "animatetransform", "animatemotion"})) {
    return is_in(attribute, {"to", "from", "by", "values", "attributename"});
  }
  return false;
}

bool loads_code(std::string_view link_type) {
  return is_in(link_type, {"stylesheet", "import", "manifest", "modulepreload", "serviceworker"});
}

bool continues_reference(std::string_view begin, char c) {
  if (begin == "&") return base::is_letter(c) || c == '#';
  if (!begin.starts_with("&#")) return base::is_letter(c) || base::is_digit(c);
  if (begin == "&#") return base::is_digit(c) || c == 'x' || c == 'X';
  return base::to_lower(begin[2]) == 'x' ? base::is_hex_digit(c) : base::is_digit(c);
}

char decode_reference(std::string_view reference) {
  constexpr char kOther = '&';
  if (!reference.starts_with("&#")) {
    struct Named {
      std::string_view name;
      char character;
    };
    constexpr Named kNamed[] = {{"&Tab", '\t'},  {"&NewLine", '\n'}, {"&colon", ':'}, {"&sol", '/'},
                                {"&quest", '?'}, {"&num", '#'},      {"&comma", ','}};
    const auto* const found = std::ranges::find(kNamed, reference, &Named::name);
    return found == std::end(kNamed) ? kOther : found->character;
  }
  reference.remove_prefix(2);
  const bool is_hexadecimal = reference.starts_with('x') || reference.starts_with('X');
  if (is_hexadecimal) reference.remove_prefix(1);
  unsigned code = 0;
  const auto [end, error] = std::from_chars(reference.data(), reference.data() + reference.size(),
                                            code, is_hexadecimal ? 16 : 10);
  return error == std::errc() && code < 0x80 ? static_cast<char>(code) : kOther;
}

std::size_t find_end(std::string_view text, std::string_view element, bool& is_split) {
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    const std::string_view rest = text.substr(at);
    const std::string end = fmt::format("</{}", element);
    const std::size_t size = std::min(rest.size(), end.size());
    if (!base::equal_ignoring_case(rest.substr(0, size), std::string_view(end).substr(0, size))) {
      continue;
    }
    if (rest.size() > end.size() && !ends_name(rest[end.size()])) continue;
    is_split = rest.size() <= end.size();
    return at;
  }
  return std::string_view::npos;
}

}  // namespace fw::templates
