// Short ways to a comparison.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diff/change_catalogue.hpp"
#include "diff/comparisons.hpp"
#include "diff/document.hpp"

namespace fairway::testing {

/// The changes between two documents.
diff::Changes compared(const diff::Json& before, const diff::Json& after);

/// Parses a document, or converts a manifest.
diff::Document parse_document(const std::string& name, const std::string& text);

/// Two examples in the node of a row's own.
diff::Changes compared(const diff::ChangeKind& kind, std::string_view before,
                       std::string_view after);

/// Two schemas of a member "item", in a request body or in a response. Component schemas "A" and
/// "B" may be referred to: A is a string, B an object that contains itself.
std::vector<std::string> request_ids(std::string_view before, std::string_view after);
std::vector<std::string> response_ids(std::string_view before, std::string_view after);

std::vector<std::string> ids(const diff::Changes& changes);

diff::Json sample_document(const std::string& sample);

}  // namespace fairway::testing
