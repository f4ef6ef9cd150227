// Hashes of the declaration of a route. The compiler writes the hashes of its options to the route
// table, and the runtime computes them from the registered route. A difference means that the table
// is out of date, or that the two were compiled with different macros or headers.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fw::schema {

/// FNV-1a (64 bits) over bytes.
std::uint64_t fingerprint(std::string_view text);

/// FNV-1a (64 bits) over the compact JSON of `declaration`, the effective declaration of a route:
/// the object
///
///     {"method", "path" (the subpath as registered),
///      "validate": {"<location>": fields, …}, "auth", "cache", "middlewares",
///      "responses": {"<selector>": schema, …}, "docs": {"operationId"}, …}
///
/// with every option that the route declares and that does more than document, in the JSON
/// names and in the order of RouteOptions. Members that have their default value are left out, and
/// what has several spellings has one: `.auth = true` is {}, `.cache = 30s` is {"ttl": 30000}, a
/// size is a string. A function is {"$function": true}. Objects of type Json have sorted members,
/// and named lists the members of the declaration. `fields` is an object whose values are a DSL
/// string as written,
/// `{"$field": string, "description": string}` for a field builder, an object of fields, `[fields]`
/// for `array_of`, or `{"$optional": …}` around one of the two for `optional`. A response schema is
/// such a value, or `{"$jsonSchema": string}`.
///
/// The compiler builds it in model/route_declaration.cpp.
std::uint64_t declaration_fingerprint(const nlohmann::ordered_json& declaration);

/// A hash of each option of a declaration: "validate=0a1b2c3d docs=4e5f6071". A declaration is such
/// an object with all options, also those that only document. The compiler builds it in
/// model/route_declaration.cpp, the runtime in app/declaration_json.cpp.
std::string option_digests(const nlohmann::ordered_json& declaration);
/// The names of the options whose digests differ, in alphabetical order.
std::vector<std::string> differing_options(std::string_view digests, std::string_view others);

}  // namespace fw::schema
