// The viewer's page.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace fw::docs {

/// HTML that loads the viewer's assets, which lie below `docs_path`, and shows the document at
/// `json_path`. Its links are relative to `request_path`, so that they hold behind a proxy that
/// serves the application below a prefix.
std::string viewer_page(std::string_view title, std::string_view request_path,
                        std::string_view docs_path, std::string_view json_path);

/// The page's Content-Security-Policy: everything from the application itself, and requests to the
/// servers that `document` names.
std::string viewer_policy(const nlohmann::ordered_json& document);

/// The path below `docs_path` that serves a file.
std::string asset_path(std::string_view docs_path, std::string_view file_name);

}  // namespace fw::docs
