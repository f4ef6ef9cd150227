// Writes documents as JSON or YAML.
#pragma once

#include <filesystem>
#include <string>

#include "model/application.hpp"

namespace fairway::emit {

enum class DocumentFormat { json, yaml };

/// YAML for names that end in .yaml or .yml, otherwise JSON.
DocumentFormat format_of(const std::filesystem::path& file);

/// The content of a file.
std::string document_text(const model::Json& document, DocumentFormat format);

/// Block style with an indentation of two spaces and members in the order of `value`. A string is
/// written without quotes only if every parser of YAML 1.1 or 1.2 is known to read it as the same
/// string. A string of several lines is a literal block if it is printable ASCII and such a block
/// preserves its white space. Ends with a line end. Deterministic.
std::string to_yaml(const model::Json& value);

}  // namespace fairway::emit
