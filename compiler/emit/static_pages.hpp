// The static pages of an application, rendered by the build: `mode` "static" of `frontend`.
#pragma once

#include <string>
#include <vector>

#include "model/application.hpp"

namespace fairway::emit {

struct StaticPages {
  struct Page {
    std::string path;  ///< of the route: "/products/:id"
    std::string html;
  };
  std::string version;      ///< of the page files; other ones may look different
  std::vector<Page> pages;  ///< pages of a route in the order of its `static_params`
};

/// Renders them with the templates of the runtime. Errors are left to the application, which
/// renders missing pages when it starts.
StaticPages render_static_pages(const model::Application& application);

}  // namespace fairway::emit
