#include <fmt/format.h>

#include <utility>

#include "lsp/features.hpp"
#include "resolve/page_library.hpp"
#include "resolve/route_files.hpp"
#include "schema/kinds.hpp"
#include "schema/route_path.hpp"

namespace fairway::lsp {
namespace {

using Kind = CompletionContext::Kind;

// CompletionItemKind
constexpr int kVariable = 6;
constexpr int kFile = 17;
constexpr int kKeyword = 14;

class Items {
 public:
  Items(const Document& document, const CompletionContext& context)
      : range_{{"start", to_json(position_at(document.text, context.begin))},
               {"end", to_json(position_at(document.text, context.end))}} {}

  void add(const std::string& label, int kind, const std::string& detail) {
    items_.push_back({{"label", label},
                      {"kind", kind},
                      {"detail", detail},
                      {"textEdit", {{"range", range_}, {"newText", label}}}});
  }
  Json take() { return std::move(items_); }

 private:
  Json range_;
  Json items_ = Json::array();
};

void add_types(Items& items) {
  for (const fw::schema::KindInfo& each : fw::schema::all_kinds()) {
    items.add(std::string(each.name), kKeyword, std::string(each.demand));
  }
}

/// The parameters of the final path, which begins with the prefix of the file.
void add_parameters(Items& items, const std::string& source_dir, const Document& document,
                    const std::string& subpath) {
  const auto file = document.real_path.lexically_relative(source_dir).generic_string();
  const std::string path = fw::schema::join_route_paths(resolve::prefix_of(file), subpath);
  const auto parsed = fw::schema::parse_route_path(path);
  const auto* route = std::get_if<fw::schema::RoutePath>(&parsed);
  if (route == nullptr) return;
  for (const std::string& name : route->names) {
    items.add(name, kVariable, fmt::format("parameter of {}", path));
  }
}

}  // namespace

CompletionNames completion_names(const Snapshot& snapshot) {
  return {.source_dir = snapshot.source_dir.string(),
          .middlewares = snapshot.middlewares,
          .pages = resolve::page_names(snapshot.application)};
}

Json to_json(const CompletionNames& names) {
  return {
      {"sourceDir", names.source_dir}, {"middlewares", names.middlewares}, {"pages", names.pages}};
}

CompletionNames completion_names_from(const Json& json) {
  return {.source_dir = json.at("sourceDir").get<std::string>(),
          .middlewares = json.at("middlewares").get<std::vector<std::string>>(),
          .pages = json.at("pages").get<std::vector<std::string>>()};
}

Json completion(const CompletionNames& names, const Document& document, const Position& position) {
  const CompletionContext context =
      completion_context(document.text, offset_at(document.text, position));
  Items items(document, context);
  switch (context.kind) {
    case Kind::none:
      break;
    case Kind::schema_type:
      add_types(items);
      break;
    case Kind::middleware:
      for (const std::string& name : names.middlewares) {
        items.add(name, kFile, "middleware");
      }
      break;
    case Kind::path_parameter:
      add_parameters(items, names.source_dir, document, context.subpath);
      break;
    case Kind::page:
      for (const std::string& name : names.pages) {
        items.add(name, kFile, "page");
      }
      break;
  }
  return items.take();
}

}  // namespace fairway::lsp
