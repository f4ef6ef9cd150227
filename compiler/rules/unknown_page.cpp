#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/suggest.hpp"
#include "rules/application_rules.hpp"
#include "rules/located_route.hpp"
#include "rules/route_rules.hpp"

namespace fairway::rules {
namespace {

std::string without_ending(const std::string& path) { return path.substr(0, path.rfind('.')); }

}  // namespace

void check_page_references(const model::Application& application, model::Diagnostics& diagnostics) {
  const std::vector<std::string> pages = resolve::page_names(application);
  const std::vector<std::string_view> names(pages.begin(), pages.end());
  std::set<std::string> scripts;
  for (const model::PageFile& file : application.pages) {
    if (file.path.ends_with(".js")) scripts.insert(without_ending(file.path));
  }
  for_each_route(application, [&](const LocatedRoute& located) {
    const model::Route& route = *located.route;
    Reporter reporter(diagnostics, route.method, route.path);
    for (const model::PageReference& page : route.pages) {
      if (page.name.empty()) continue;  // known at run time only
      const bool exists = std::ranges::find(pages, page.name) != pages.end();
      if (exists && page.needs_script && !scripts.contains(page.name)) {
        reporter.report(
            rules::conflicting_options,
            fmt::format("'frontend.client_only' needs a script for 'frontend.page' '{}'",
                        page.name),
            page.range,
            fmt::format("write 'pages/{}.js', which shows the page in the browser", page.name));
      }
      if (exists) continue;
      const auto near = fw::base::near_names(page.name, names);
      auto& error = reporter.report(
          rules::unknown_page, fmt::format("there is no page '{}'", page.name), page.range,
          near.size() == 1 ? fmt::format("did you mean '{}'?", near.front())
                           : fmt::format("add 'pages/{}.html'", page.name));
      if (near.size() == 1 && page.name_range) {
        error.fixes.push_back({*page.name_range, std::string(near.front())});
      }
    }
  });
}

}  // namespace fairway::rules
