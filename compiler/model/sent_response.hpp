// What the source of a handler shows of its responses.
#pragma once

#include <string>
#include <vector>

#include "model/cpp_type.hpp"

namespace fairway::model {

/// A response that a handler sends, or an error that it throws: `res.text("a", 201)`,
/// `app.raise(404, "gone")`.
struct SentResponse {
  /// Of the response: "json", "raw_json", "text", "stream", "download", "redirect", "render" or
  /// "end"; or "raise".
  std::string function = {};
  /// Those that it may have, as far as they are constant; empty: unknown.
  std::vector<int> statuses = {};
  std::string media_type = {};  ///< of a body that is not JSON; "*/*": unknown
  TypeUse type = {};            ///< of the data of `json`; without a name: unknown
  Range range = {};             ///< the data of `json`
};

}  // namespace fairway::model
