// Options of the emitted document.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "cli/arguments.hpp"
#include "emit/openapi.hpp"

namespace fairway::cli {

inline constexpr std::array<std::string_view, 2> kOpenApiChoices = {"3.1", "3.0"};

inline constexpr std::array<Option, 11> kDocumentOptions = {{
    {"--openapi", "VERSION", "3.1 (default) or 3.0, which is written as 3.0.3", kOpenApiChoices},
    {"--app-config", "FILE",
     "the application's configuration, for example config/default.json; flags win over it"},
    {"--title", "TEXT", "title of the API"},
    {"--default-title", "TEXT", "the title when nothing else gives one; default: API"},
    {"--api-version", "TEXT", "version of the API"},
    {"--default-api-version", "TEXT", "the version when nothing else gives one; default: 0.0.0"},
    {"--description", "TEXT", "description of the API, in Markdown"},
    {"--license", "NAME", "name of the API's license"},
    {"--server", "URL", "where the API is served; may be repeated; default: /"},
    {"--guard-security", "NAME=SCHEME",
     "a middleware that stands for a security scheme; may be repeated"},
    {"--no-envelope", "", "answers are sent without the envelope, as with response.wrap false"},
}};

/// The options of a command line, and of the configuration that it names. Throws UsageError.
emit::OpenApiOptions document_options(const Arguments& arguments);

/// The document as the text of a file: YAML when its name ends in .yaml or .yml, else JSON.
std::string document_text(const model::Json& document, const std::filesystem::path& file);

}  // namespace fairway::cli
