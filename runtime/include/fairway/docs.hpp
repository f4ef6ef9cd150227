// Documentation metadata of a route (docs/openapi.md).
#pragma once

#include <fairway/json_type.hpp>
#include <fairway/response_docs.hpp>
#include <fairway/responses.hpp>
#include <fairway/security_requirements.hpp>
#include <fairway/text.hpp>

namespace fw {

/// Documentation of a route. It does not affect how requests are handled.
struct Docs {
  Text summary = {};        ///< a short title
  Text description = {};    ///< Markdown allowed
  TextList tags = {};       ///< inferred from the route file's path when empty
  Text operation_id = {};   ///< inferred from method and path when empty; unique in the application
  bool hidden = false;      ///< leaves the route out of the document
  bool deprecated = false;  ///< clients should not use the route any more
  /// Replaces the inferred requirement.
  SecurityRequirements security = SecurityRequirements::inferred();
  Json extensions = {};  ///< object of custom `x-*` members
  /// Descriptions, examples and headers by status.
  NamedList<Selector, ResponseDocs> responses = {};
  Json access = {};  ///< a label, or an object with roles, permissions, group, visible, tryItOut
  Json request_body = {};  ///< a manual OpenAPI request body
};

}  // namespace fw
