// The viewer of the document: its page, and its files, which are embedded at build time
// (cmake/FairwayDocsViewer.cmake).
#pragma once

#include <fairway/generated/route_table.hpp>

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <string_view>

namespace fw::openapi {

struct ViewerAsset {
  std::string_view name;       ///< "swagger-ui.css"
  std::string_view file_name;  ///< with a hash of the content: "swagger-ui.0123456789abcdef.css"
  std::string_view content_type;
  std::string_view gzip;        ///< the content, compressed
  std::string_view bytes = {};  ///< the content; empty if the library can decompress it
};

/// Empty if this build of Fairway has no viewer.
std::span<const ViewerAsset> viewer_assets();

/// An HTML page that loads the assets of the viewer from below `docs_path` and shows the document
/// at `json_path`. Its links are relative to `request_path`, so that they work with a proxy that
/// adds a prefix.
std::string viewer_page(std::string_view title, std::string_view request_path,
                        std::string_view docs_path, std::string_view json_path);

/// The Content-Security-Policy of the page: resources from the application, and requests and
/// sockets to the servers of `document`.
std::string viewer_policy(const nlohmann::ordered_json& document);

/// The URL path of a file below `docs_path`.
std::string asset_path(std::string_view docs_path, std::string_view file_name);

}  // namespace fw::openapi

namespace fw::detail {

/// What programs that show their document contain; see `Features`. openapi/viewer.cpp
struct DocsViewer {
  decltype(openapi::viewer_assets)* assets;
  decltype(openapi::viewer_page)* page;
  decltype(openapi::viewer_policy)* policy;
};

}  // namespace fw::detail
