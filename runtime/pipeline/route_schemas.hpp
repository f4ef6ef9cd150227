// Compiles declared schemas to the nodes that validate.
#pragma once

#include <fairway/responses.hpp>
#include <fairway/schema.hpp>

#include <optional>
#include <string>
#include <vector>

#include "exchange/input_schema.hpp"
#include "exchange/response_schemas.hpp"
#include "features/sockets/socket_policy.hpp"
#include "schema/node.hpp"

namespace fw::detail {

/// The schemas of `validate`. Appends a message for each invalid one.
std::vector<InputSchema> compile_inputs(const Validate& validate, std::vector<std::string>& errors);

/// The object node for fields, or the node of a C++ type. Appends a message for each invalid
/// schema.
schema::Node compile_fields(const SchemaMap& fields, std::vector<std::string>& errors);

/// The node of one field.
schema::Node compile_field(const SchemaField& field, std::vector<std::string>& errors);

/// The schemas of `responses`, and of the stream that the handler returns, if it does. Appends a
/// message for each invalid one. `types` may be null.
ResponseSchemas compile_responses(const Responses& responses,
                                  const std::optional<StreamSchema>& result,
                                  const RouteTypes* types, std::vector<std::string>& errors);

/// The messages of a socket. Appends a message for each invalid one. `types` may be null.
DeclaredMessages compile_messages(const RouteOptions& options, const RouteTypes* types,
                                  std::vector<std::string>& errors);

/// A schema as it is applied to data. Appends a message if it is invalid, and returns nothing.
std::optional<schema::OutputSchema> compile_output(const ResponseSchema& schema,
                                                   std::vector<std::string>& errors);

}  // namespace fw::detail
