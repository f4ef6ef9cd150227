// Built in the place of the embedded files when there is no viewer.
#include "docs/viewer.hpp"

namespace fw::docs {

std::span<const ViewerAsset> viewer_assets() { return {}; }

}  // namespace fw::docs
