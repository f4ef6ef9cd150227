#include "check/page_library.hpp"

#include <algorithm>

namespace fairway::check {

namespace templates = fw::templates;

PageLibrary::PageLibrary(const model::Application& application) {
  constexpr std::string_view kEnding = ".html";
  for (const model::PageFile& page : application.pages) {
    if (!page.path.ends_with(kEnding)) continue;
    const std::string name = page.path.substr(0, page.path.size() - kEnding.size());
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

}  // namespace fairway::check
