// Used instead of the embedded files in builds without the viewer.
#include "docs/viewer.hpp"

namespace fw::docs {

std::span<const ViewerAsset> viewer_assets() { return {}; }

}  // namespace fw::docs
