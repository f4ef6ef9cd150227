// Names, texts and comments in generated TypeScript.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fairway::emit {

/// A string literal, in ASCII.
std::string typescript_string(std::string_view text);

/// The name of a member: in quotes unless it is an identifier.
std::string typescript_member(std::string_view name);

/// A doc comment of whole lines, one paragraph for each text that is not empty; nothing without any
/// and not deprecated. No text can end the comment or add a tag.
std::string typescript_doc(const std::vector<std::string>& paragraphs, bool deprecated = false);

}  // namespace fairway::emit
