// Schemas made at random, with values that match them.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "contract_test/random_source.hpp"

namespace fairway::testing {

using contract_test::RandomSource;

/// A schema as reference_options takes it, and a value that it accepts.
struct SchemaWithExample {
  nlohmann::ordered_json schema;
  nlohmann::ordered_json example;
};

/// One field whose value is a text in the request: any type but arrays and objects.
SchemaWithExample random_scalar(RandomSource& random);

/// One field of a body: scalars, arrays, nested objects, arrays of objects, field builders.
SchemaWithExample random_field(RandomSource& random, int depth);

/// `count` fields with names of all kinds.
SchemaWithExample random_object(RandomSource& random, std::size_t count, int depth);

/// The schema of a response: fields, a list of them, one type, or a JSON Schema text.
SchemaWithExample random_response(RandomSource& random);

}  // namespace fairway::testing
