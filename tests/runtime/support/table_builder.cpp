#include "support/table_builder.hpp"

#include "app/access.hpp"
#include "app/declaration_json.hpp"
#include "pipeline/type_registry.hpp"
#include "schema/fingerprint.hpp"
#include "schema/route_path.hpp"

namespace fw::support {

TableBuilder::TableBuilder() : scratch_(testing::TestApp::test_config()) {}

std::string_view TableBuilder::keep(std::string text) {
  return texts_.emplace_back(std::move(text));
}

std::span<const RouteRow> TableBuilder::rows_of(const std::function<void(Router&)>& factory,
                                                std::string_view prefix) {
  Router router(scratch_);
  factory(router);
  std::vector<RouteRow>& rows = rows_.emplace_back();
  unsigned line = 10;
  for (RouteRecord& record : detail::Access::end_registration(router)) {
    detail::declare_inputs(record);
    rows.push_back({.method = keep(record.method),
                    .subpath = keep(record.path),
                    .path = keep(schema::join_route_paths(prefix, record.path)),
                    .operation_id = keep(record.options.docs.operation_id.str()),
                    .options = keep(schema::option_digests(detail::declaration_of(record))),
                    .line = line++});
  }
  return rows;
}

TableBuilder& TableBuilder::routes(std::function<void(Router&)> factory, std::string prefix,
                                   std::string file) {
  const std::string_view kept_prefix = keep(std::move(prefix));
  const auto rows = rows_of(factory, kept_prefix);
  const DefaultExport& exported = exports_.emplace_back(define_routes(std::move(factory)));
  files_.push_back({keep(std::move(file)), kept_prefix, &exported, rows});
  return *this;
}

TableBuilder& TableBuilder::types(std::vector<detail::RouteTypes> types) {
  files_.back().types = types_.emplace_back(std::move(types)).data();
  return *this;
}

TableBuilder& TableBuilder::type_rows(const std::vector<const detail::TypeRow*>& rows) {
  type_rows_.insert(type_rows_.end(), rows.begin(), rows.end());
  std::vector<std::string> errors;  // `App::mount` reports them
  detail::register_types(rows, errors);
  return *this;
}

TableBuilder& TableBuilder::outdated_routes(const std::function<void(Router&)>& declared,
                                            std::function<void(Router&)> factory) {
  const auto rows = rows_of(declared, "/");
  const DefaultExport& exported = exports_.emplace_back(define_routes(std::move(factory)));
  files_.push_back({"src/routes/index.cpp", "/", &exported, rows});
  return *this;
}

TableBuilder& TableBuilder::middleware(std::string name, MiddlewareDefinition definition) {
  const DefaultExport& exported = exports_.emplace_back(std::move(definition));
  const std::string_view kept = keep(std::move(name));
  middlewares_.push_back({kept, keep("src/middlewares/" + std::string(kept) + ".cpp"), &exported});
  return *this;
}

TableBuilder& TableBuilder::plugin(Plugin plugin) {
  const std::string_view name = keep(plugin.name.str());
  const DefaultExport& exported = exports_.emplace_back(define_plugin(std::move(plugin)));
  plugins_.push_back({name, keep("src/plugins/" + std::string(name) + ".cpp"), &exported});
  return *this;
}

TableBuilder& TableBuilder::openapi(std::string document) {
  openapi_ = std::move(document);
  return *this;
}

TableBuilder& TableBuilder::page(std::string path, std::string content) {
  const std::string_view& kept = page_contents_.emplace_back(keep(std::move(content)));
  pages_.push_back({keep(std::move(path)), {&kept, 1}});
  return *this;
}

TableBuilder& TableBuilder::static_page(std::string route, std::string content,
                                        std::string version) {
  const std::string_view& kept = page_contents_.emplace_back(keep(std::move(content)));
  static_pages_.push_back({keep(std::move(route)), {&kept, 1}});
  pages_version_ = keep(std::move(version));
  return *this;
}

TableBuilder& TableBuilder::features(const detail::Features& features) {
  features_ = &features;
  return *this;
}

const AppTable& TableBuilder::table() {
  table_ = {.name = "test",
            .files = files_,
            .middlewares = middlewares_,
            .plugins = plugins_,
            .openapi = openapi_,
            .pages = pages_,
            .pages_directory = "src/pages",
            .static_pages = static_pages_,
            .pages_version = pages_version_,
            .types = type_rows_,
            .features = features_};
  return table_;
}

OneFileApp::OneFileApp(std::function<void(Router&)> factory, Config config,
                       const std::function<void(App&)>& set_up)
    : TestApp(routes(std::move(factory)).table(), std::move(config), set_up) {}

void RecordingSink::write(const LogRecord& record) {
  const std::lock_guard lock(mutex_);
  records_.push_back({record.level, record.time, std::string(record.request_id),
                      std::string(record.user), record.bindings, record.fields,
                      std::string(record.message), std::string(record.trace_id)});
}

std::vector<LogLine> RecordingSink::records() const {
  const std::lock_guard lock(mutex_);
  return records_;
}

std::vector<std::string> RecordingSink::messages(LogLevel least) const {
  std::vector<std::string> result;
  for (const LogLine& record : records()) {
    if (record.level >= least) result.push_back(record.message);
  }
  return result;
}

}  // namespace fw::support
