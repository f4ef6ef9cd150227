// What HTML says about characters, names and character references, and which of them run code.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>

#include "base/ascii.hpp"

namespace fw::templates {

bool is_in(std::string_view name, std::initializer_list<std::string_view> names);

/// Without the vertical tab, which is a part of names and values in HTML.
inline bool is_html_space(char c) { return base::is_whitespace(c) && c != '\v'; }

inline bool ends_name(char c) { return is_html_space(c) || c == '/' || c == '>'; }

/// Whether a URL with this scheme runs code in the page that it is in.
bool runs_code(std::string_view scheme);

bool is_url_attribute(std::string_view name);

/// Attributes whose URL brings code into the page, or changes what other URLs mean.
bool loads_code(std::string_view element, std::string_view attribute);

/// The types of links whose URL brings style sheets or code into the page, or changes what it is.
bool loads_code(std::string_view link_type);

/// Whether a character belongs to the reference that has begun with this text.
bool continues_reference(std::string_view begin, char c);

/// The character of a numeric reference (HTML, 13.2.5.80), or of a named one that matters in a URL;
/// '&' for all others, which cannot be a part of a scheme that runs code.
char decode_reference(std::string_view reference);

/// The position of the `</name` that ends the element, or of a beginning of it that the next text
/// may complete; npos if there is neither.
std::size_t find_end(std::string_view text, std::string_view element, bool& is_split);

}  // namespace fw::templates
