// The page that a browser gets for an error while an application is developed (reference: Errors).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fw::detail {

struct ErrorPage {
  int status = 500;
  std::string title;    ///< what happened, in one line
  std::string type;     ///< of the exception; empty for a response without one
  std::string trace;    ///< the exception and its causes, a line each
  std::string stack;    ///< where it was thrown, the innermost call first; empty when unknown
  std::string details;  ///< the error body as it would be sent, as indented JSON
  std::vector<std::pair<std::string, std::string>> facts;  ///< of the request and its route
};

/// A complete HTML document without anything to be fetched. All texts are escaped.
std::string render_error_page(const ErrorPage& page);

/// True when an `Accept` field names text/html.
bool accepts_html(std::string_view accept);

}  // namespace fw::detail
