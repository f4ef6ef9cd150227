#include <fmt/format.h>

#include <set>
#include <string>

#include "resolve/page_library.hpp"
#include "rules/lints.hpp"
#include "rules/located_route.hpp"

namespace fairway::rules {

void lint_unused_pages(const model::Application& application, model::Diagnostics& diagnostics) {
  std::set<std::string> used = {"error"};
  for_each_route(application, [&](const LocatedRoute& located) {
    for (const model::PageReference& page : located.route->pages) used.insert(page.name);
  });
  // A handler that computes the name may render any page.
  if (used.contains("")) return;
  for (const std::string& name : resolve::page_names(application)) {
    if (used.contains(name)) continue;
    model::Range whole_file;
    const std::string path = name + ".html";
    for (const model::PageFile& file : application.pages) {
      if (file.path == path) whole_file.file = file.display_path;
    }
    Reporter(diagnostics)
        .report(rules::unused_page, fmt::format("no route renders the page '{}'", name), whole_file,
                "remove it, or begin its name with '_' if other templates include it");
  }
}

}  // namespace fairway::rules
