// The schema of a C++ type in responses.
#pragma once

#include "model/application.hpp"

namespace fairway::model {

/// Whether a type allows any JSON: `fw::Json`, or a type that is not known.
inline bool is_any(const TypeUse& type) {
  if (type.name.empty()) return true;
  Json schema = Json::parse(type.schema);
  schema.erase("$defs");
  return schema.empty();
}

/// The schema of the type in requests, as documents have it.
Json type_in_requests(Json schema);

/// Like the schema of the type in requests, but members that are always written, such as those with
/// a default, are required. Several types are an `anyOf`. Throws std::invalid_argument for other
/// schemas than C++ types have.
TypeSchema type_in_responses(Json schema);

}  // namespace fairway::model
