// Documentation of the responses of a route (docs/openapi.md).
#pragma once

#include <fairway/json_type.hpp>
#include <fairway/responses.hpp>
#include <fairway/text.hpp>

namespace fw {

/// `ResponseConfig.examples`: one named example.
struct ResponseExample {
  Text summary = {};      ///< a short title
  Text description = {};  ///< Markdown allowed
  Json value = {};        ///< the data, without the envelope
};

/// `ResponseConfig.headers`: one documented header.
struct ResponseHeader {
  Text description = {};  ///< Markdown allowed
  Json schema = {};       ///< a JSON Schema; null: a string
};

/// Documentation of one response.
struct ResponseDocs {
  Text description = {};               ///< Markdown allowed; empty: the standard one of the status
  OptionalResponseSchema schema = {};  ///< for a status without one in `responses`
  Text content_type = {};              ///< empty: application/json
  Json example = {};                   ///< the data, without the envelope; replaces `examples`
  NamedList<Text, ResponseExample> examples = {};  ///< by name
  NamedList<Text, ResponseHeader> headers = {};    ///< by name
};

}  // namespace fw
