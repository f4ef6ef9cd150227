// What is being typed, from the text alone: it need not compile.
#pragma once

#include <cstddef>
#include <string>

namespace fairway::lsp {

struct CompletionContext {
  enum class Kind { none, schema_type, middleware, path_parameter, page };

  Kind kind = Kind::none;
  std::size_t begin = 0;  ///< of the word to complete
  std::size_t end = 0;
  std::string subpath;  ///< path_parameter: the path of the registration
};

/// The context of an offset in a source file.
CompletionContext completion_context(const std::string& text, std::size_t offset);

}  // namespace fairway::lsp
