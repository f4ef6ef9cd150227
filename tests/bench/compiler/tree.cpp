#include "tree.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <string_view>

namespace fairway::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHeavyHeader = R"(#pragma once
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <list>
#include <numeric>
#include <random>
#include <ranges>
#include <regex>
#include <set>
#include <sstream>
#include <thread>
#include <unordered_set>
inline const std::regex kSku("[A-Z]{3}-[0-9]+");
)";

/// What a route of an ordinary API declares; the kinds take turns.
constexpr const char* kRead = R"(
  app.get("/item{0}/:id",
          {{
              .validate = {{.param = {{{{"id", "integer:1-"}}}},
                           .query = {{{{"fields", "string:1-200?"}}, {{"page", "integer:1-?"}}}}}},
              .responses = {{{{"200", {{{{"id", "integer"}}, {{"name", "string"}}, {{"price", "number"}}}}}}}},
              .docs = {{.summary = "Read item {0}", .tags = {{"items"}}}},
          }},
          [&app](fw::Request& req, fw::Response& res) {{
            const auto id = req.param("id");
            if (!id) app.raise(404, "no such item");
            res.json({{{{"id", *id}}, {{"name", "item {0}"}}, {{"price", 12.5}}}});
          }});
)";
constexpr const char* kWrite = R"(
  app.post("/item{0}",
           {{
               .validate = {{.body = {{{{"name", "string:1-50"}},
                                     {{"email", "email"}},
                                     {{"address", {{{{"city", "string"}}, {{"zip", "string:5?"}}}}}},
                                     {{"tags", fw::array_of({{{{"key", "string"}}, {{"value", "string"}}}})}}}}}},
               .auth = true,
               .responses = {{{{"201", {{{{"id", "uuid"}}, {{"name", "string"}}}}}}}},
               .docs = {{.summary = "Create item {0}"}},
           }},
           [](fw::Request& req, fw::Response& res) {{
             const auto& body = req.body();
             res.status(201).json({{{{"id", "none"}}, {{"name", body["name"]}}}});
           }});
)";
/// `{1}` is the namespace of the file's types.
constexpr const char* kTypedWrite = R"(
  app.post("/item{0}",
           {{
               .validate = {{.body = {{{{"name", "string:1-50"}},
                                     {{"email", "email"}},
                                     {{"address", {{{{"city", "string"}}, {{"zip", "string:5?"}}}}}},
                                     {{"tags", fw::array_of({{{{"key", "string"}}, {{"value", "string"}}}})}}}}}},
               .auth = true,
               .responses = {{{{"201", {{{{"id", "uuid"}}, {{"name", "string"}}}}}}}},
               .docs = {{.summary = "Create item {0}", .operation_id = "createItem{0}OfFile{2}"}},
           }},
           [](fw::Request& req, fw::Response& res) {{
             using Operation = {1}::CreateItem{0}OfFile{2};
             const auto& body = req.valid<Operation::Body>();
             res.json(Operation::Response201{{.id = "none", .name = body.name}}, 201);
           }});
)";
constexpr const char* kPlain = R"(
  app.del("/item{0}/:id", [](fw::Request& req, fw::Response& res) {{
    const auto id = req.param("id");
    res.json({{{{"deleted", id.has_value()}}}});
  }});
)";

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::string route(const Tree& tree, std::size_t file, std::size_t index) {
  switch (index % 3) {
    case 0:
      return fmt::format(fmt::runtime(kRead), index);
    case 1:
      return fmt::format(fmt::runtime(tree.typed ? kTypedWrite : kWrite), index,
                         fmt::format("routes::area{}::file{}", file % 10, file), file);
    default:
      return fmt::format(fmt::runtime(kPlain), index);
  }
}

}  // namespace

std::string Tree::name() const {
  return fmt::format("{} files, {} routes{}{}", files, routes(), heavy ? ", heavy includes" : "",
                     typed ? ", generated types" : "");
}

std::vector<fs::path> write_tree(const Tree& tree, const fs::path& directory) {
  if (tree.heavy) write(directory / "src/shared/heavy.hpp", kHeavyHeader);
  std::vector<fs::path> files;
  for (std::size_t file = 0; file < tree.files; ++file) {
    std::string text = "#include <fairway/fairway.hpp>\n";
    if (tree.heavy) text += "#include \"../../shared/heavy.hpp\"\n";
    if (tree.typed) text += fmt::format("#include \"area{}/file{}.routes.hpp\"\n", file % 10, file);
    text += "\nFW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {";
    for (std::size_t index = 0; index < tree.routes_per_file; ++index) {
      text += route(tree, file, index);
    }
    text += "});\n";
    files.push_back(directory / fmt::format("src/routes/area{}/file{}.cpp", file % 10, file));
    write(files.back(), text);
  }
  return files;
}

void edit_file(const fs::path& file) {
  std::ostringstream stream;
  stream << std::ifstream(file, std::ios::binary).rdbuf();
  std::string text = stream.str();
  constexpr std::string_view kPath = "app.get(\"/";
  text.insert(text.find(kPath) + kPath.size(), "changed-");
  write(file, text);
}

}  // namespace fairway::bench
