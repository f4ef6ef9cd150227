// Options of the emitted document.
#pragma once

#include <array>

#include "cli/arguments.hpp"
#include "emit/openapi.hpp"

namespace fairway::cli {

inline constexpr std::array<Option, 2> kDocumentOptions = {{
    {"--title", "TEXT", "title of the API; default: API"},
    {"--api-version", "TEXT", "version of the API; default: 0.0.0"},
}};

inline emit::OpenApiOptions document_options(const Arguments& arguments) {
  return {.title = arguments.get("--title", "API"),
          .version = arguments.get("--api-version", "0.0.0")};
}

}  // namespace fairway::cli
