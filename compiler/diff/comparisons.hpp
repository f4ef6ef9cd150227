// What is compared of two documents, each in a source file of its own.
#pragma once

#include <span>
#include <string_view>

#include "diff/document.hpp"
#include "diff/recorder.hpp"
#include "diff/schema.hpp"
#include "diff/schema_comparison.hpp"

namespace fairway::diff {

// The whole comparison: Changes changes = compare_documents(read_document("old.json"),
// read_document("new.json"));

/// All changes: those of the whole API, then operation by operation in the order of the new
/// document, removed ones last. Throws BadDocument for documents that cannot be compared, also for
/// one of each kind.
Changes compare_documents(const Document& before, const Document& after);

// compare_servers.cpp: `servers` of a document, a path or an operation.

/// Compares what the two nodes list themselves; nothing when neither does.
void compare_servers(const Documents& documents, const Node& before, const Node& after,
                     const Location& location, Recorder& recorder);

// compare_operations.cpp: Operations: which there are, and what each of them takes and returns.

void compare_operations(const Documents& documents, Changes& changes);

/// Operations that the API calls: clients receive their requests and send their responses.
void compare_webhooks(const Documents& documents, Changes& changes);

// compare_parameters.cpp: Parameters of an operation: path, query, header and cookie.

struct ParameterOwner {
  const std::string& path;
  Node item;  ///< the path item, whose parameters all its operations share
  Node operation;
};

void compare_parameters(const Documents& documents, const ParameterOwner& before,
                        const ParameterOwner& after, Recorder& recorder);

// compare_bodies.cpp: Bodies of requests and responses, and the headers of responses.

/// `requestBody` of two operations. `direction` says who sends it; `label` begins the locations.
void compare_request_bodies(const Documents& documents, const Node& before, const Node& after,
                            Direction direction, const std::string& label, Recorder& recorder);

/// `responses` of two operations.
void compare_responses(const Documents& documents, const Node& before, const Node& after,
                       Direction direction, const std::string& label, Recorder& recorder);

/// `content` of two bodies. Nothing means a body without content.
void compare_contents(const Documents& documents, const Node& before, const Node& after,
                      Direction direction, const Location& location, Recorder& recorder);

// compare_security.cpp: Who may call an operation.

/// Compares the requirements of two operations, or those of their documents where they have none.
void compare_security(const Documents& documents, const Node& before, const Node& after,
                      Recorder& recorder);

/// Compares the schemes that both documents describe under one name.
void compare_security_schemes(const Documents& documents, Recorder& recorder);

// compare_texts.cpp: What people read: nothing of it is on the wire.

/// `deprecated`, title, description and examples of a schema.
void compare_schema_texts(const Schema& before, const Schema& after, const Location& location,
                          Recorder& recorder);

/// One member that is compared as it is: "summary" is reported as "summary-changed".
struct TextMember {
  std::string_view name;
  std::string_view id;
};
void compare_text_members(std::span<const TextMember> members, const Node& before,
                          const Node& after, const Location& location, Recorder& recorder);

/// `description`, `example` and `examples` of whatever has them.
void compare_descriptions(const Node& before, const Node& after, const Location& location,
                          Recorder& recorder);

/// Members that begin with "x-".
void compare_extensions(const Node& before, const Node& after, const Location& location,
                        Recorder& recorder);

}  // namespace fairway::diff
