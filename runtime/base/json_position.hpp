// Lines and columns of JSON texts, for messages about files that people write.
#pragma once

#include <fairway/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fw::base {

/// Both count from 1; a column is a byte of the line.
struct TextPosition {
  std::size_t line = 1;
  std::size_t column = 1;
};

/// The position of a byte; of the end of the text if there are fewer.
TextPosition position_at(std::string_view text, std::size_t offset);

/// The offset to which a JSON pointer leads in a text that is valid JSON: the offset of the name of
/// a member, or of the value of an item. None if there is nothing.
std::optional<std::size_t> offset_of(std::string_view json, std::string_view pointer);

/// The position of `offset_of`.
std::optional<TextPosition> position_of(std::string_view json, std::string_view pointer);

/// A member of an object that has an earlier one with the same name.
struct DuplicateName {
  std::string pointer;
  TextPosition position;  ///< of the name
  TextPosition first;     ///< of the name of the earlier member
};

/// In a text that is valid JSON, in the order of their positions.
std::vector<DuplicateName> duplicate_names(std::string_view json);

/// The steps to the value at an offset of a text that is valid JSON, or to the one before it:
/// "items/0/id"; empty for the text itself.
std::string path_at(std::string_view json, std::size_t offset);

struct SyntaxError {
  std::optional<TextPosition> position;  ///< none of a number that is too large
  std::string message;                   ///< "a ',' is missing"
};

/// What is wrong with a text that `Json::parse` has rejected.
SyntaxError syntax_error(std::string_view text, const Json::exception& error);

}  // namespace fw::base
