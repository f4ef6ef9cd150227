// The error page for browsers in development (docs/errors.md).
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fw::detail {

struct ErrorPage {
  int status = 500;
  std::string title;    ///< the error in one line
  std::string type;     ///< type of the exception; empty if there is none
  std::string trace;    ///< the exception and its causes, one per line
  std::string stack;    ///< the call stack of the throw, innermost call first; empty if unknown
  std::string details;  ///< the error body as indented JSON
  std::vector<std::pair<std::string, std::string>>
      facts;  ///< properties of the request and its route
};

/// A complete HTML document without external resources. All texts are escaped.
std::string render_error_page(const ErrorPage& page);

}  // namespace fw::detail
