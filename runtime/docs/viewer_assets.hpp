// The files of the viewer, embedded at build time (cmake/FairwayDocsViewer.cmake).
#pragma once

#include <span>
#include <string_view>

namespace fw::docs {

struct ViewerAsset {
  std::string_view name;       ///< "swagger-ui.css"
  std::string_view file_name;  ///< with a hash of the content: "swagger-ui.0123456789abcdef.css"
  std::string_view content_type;
  std::string_view bytes;
  std::string_view gzip;  ///< the same, compressed
};

/// Empty when this build of Fairway has no viewer.
std::span<const ViewerAsset> viewer_assets();

}  // namespace fw::docs
