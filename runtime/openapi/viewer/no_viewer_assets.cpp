// Used instead of the embedded files in builds without the viewer.
#include "openapi/viewer.hpp"

namespace fw::openapi {

std::span<const ViewerAsset> viewer_assets() { return {}; }

}  // namespace fw::openapi
