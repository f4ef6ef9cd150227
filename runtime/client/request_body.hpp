// What a FetchBody is on the wire.
#pragma once

#include <fairway/fetch.hpp>

#include <memory>
#include <optional>
#include <string>

namespace fw::detail {

struct RequestBody {
  std::shared_ptr<const std::string> bytes;  ///< null: none, or a source
  std::optional<Readable> source;
  std::string content_type;  ///< where the caller says none

  bool is_empty() const { return !bytes && !source; }
};

/// Throws OptionError for a form that cannot be encoded.
RequestBody encode_body(FetchBody body);

}  // namespace fw::detail
