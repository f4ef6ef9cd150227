#include <fairway/generated/route_table.hpp>

namespace fw::detail {

const Features kAllFeatures = {
    .cached_routes = &kCachedRoutes,
    .docs_viewer = &kDocsViewer,
    .mcp_tools = &kMcpTools,
    .page_rendering = &kPageRendering,
    .page_routes = &kPageRoutes,
};

}  // namespace fw::detail
