// [bad-page], [unsafe-page-value]
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "check/application_rules.hpp"
#include "check/page_library.hpp"

namespace fairway::check {

namespace templates = fw::templates;

void check_page_templates(const model::Application& application, model::Diagnostics& diagnostics) {
  std::vector<templates::Error> errors;
  const PageLibrary pages(application, errors);
  // What follows from an error of syntax in the same file is no news.
  std::set<std::string> broken;
  for (const templates::Error& error : errors) broken.insert(error.name);
  std::vector<templates::Error> linked;
  for (const auto& [name, page] : pages.templates().all()) {
    const bool is_document = name == templates::kDocument;
    if (broken.contains(name) || (templates::is_part(name) && !is_document)) continue;
    pages.templates().link(name, is_document, linked);
  }
  for (templates::Error& error : linked) {
    if (!broken.contains(error.name)) errors.push_back(std::move(error));
  }
  Reporter reporter(diagnostics);
  for (templates::Error& error : errors) {
    const bool is_syntax = error.kind == templates::ErrorKind::syntax;
    reporter.report(is_syntax ? rules::bad_page : rules::unsafe_page_value,
                    std::move(error.message), pages.range_of(error.name, error.span),
                    std::move(error.help));
  }
}

}  // namespace fairway::check
