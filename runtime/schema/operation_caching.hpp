// The header fields and the 304 that the response cache and entity tags add to an operation in the
// OpenAPI document. The compiler infers them from the source of the route, and the runtime from the
// registered route, because the configuration may change them.
#pragma once

#include <nlohmann/json.hpp>

namespace fw::schema {

/// The declarations of a route and its configuration that matter for caching.
struct CachingDeclaration {
  bool is_cached = false;              ///< `cache` of the route, unless it is off
  bool sends_cache_control = false;    ///< `cache.cacheControl`
  bool has_entity_tags = false;        ///< `etag` of the configuration
  bool declares_not_modified = false;  ///< the route documents its 304 itself
};

/// Describes them in the `responses` of a GET operation whose 200 is JSON, and removes what was
/// described for another declaration. Without a 200, the 2XX is described. There is a 304 if the
/// 200 has a validator: an entity tag of the configuration, or, if it is cached, an ETag or
/// Last-Modified that the route documents.
void describe_caching(nlohmann::ordered_json& responses, const CachingDeclaration& declaration);

}  // namespace fw::schema
