// The part of a route's declaration that generated code depends on, as one number: the compiler
// writes it into the route table, the runtime computes it from what the factory registered, and a
// difference means that the table is older than the routes.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string_view>

namespace fw::schema {

/// FNV-1a (64 bits) over bytes.
std::uint64_t fingerprint(std::string_view text);

/// FNV-1a (64 bits) over the compact text of `contract`. The contract of a route is the object
///
///     {"method", "path" (the subpath as registered),
///      "validate": {"<location>": fields, …},     only declared locations, in the order param,
///      query,
///                                                 header, cookie, body
///      "responses": {"<selector>": schema, …},    in declaration order
///      "middlewares": ["name" | {"name", "options"}, …],
///      "operationId": "…"}                        only when written
///
/// without the members that are empty. `fields` is an object in declaration order whose values are
/// a DSL text as written, `{"$field": text, "description": text}` for a field builder, an object of
/// fields, `[fields]` for `array_of`, or `{"$optional": …}` around one of the two for `optional`. A
/// response schema is such a value, or `{"$jsonSchema": text}`.
std::uint64_t contract_fingerprint(const nlohmann::ordered_json& contract);

}  // namespace fw::schema
