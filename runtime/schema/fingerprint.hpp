// A hash of the declaration of a route. The compiler writes it to the route table, and the runtime
// computes it from the registered route. A difference means that the table is out of date.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string_view>

namespace fw::schema {

/// FNV-1a (64 bits) over bytes.
std::uint64_t fingerprint(std::string_view text);

/// FNV-1a (64 bits) over the compact JSON of `contract`. The contract of a route is the object
///
///     {"method", "path" (the subpath as registered),
///      "validate": {"<location>": fields, …}, "auth", "cache", "middlewares",
///      "responses": {"<selector>": schema, …}, "docs": {"operationId"}, …}
///
/// with every option that the route declares and that does more than document, in the JSON
/// names and in the order of RouteOptions. Members that have their default value are left out, and
/// what has several spellings has one: `.auth = true` is {}, `.cache = 30s` is {"ttl": 30000}, a
/// size is a string. A function is {"$function": true}. Objects of type Json have sorted members,
/// and named lists those of the declaration. `fields` is an object whose values are a DSL string as
/// written,
/// `{"$field": string, "description": string}` for a field builder, an object of fields, `[fields]`
/// for `array_of`, or `{"$optional": …}` around one of the two for `optional`. A response schema is
/// such a value, or `{"$jsonSchema": string}`.
///
/// The compiler builds it in model/option_members.cpp, the runtime in app/contract.cpp.
std::uint64_t contract_fingerprint(const nlohmann::ordered_json& contract);

}  // namespace fw::schema
