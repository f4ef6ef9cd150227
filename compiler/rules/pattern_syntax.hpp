// The syntax of regular expressions in JSON Schemas.
#pragma once

#include <string>
#include <string_view>

namespace fairway::rules {

/// What is wrong with a regular expression of ECMAScript ("a ')' is missing"); empty if it is
/// valid. Unescaped braces and brackets that have no meaning are allowed, as in browsers.
std::string pattern_error(std::string_view pattern);

}  // namespace fairway::rules
