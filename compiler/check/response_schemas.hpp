// Schemas of answers: `responses`, and `schema` in `docs.responses`.
#pragma once

#include <vector>

#include "check/reporter.hpp"
#include "model/application.hpp"

namespace fairway::check {

struct DeclaredResponseSchema {
  model::Schema schema;
  model::Json contract;  ///< as schema/fingerprint.hpp spells it
};

/// Fields, an array, a text of the schema language, or a JSON Schema text.
DeclaredResponseSchema declared_response_schema(const model::Value& value, Reporter& reporter);

struct DeclaredResponses {
  std::vector<model::ResponseSchema> schemas;  ///< in declaration order
  model::Json contract = model::Json::object();
};

/// The member `responses`.
DeclaredResponses declared_responses(const model::Value& responses, Reporter& reporter);

}  // namespace fairway::check
