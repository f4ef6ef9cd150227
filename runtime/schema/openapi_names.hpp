// Names in OpenAPI documents that their writers and readers share.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace fw::schema {

/// The beginning of references to component schemas.
inline constexpr std::string_view kSchemaReferences = "#/components/schemas/";

/// The members of a path item that are operations. `query` is new in OpenAPI 3.2.
inline constexpr std::array<std::string_view, 9> kOperationMembers = {
    "get", "post", "put", "patch", "delete", "options", "head", "trace", "query"};

inline bool is_operation_member(std::string_view name) {
  return std::ranges::find(kOperationMembers, name) != kOperationMembers.end();
}

/// Fairway's own extensions, which have their names without this prefix.
namespace extensions {

/// All begin with it, and no others may.
inline constexpr std::string_view kPrefix = "x-fw-";

/// Of a document: the routes that it lacks, as method and path.
inline constexpr std::string_view kUndocumented = "x-fw-undocumented";

/// Of a parameter of a path: it is the rest of the path, with its slashes.
inline constexpr std::string_view kWildcard = "x-fw-wildcard";

/// Of an operation in documents of 3.0, which have no scheme for it: it needs a certificate of the
/// client.
inline constexpr std::string_view kClientCertificate = "x-fw-client-certificate";

/// Of an operation: who sees it in the documentation.
inline constexpr std::string_view kDocsAccess = "x-fw-docs-access";

/// Of an operation in the documentation: whether its page sends requests.
inline constexpr std::string_view kDocsTryItOut = "x-fw-docs-try-it-out";

/// Of an operation that is a socket: the subprotocols in `protocols`, and in `receive` and `send`,
/// in the directions of the server, the schemas of messages without their `type`, by name.
inline constexpr std::string_view kSocket = "x-fw-socket";

/// Of a media type, before 3.2: an object with the schema of the data of each event, by its name.
inline constexpr std::string_view kEvents = "x-fw-events";

/// Of a media type, before 3.2: the schema of a line.
inline constexpr std::string_view kLines = "x-fw-lines";

}  // namespace extensions

}  // namespace fw::schema
