// Percent-encoding of paths, and the form encoding of queries and bodies (WHATWG URL).
#pragma once

#include <fairway/fields.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace fw::base {

/// Decodes path text; empty if a percent sequence is malformed or the result is not UTF-8.
std::optional<std::string> decode_path(std::string_view text);

/// Decodes form text: plus is a space, malformed percent sequences are kept, bytes that are not
/// UTF-8 become U+FFFD.
std::string decode_form(std::string_view text);

/// Encodes a name or a value of a form; a space becomes a plus.
std::string encode_form(std::string_view text);

/// Calls `visit(name, value)`, both decoded, for each pair of `text`, in order; empty pairs are
/// skipped.
template <class Visit>
void for_each_form_pair(std::string_view text, Visit visit);

/// Parses a query; the first of repeated keys wins.
TextMap parse_query(std::string_view query);

/// Percent-encodes all bytes except letters, digits and those in `safe`.
std::string percent_encode(std::string_view text, std::string_view safe);

template <class Visit>
void for_each_form_pair(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(pair.size() < text.size() ? pair.size() + 1 : text.size());
    if (pair.empty()) continue;
    const auto equals = pair.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    visit(decode_form(pair.substr(0, equals)), decode_form(value));
  }
}

}  // namespace fw::base
