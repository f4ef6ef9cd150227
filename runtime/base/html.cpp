#include "base/html.hpp"

#include <array>
#include <cstddef>

#include "base/word_scan.hpp"

namespace fw::base {
namespace {

constexpr auto kHtmlEntities = [] {
  std::array<std::string_view, 256> table{};
  table['&'] = "&amp;";
  table['<'] = "&lt;";
  table['>'] = "&gt;";
  table['"'] = "&quot;";
  table['\''] = "&#39;";
  return table;
}();

}  // namespace

std::string escape_html(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  append_html(result, text);
  return result;
}

void append_html(std::string& out, std::string_view text) {
  const bool has_special = any_byte(text, [](auto word) {
    return mark_equal(word, '&') | mark_equal(word, '<') | mark_equal(word, '>') |
           mark_equal(word, '"') | mark_equal(word, '\'');
  });
  if (!has_special) {
    out += text;
    return;
  }
  std::size_t plain = 0;  // the first byte that is not appended yet
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view entity = kHtmlEntities[static_cast<unsigned char>(text[at])];
    if (entity.empty()) continue;
    out.append(text, plain, at - plain);
    out += entity;
    plain = at + 1;
  }
  out.append(text, plain);
}

}  // namespace fw::base
