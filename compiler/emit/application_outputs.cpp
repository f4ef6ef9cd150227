#include "emit/application_outputs.hpp"

#include <algorithm>
#include <future>
#include <system_error>
#include <utility>

#include "emit/application_files.hpp"
#include "emit/clients/client_language.hpp"
#include "emit/openapi.hpp"
#include "files/input.hpp"
#include "files/whole_file.hpp"
#include "model/cpp_names.hpp"

namespace fairway::emit {
namespace {

namespace fs = std::filesystem;

/// The embedded document always has envelopes; the runtime removes them if its configuration says
/// so.
std::string table_text(const model::Application& application, const OutputOptions& options,
                       const model::Json& document) {
  const auto table = [&](const model::Json& embedded) {
    return emit_app_table(application, embedded, options.has_docs_viewer);
  };
  model::OpenApiOptions own = options.document;
  if (own.envelope) return table(document);
  own.envelope = true;
  return table(openapi_document(application, own));
}

/// In the same order as `client_languages`.
std::vector<std::string> client_texts(const model::Application& application,
                                      const OutputOptions& options, const model::Json& document) {
  const ClientApi api = options.document.openapi == model::OpenApiVersion::v3_1
                            ? read_client_api(document)
                            : client_api(application, options.document);
  std::vector<std::string> texts;
  for (const ClientLanguage& language : client_languages()) {
    texts.push_back(language.emit(api, options.client_name));
  }
  return texts;
}

void write_route_types(const model::Application& application, OutputFiles& files) {
  for (const model::RouteFile& file : application.files) {
    const RouteTypeFiles types = emit_route_types(application, file);
    files.write(fs::path("include") / model::routes_header_path(file.path), types.header);
    files.write(routes_source_path(file), types.source);
  }
}

bool has_sockets(const model::Application& application) {
  return std::ranges::any_of(application.files, [](const model::RouteFile& file) {
    return std::ranges::any_of(file.routes,
                               [](const auto& route) { return route.socket.has_value(); });
  });
}

/// The document of an application with sockets.
void write_asyncapi(const model::Application& application, const OutputOptions& options,
                    const model::Json& document, OutputFiles& files) {
  model::OpenApiOptions own = options.document;
  own.openapi = model::OpenApiVersion::v3_1;
  const bool is_same = options.document.openapi == own.openapi;
  const model::Json asyncapi =
      asyncapi_document(is_same ? document : openapi_document(application, own));
  if (!asyncapi.is_null()) files.write("asyncapi.json", openapi_text(asyncapi));
}

/// A copy outside of the directory of the outputs, for example in the source tree.
void write_copy(const fs::path& path, const std::string& text, const OutputOptions& options,
                OutputFiles& files) {
  const fs::path file = fs::absolute(path);
  options.keeps_copies ? files.write_missing(file, text) : files.write(file, text);
}

void write_client(const ClientLanguage& language, const std::string& text,
                  const OutputOptions& options, OutputFiles& files) {
  const auto found = options.client_files.find(language.name);
  const fs::path copy = found == options.client_files.end() ? fs::path() : found->second;
  files.write("client/" + options.client_name + std::string(language.ending), text);
  if (!copy.empty()) write_copy(copy, text, options, files);
  if (language.support_file.empty()) return;
  const std::string support = language.emit_support();
  files.write(fs::path("client") / language.support_file, support);
  if (copy.empty()) return;
  write_copy(copy.parent_path() / language.support_file, support, options, files);
}

}  // namespace

namespace fs = std::filesystem;

void OutputFiles::write(const fs::path& path, const std::string& content) {
  written_[path.lexically_normal()] = files::content_hash(content);
  if (files::read_file(directory_ / path) == content) return;
  files::replace_file(directory_ / path, content);
}

void OutputFiles::write_missing(const fs::path& path, const std::string& content) {
  write(path, files::read_file(directory_ / path).value_or(content));
}

std::map<fs::path, std::uint64_t> OutputFiles::contents() const {
  std::map<fs::path, std::uint64_t> all;
  for (const auto& [path, hash] : written_) all[directory_ / path] = hash;
  return all;
}

void OutputFiles::remove_stale(const fs::path& folder, const std::string& ending) const {
  std::error_code error;
  std::vector<fs::path> stale;
  for (const auto& entry : fs::recursive_directory_iterator(directory_ / folder, error)) {
    const fs::path path = entry.path().lexically_relative(directory_);
    if (path.string().ends_with(ending) && !written_.contains(path)) stale.push_back(entry.path());
  }
  for (const fs::path& path : stale) fs::remove(path, error);
}

void OutputFiles::remove_stale(const std::vector<fs::path>& files) const {
  std::error_code error;
  const fs::path directory = fs::absolute(directory_).lexically_normal();
  for (const fs::path& file : files) {
    const fs::path path = fs::absolute(file).lexically_normal().lexically_relative(directory);
    const bool is_inside = !path.empty() && *path.begin() != "..";
    if (!is_inside || written_.contains(path)) continue;
    fs::remove(file, error);
    // Also removes its directory if it is empty.
    if (path.has_parent_path()) fs::remove(file.parent_path(), error);
  }
}

void make_header_folders(const fs::path& directory, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (!path.starts_with("routes/")) continue;
    const fs::path header = directory / "include" / model::routes_header_path(path);
    std::error_code ignored;  // `write_outputs` reports the reason
    fs::create_directories(header.parent_path(), ignored);
  }
}

std::map<fs::path, std::uint64_t> write_outputs(const model::Application& application,
                                                const OutputOptions& options,
                                                const std::vector<fs::path>& earlier) {
  const auto begin = [&](auto make) {
    return std::async(options.in_parallel ? std::launch::async : std::launch::deferred,
                      std::move(make));
  };
  auto manifest = begin([&] { return emit_manifest(application); });
  const model::Json document = openapi_document(application, options.document);
  auto clients = begin([&] { return client_texts(application, options, document); });
  auto table = begin([&] { return table_text(application, options, document); });
  OutputFiles files(options.directory);
  write_route_types(application, files);
  files.write(fs::path("include") / app_table_header_path(application),
              emit_app_table_header(application));
  files.write("app_table.cpp", table.get());
  files.write("types.cpp", emit_types(application));
  files.write("openapi.json", openapi_text(document));
  if (has_sockets(application)) write_asyncapi(application, options, document, files);
  if (!options.openapi_file.empty()) {
    const fs::path& file = options.openapi_file;
    write_copy(file, document_text(document, format_of(file)), options, files);
  }
  const std::vector<std::string> texts = clients.get();
  auto text = texts.begin();
  for (const ClientLanguage& language : client_languages()) {
    write_client(language, *text++, options, files);
  }
  files.write("routes.manifest.json", manifest.get());
  files.remove_stale("include/fairway/routes", ".routes.hpp");
  files.remove_stale("routes", ".routes.cpp");
  files.remove_stale(earlier);
  return files.contents();
}

}  // namespace fairway::emit
