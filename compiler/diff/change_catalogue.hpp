// The list of all changes. `fairway diff --list-changes`, `--explain`, docs/contract-changes.md and
// a test of each row use it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diff/change.hpp"
#include "diff/document.hpp"

namespace fairway::diff {

/// The part of a document that the example of a row patches.
enum class ExampleSlot {
  document,         ///< a patch of the whole document
  operation,        ///< a patch of an operation
  parameter,        ///< an operation's only parameter
  request_schema,   ///< a member of a request body
  response_schema,  ///< a member of a response
  metrics,          ///< metrics of a list of metrics, beside two others
  metric,           ///< a patch of the metric of requests
  routes,           ///< routes of a list of metrics, beside another one
  route,            ///< a patch of that route
};

/// One row. Ids are never renamed.
struct ChangeKind {
  std::string id;
  Level level = Level::breaking;
  std::string rule;         ///< one line, lower case, no final period
  std::string explanation;  ///< why it has this level; sentences
  ExampleSlot node = ExampleSlot::document;
  std::string_view before;  ///< JSON
  std::string_view after;
};

/// Operations and parameters first, then bodies, responses, schemas, documentation, and metrics.
std::span<const ChangeKind> catalogue();

/// The row of an id, or null.
const ChangeKind* find_change(std::string_view id);

/// A whole document with the row's example in it. Its name is "before" or "after".
Document example_document(const ChangeKind& kind, Side side);

// The parts of the catalogue.

std::vector<ChangeKind> operation_changes();  ///< operations, parameters, bodies, responses
std::vector<ChangeKind> schema_changes();     ///< each for requests and for responses
std::vector<ChangeKind>
documentation_changes();                   ///< changes that do not affect requests and responses
std::vector<ChangeKind> metric_changes();  ///< of lists of metrics

}  // namespace fairway::diff
