#include "pages/page_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <stdexcept>
#include <utility>

#include "base/suggest.hpp"
#include "schema/fingerprint.hpp"

namespace fw::pages {
namespace {

using templates::Slot;

using templates::is_part;
using templates::kDocument;
constexpr std::string_view kTemplate = ".html";
constexpr std::string_view kDefaultLanguage = "en";

struct AssetType {
  std::string_view ending;
  std::string_view content_type;
};
constexpr AssetType kAssetTypes[] = {{".js", "text/javascript; charset=utf-8"},
                                     {".css", "text/css; charset=utf-8"}};

std::string describe(const templates::Error& error, const templates::Library& library) {
  const templates::Template* const file = library.find(error.name);
  const std::string_view source = file != nullptr ? std::string_view(file->source) : "";
  const auto at = templates::line_column(source, error.span.offset);
  return fmt::format("{}.html:{}:{}: {}{}{}", error.name, at.line, at.column, error.message,
                     error.help.empty() ? "" : "; ", error.help);
}

void append_attribute(std::string& out, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  out.append(" ").append(name).append("=\"");
  templates::append_text(out, value, templates::Escape::html);
  out += '"';
}

/// A copy with the values in its strings filled in.
Json with_values(const Json& metadata, const templates::Data& data) {
  if (metadata.is_string()) {
    return templates::fill_text(metadata.get_ref<const std::string&>(), data);
  }
  Json filled = metadata;
  if (filled.is_structured()) {
    for (Json& each : filled) each = with_values(each, data);
  }
  return filled;
}

/// Whether the path of a value or section has one of the names as its first part.
bool uses_name(const templates::Program& program, std::initializer_list<std::string_view> names) {
  for (const auto& routine : program.routines()) {
    for (const templates::Instruction& step : routine) {
      if (!step.path.empty() && std::ranges::find(names, step.path.front()) != names.end()) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::string_view default_document() {
  return "<!doctype html>\n"
         "<html lang=\"en\">\n"
         "<head>\n"
         "<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "{{{head}}}"
         "</head>\n"
         "<body>\n"
         "{{{body}}}"
         "{{{scripts}}}"
         "</body>\n"
         "</html>\n";
}

PageSet::PageSet(std::vector<PageFile> files, std::vector<std::string>& errors) {
  std::string all;
  for (const PageFile& file : files) all.append(file.path).append("\n").append(file.content);
  version_ = fmt::format("{:016x}", schema::fingerprint(all));
  std::vector<templates::Error> found;
  templates::Library library;
  for (PageFile& file : files) {
    if (!file.path.ends_with(kTemplate)) {
      add_asset(file);
      continue;
    }
    file.path.resize(file.path.size() - kTemplate.size());
    library.add(templates::parse_template(std::move(file.path), std::move(file.content), found));
  }
  // Syntax errors would only cause further errors.
  if (found.empty()) {
    has_own_document_ = library.find(kDocument) != nullptr;
    if (!has_own_document_) {
      library.add(templates::parse_template(std::string(kDocument), std::string(default_document()),
                                            found));
    }
    link(document_, std::string(kDocument), library, found);
    names_own_values_ = uses_name(document_.program, {"page", "seo", "nonce"});
    for (const auto& [name, each] : library.all()) {
      if (!is_part(name)) link(pages_[name], name, library, found);
    }
  }
  for (const templates::Error& error : found) errors.push_back(describe(error, library));
}

void PageSet::link(Page& page, const std::string& name, const templates::Library& library,
                   std::vector<templates::Error>& errors) const {
  page.program = library.link(name, name == kDocument, errors);
  page.script = asset_of(name, ".js");
  page.style = asset_of(name, ".css");
}

void PageSet::add_asset(const PageFile& file) {
  for (const auto& [ending, content_type] : kAssetTypes) {
    if (!file.path.ends_with(ending)) continue;
    const std::string_view name =
        std::string_view(file.path).substr(0, file.path.size() - ending.size());
    const auto [added, is_new] = assets_.insert_or_assign(
        file.path, Asset{.url = fmt::format("{}{}.{:016x}{}", kAssetPrefix, name,
                                            schema::fingerprint(file.content), ending),
                         .content_type = std::string(content_type),
                         .content = file.content});
    by_url_[added->second.url] = &added->second;
  }
}

const Asset* PageSet::asset_of(std::string_view name, std::string_view ending) const {
  const auto found = assets_.find(fmt::format("{}{}", name, ending));
  return found == assets_.end() ? nullptr : &found->second;
}

const Asset* PageSet::asset(std::string_view url) const {
  const auto found = by_url_.find(url);
  return found == by_url_.end() ? nullptr : found->second;
}

std::string PageSet::suggestion(std::string_view page) const {
  std::vector<std::string_view> names;
  for (const auto& [name, each] : pages_) names.push_back(name);
  return base::did_you_mean(page, names);
}

std::string PageSet::render(const Rendering& rendering) const {
  const auto found = pages_.find(rendering.page);
  if (found == pages_.end()) {
    throw std::invalid_argument(
        fmt::format("there is no page '{}'{}", rendering.page, suggestion(rendering.page)));
  }
  const Page& page = found->second;
  const std::string head = this->head(rendering, page);
  const std::string scripts = this->scripts(rendering, page);
  const templates::DataNode& data = rendering.data.root();
  templates::RenderInput input{.data = {&data}, .slots = {{{.text = head}, {}, {.text = scripts}}}};
  if (rendering.renders_body) {
    input.slots[static_cast<std::size_t>(Slot::body)] = {.program = &page.program, .data = &data};
  }
  Json own;
  templates::Data own_data;
  if (names_own_values_) {
    own = {{"page", rendering.page}, {"seo", rendering.seo}, {"nonce", rendering.nonce}};
    own_data = templates::Data(own);
    input.data.push_back(&own_data.root());
  }
  std::string document;
  const std::size_t size = page.size.load(std::memory_order_relaxed);
  document.reserve(size + size / 8);
  document_.program.render(document, std::move(input));
  if (!has_own_document_ && !rendering.language.empty()) {
    std::string language;
    templates::append_text(language, rendering.language, templates::Escape::html);
    document.replace(document.find(kDefaultLanguage), kDefaultLanguage.size(), language);
  }
  page.size.store(document.size(), std::memory_order_relaxed);
  return document;
}

std::string PageSet::render_static(const StaticRendering& rendering) const {
  const Json params = {{"params", rendering.params}};
  const templates::Data data(params);
  const Json seo = with_values(rendering.seo, data);
  return render({.page = rendering.page,
                 .data = data,
                 .seo = seo,
                 .renders_body = rendering.renders_body,
                 .hydrates = rendering.hydrates,
                 .nonce = kStaticNonce});
}

std::string PageSet::head(const Rendering& rendering, const Page& page) const {
  std::string head;
  append_metadata(head, rendering.seo);
  for (const Asset* style : {document_.style, page.style}) {
    if (style == nullptr) continue;
    head += "<link rel=\"stylesheet\"";
    append_attribute(head, "href", style->url);
    append_attribute(head, "nonce", rendering.nonce);
    head += ">\n";
  }
  for (const Asset* script : {document_.script, page.script}) {
    if (script == nullptr || !rendering.hydrates) continue;
    head += "<link rel=\"modulepreload\"";
    append_attribute(head, "href", script->url);
    append_attribute(head, "nonce", rendering.nonce);
    head += ">\n";
  }
  return head;
}

std::string PageSet::scripts(const Rendering& rendering, const Page& page) const {
  std::string scripts;
  if (!rendering.hydrates) return scripts;
  // Only the script of the page reads the data.
  if (page.script != nullptr) {
    scripts += "<script type=\"application/json\" id=\"page-data\">";
    templates::append_value(scripts, &rendering.data.root(), templates::Escape::json);
    scripts += "</script>\n";
  }
  for (const Asset* script : {document_.script, page.script}) {
    if (script == nullptr) continue;
    scripts += "<script type=\"module\"";
    append_attribute(scripts, "src", script->url);
    append_attribute(scripts, "nonce", rendering.nonce);
    scripts += "></script>\n";
  }
  return scripts;
}

}  // namespace fw::pages

namespace fw::detail {

const PageRendering kPageRendering = {
    .make_set =
        [](std::vector<pages::PageFile> files, std::vector<std::string>& errors) {
          return std::make_shared<const pages::PageSet>(std::move(files), errors);
        },
    .render = [](const pages::PageSet& set,
                 const pages::Rendering& rendering) { return set.render(rendering); },
    .policy_with_nonce = pages::policy_with_nonce,
};

}  // namespace fw::detail
