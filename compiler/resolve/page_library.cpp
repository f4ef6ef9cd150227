#include "resolve/page_library.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace fairway::resolve {

namespace templates = fw::templates;

namespace {

constexpr std::string_view kEnding = ".html";

std::string name_of(const model::PageFile& page) {
  return page.path.substr(0, page.path.size() - kEnding.size());
}

}  // namespace

std::vector<std::string> page_names(const model::Application& application) {
  std::vector<std::string> names;
  for (const model::PageFile& page : application.pages) {
    if (!page.path.ends_with(kEnding)) continue;
    std::string name = name_of(page);
    if (!templates::is_part(name)) names.push_back(std::move(name));
  }
  return names;
}

PageLibrary::PageLibrary(const model::Application& application) {
  for (const model::PageFile& page : application.pages) {
    if (!page.path.ends_with(kEnding)) continue;
    const std::string name = name_of(page);
    files_[name] = &page;
    library_.add(templates::parse_template(name, page.content, errors_));
  }
}

bool PageLibrary::is_broken(const std::string& name) const {
  return std::ranges::find(errors_, name, &templates::Error::name) != errors_.end();
}

model::Range PageLibrary::range_of(const std::string& name, const templates::Span& span) const {
  const model::PageFile& file = *files_.at(name);
  const auto begin = templates::line_column(file.content, span.offset);
  const auto end = templates::line_column(file.content, span.offset + span.length);
  return {.file = file.display_path,
          .line = static_cast<unsigned>(begin.line),
          .column = static_cast<unsigned>(begin.column),
          .end_line = static_cast<unsigned>(end.line),
          .end_column = static_cast<unsigned>(end.column)};
}

}  // namespace fairway::resolve
