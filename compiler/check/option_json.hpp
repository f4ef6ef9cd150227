// Every option that a route writes, as the manifest has it: the reference's names and shapes.
#pragma once

#include "model/application.hpp"
#include "model/value.hpp"

namespace fairway::check {

/// The members of an options record. Named lists are objects, schemas are spelled as in
/// schema/fingerprint.hpp, functions are {"$function": true}.
model::Json option_json(const model::Value& record);

/// One middleware reference: a name, or {"name", "options"}.
model::Json middleware_json(const model::MiddlewareReference& reference);

/// `security`, of `docs` or of `auth`, in OpenAPI's form: the name of a scheme, or a list of maps
/// from scheme name to scopes.
model::Json security_json(const model::Value& value);

/// `middlewares`: names, or pairs of a name and options.
std::vector<model::MiddlewareReference> middleware_references(const model::Value& value);

}  // namespace fairway::check
