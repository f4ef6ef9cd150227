// The static pages of an application, rendered by the build.
#include <exception>
#include <utility>

#include "emit/application_files.hpp"
#include "pages/page_set.hpp"

namespace fairway::emit {
namespace {

using fw::pages::PageFile;
using fw::pages::PageSet;

/// The pages of one route, in the order of `static_params`. Empty if one cannot be rendered: the
/// application reports it when it starts.
std::vector<std::string> render_route(const PageSet& pages, const nlohmann::json& frontend) {
  const nlohmann::json seo = frontend.value("seo", nlohmann::json());
  const std::string page = frontend.value("page", std::string());
  const nlohmann::json once = nlohmann::json::array({nlohmann::json::object()});
  std::vector<std::string> rendered;
  try {
    for (const nlohmann::json& params : frontend.value("staticParams", once)) {
      rendered.push_back(
          pages.render_static({.page = page,
                               .params = params,
                               .seo = seo,
                               .renders_body = !frontend.value("clientOnly", false),
                               .hydrates = frontend.value("hydration", std::string()) != "none"}));
    }
  } catch (const std::exception&) {
    return {};
  }
  return rendered;
}

}  // namespace

StaticPages render_static_pages(const model::Application& application) {
  StaticPages result;
  std::vector<PageFile> files;
  for (const model::PageFile& page : application.pages) files.push_back({page.path, page.content});
  std::vector<std::string> errors;
  const PageSet pages(std::move(files), errors);
  if (!errors.empty()) return result;
  result.version = pages.version();
  for (const model::RouteFile& file : application.files) {
    for (const model::Route& route : file.routes) {
      const auto frontend = route.options.find("frontend");
      if (frontend == route.options.end() || frontend->value("mode", "") != "static") continue;
      for (std::string& html : render_route(pages, nlohmann::json(*frontend))) {
        result.pages.push_back({route.path, std::move(html)});
      }
    }
  }
  return result;
}

}  // namespace fairway::emit
