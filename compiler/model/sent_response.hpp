// What the source of a handler shows of its responses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/cpp_type.hpp"

namespace fairway::model {

/// The name of the class whose responses have a list of fields.
inline constexpr std::string_view kValidationError = "::fw::ValidationError";

/// A call that leads from a handler to a function that sends a response: `send_user(res, user)`.
struct HelperCall {
  std::string function;  ///< "send_user"; empty: it has no name
  Range range;
};

/// A response that a handler sends, or an error that it throws: `res.text("a", 201)`,
/// `app.raise(404, "gone")`.
struct SentResponse {
  /// The method of the response: "json", "raw_json", "text", "stream", "download", "redirect",
  /// "render", "events", "lines" or "end"; or "raise".
  std::string function = {};
  /// The statuses that it may have, as far as they are constant; empty: unknown, and of "redirect"
  /// one of a redirection.
  std::vector<int> statuses = {};
  std::string media_type = {};  ///< empty: application/json, or no body; "*/*": unknown
  TypeUse type = {};            ///< of the data of `json` or `render`; without a name: unknown; of
                                ///< "raise": kValidationError, or without a name
  Range range = {};             ///< this data; of other bodies: the (first) call
  /// The calls by which the handler reaches it, the innermost first; empty: it is in the handler.
  std::vector<HelperCall> calls = {};
  // Of "raise". Without a status, the error is one of the locale files: `app.raise("user.gone")`.
  std::string code = {};     ///< in JSON: "\"NAME_TAKEN\"", "40401"; empty: none, or unknown
  std::string message = {};  ///< a message or a key of the locale files; empty: neither can decide
                             ///< the code
  bool is_error = false;     ///< without statuses: whether it has one of an error, 400 to 599
};

}  // namespace fairway::model
