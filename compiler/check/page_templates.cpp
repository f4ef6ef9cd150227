// [bad-page], [unsafe-page-value]
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "check/application_rules.hpp"
#include "templates/program.hpp"

namespace fairway::check {
namespace {

namespace templates = fw::templates;

constexpr std::string_view kEnding = ".html";

model::Range range_of(const model::PageFile& file, const templates::Span& span) {
  const auto begin = templates::line_column(file.content, span.offset);
  const auto end = templates::line_column(file.content, span.offset + span.length);
  return {.file = file.display_path,
          .line = static_cast<unsigned>(begin.line),
          .column = static_cast<unsigned>(begin.column),
          .end_line = static_cast<unsigned>(end.line),
          .end_column = static_cast<unsigned>(end.column)};
}

}  // namespace

void check_page_templates(const model::Application& application, model::Diagnostics& diagnostics) {
  std::vector<templates::Error> errors;
  templates::Library library;
  std::map<std::string, const model::PageFile*> files;
  for (const model::PageFile& page : application.pages) {
    if (!page.path.ends_with(kEnding)) continue;
    const std::string name = page.path.substr(0, page.path.size() - kEnding.size());
    files[name] = &page;
    library.add(templates::parse_template(name, page.content, errors));
  }
  // What follows from an error of syntax in the same file is no news.
  std::set<std::string> broken;
  for (const templates::Error& error : errors) broken.insert(error.name);
  std::vector<templates::Error> linked;
  for (const auto& [name, page] : files) {
    const bool is_document = name == templates::kDocument;
    if (broken.contains(name) || (templates::is_part(name) && !is_document)) continue;
    library.link(name, is_document, linked);
  }
  for (templates::Error& error : linked) {
    if (!broken.contains(error.name)) errors.push_back(std::move(error));
  }
  Reporter reporter(diagnostics);
  for (templates::Error& error : errors) {
    const bool is_syntax = error.kind == templates::ErrorKind::syntax;
    reporter.report(is_syntax ? rules::bad_page : rules::unsafe_page_value,
                    std::move(error.message), range_of(*files.at(error.name), error.span),
                    std::move(error.help));
  }
}

}  // namespace fairway::check
