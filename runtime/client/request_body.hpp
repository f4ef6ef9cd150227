// Encodes a FetchBody.
#pragma once

#include <fairway/fetch_body.hpp>

#include <memory>
#include <optional>
#include <string>

namespace fw::detail {

struct RequestBody {
  std::shared_ptr<const std::string> bytes;  ///< null if there is no body, or a source
  std::optional<Readable> source;
  std::string content_type;  ///< used unless the caller sets one

  bool is_empty() const { return !bytes && !source; }
};

/// Whether a body cannot have the media type of another one: JSON and forms.
bool has_own_type(const FetchBody& body);

/// Throws OptionError for a form that cannot be encoded.
RequestBody encode_body(FetchBody body);

}  // namespace fw::detail
