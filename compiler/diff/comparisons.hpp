// The parts of a comparison of two documents, each in its own source file.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "diff/document.hpp"
#include "diff/recorder.hpp"
#include "diff/schema.hpp"
#include "diff/schema_comparison.hpp"

namespace fairway::diff {

// compare_documents.cpp: the whole comparison:
//
//   Changes changes = compare_documents(read_document("old.json"), read_document("new.json"));

/// All changes: changes of the whole API, then of each operation in the order of the new
/// document, removed operations last. Of lists of metrics: by name of the metric, then by path of
/// the route. Throws BadDocument if the documents cannot be compared, for example a manifest and an
/// OpenAPI document.
Changes compare_documents(const Document& before, const Document& after);

// compare_servers.cpp: `servers` of a document, a path or an operation.

/// Compares the `servers` of the two nodes. Does nothing if both have none.
void compare_servers(const Documents& documents, const Node& before, const Node& after,
                     const Location& location, Recorder& recorder);

// compare_operations.cpp: Added and removed operations, and the parts of each common operation.

void compare_operations(const Documents& documents, Changes& changes);

/// `operationId`; empty if there is none.
std::string operation_id(const Node& operation);

/// `operationId` and `tags` of an operation, or of a route in a list of metrics.
void compare_operation_ids(const Node& before, const Node& after, Recorder& recorder);
void compare_operation_tags(const Node& before, const Node& after, Recorder& recorder);

/// Webhooks. The API calls these operations: clients receive the requests and send the responses.
void compare_webhooks(const Documents& documents, Changes& changes);

// compare_parameters.cpp: Parameters of an operation: path, query, header and cookie.

struct ParameterOwner {
  const std::string& path;
  Node item;  ///< the path item, which has the parameters that all its operations share
  Node operation;
};

void compare_parameters(const Documents& documents, const ParameterOwner& before,
                        const ParameterOwner& after, Recorder& recorder);

// compare_bodies.cpp: Bodies of requests and responses, and the headers of responses.

/// `requestBody` of two operations. `direction` is the direction of the body; `label` begins the
/// locations of changes.
void compare_request_bodies(const Documents& documents, const Node& before, const Node& after,
                            Direction direction, const std::string& label, Recorder& recorder);

/// `responses` of two operations.
void compare_responses(const Documents& documents, const Node& before, const Node& after,
                       Direction direction, const std::string& label, Recorder& recorder);

/// `content` of two bodies. An empty node is a body without content.
void compare_contents(const Documents& documents, const Node& before, const Node& after,
                      Direction direction, const Location& location, Recorder& recorder);

// compare_sockets.cpp: The messages of sockets.

/// The socket of two operations, if they have one.
void compare_sockets(const Documents& documents, const Node& before, const Node& after,
                     Recorder& recorder);

// compare_metric_lists.cpp: Lists of metrics, which have no operations, but series.

/// Throws BadDocument for an invalid list.
void compare_metric_lists(const Documents& documents, Changes& changes);

// compare_security.cpp: The security requirements of operations.

/// Compares the requirements of two operations, or, if they have none, the requirements of their
/// documents.
void compare_security(const Documents& documents, const Node& before, const Node& after,
                      Recorder& recorder);

/// Compares the schemes that both documents describe under one name.
void compare_security_schemes(const Documents& documents, Recorder& recorder);

// compare_texts.cpp: Documentation, which does not affect requests and responses.

/// `deprecated`, title, description and examples of a schema.
void compare_schema_texts(const Schema& before, const Schema& after, const Location& location,
                          Recorder& recorder);

/// A member that is compared by value, and the id of its change: "summary", "summary-changed".
struct TextMember {
  std::string_view name;
  std::string_view id;
};
void compare_text_members(std::span<const TextMember> members, const Node& before,
                          const Node& after, const Location& location, Recorder& recorder);

/// `description`, `example` and `examples` of any object.
void compare_descriptions(const Node& before, const Node& after, const Location& location,
                          Recorder& recorder);

/// Members that begin with "x-", except for the messages of sockets.
void compare_extensions(const Node& before, const Node& after, const Location& location,
                        Recorder& recorder);

}  // namespace fairway::diff
