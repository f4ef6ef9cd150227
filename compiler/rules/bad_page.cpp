// [bad-page], [unsafe-page-value]
#include <utility>
#include <vector>

#include "resolve/page_library.hpp"
#include "rules/application_rules.hpp"

namespace fairway::rules {

namespace templates = fw::templates;

void check_page_templates(const resolve::PageLibrary& pages, model::Diagnostics& diagnostics) {
  std::vector<templates::Error> errors = pages.errors();
  std::vector<templates::Error> linked;
  for (const auto& [name, page] : pages.templates().all()) {
    const bool is_document = name == templates::kDocument;
    if (pages.is_broken(name) || (templates::is_part(name) && !is_document)) continue;
    pages.templates().link(name, is_document, linked);
  }
  // Other errors in a file with a syntax error are omitted: they may be mere consequences of it.
  for (templates::Error& error : linked) {
    if (!pages.is_broken(error.name)) errors.push_back(std::move(error));
  }
  Reporter reporter(diagnostics);
  for (templates::Error& error : errors) {
    const bool is_syntax = error.kind == templates::ErrorKind::syntax;
    reporter.report(is_syntax ? rules::bad_page : rules::unsafe_page_value,
                    std::move(error.message), pages.range_of(error.name, error.span),
                    std::move(error.help));
  }
}

}  // namespace fairway::rules
