// Route tables for tests, as `fairway build` would emit them.
#pragma once

#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace fw::support {

/// Owns what a table refers to; must outlive the applications that mounted it.
class TableBuilder {
 public:
  TableBuilder();
  TableBuilder(const TableBuilder&) = delete;
  TableBuilder& operator=(const TableBuilder&) = delete;

  /// A route file with rows for exactly what `factory` registers.
  TableBuilder& routes(std::function<void(Router&)> factory, std::string prefix = "/",
                       std::string file = "src/routes/index.cpp");
  /// Gives the last route file types, one for each of its routes.
  TableBuilder& types(std::vector<detail::RouteTypes> types);
  /// Rows of C++ types, for routes that are added afterwards.
  TableBuilder& type_rows(const std::vector<const detail::TypeRow*>& rows);
  /// A route file with the rows of `declared`, while `factory` is what runs.
  TableBuilder& outdated_routes(const std::function<void(Router&)>& declared,
                                std::function<void(Router&)> factory);
  TableBuilder& middleware(std::string name, MiddlewareDefinition definition);
  TableBuilder& plugin(Plugin plugin);
  TableBuilder& openapi(std::string document);
  /// A file of pages/: "hello.html".
  TableBuilder& page(std::string path, std::string content);
  /// A static page of a route, as the build has rendered it from the pages of that version.
  TableBuilder& static_page(std::string route, std::string content, std::string version);

  /// What the program contains; without a call, everything.
  TableBuilder& features(const detail::Features& features);

  const AppTable& table();

 private:
  std::span<const RouteRow> rows_of(const std::function<void(Router&)>& factory,
                                    std::string_view prefix);
  std::string_view keep(std::string text);

  App scratch_;
  std::deque<std::string> texts_;
  std::deque<DefaultExport> exports_;
  std::deque<std::vector<RouteRow>> rows_;
  std::deque<std::vector<detail::RouteTypes>> types_;
  std::vector<const detail::TypeRow*> type_rows_;
  std::vector<RouteFileRow> files_;
  std::vector<ComponentRow> middlewares_;
  std::vector<ComponentRow> plugins_;
  std::deque<std::string_view> page_contents_;
  std::vector<PageFileRow> pages_;
  std::vector<StaticPageRow> static_pages_;
  std::string_view pages_version_;
  std::string openapi_;
  const detail::Features* features_ = &detail::kAllFeatures;
  AppTable table_;
};

/// One application with one route file, prefix `/`.
class OneFileApp : private TableBuilder, public testing::TestApp {
 public:
  explicit OneFileApp(std::function<void(Router&)> factory,
                      Config config = testing::TestApp::test_config(),
                      const std::function<void(App&)>& set_up = {});
};

/// A copy of a log record, or one to be written.
struct LogLine {
  LogLevel level = LogLevel::info;
  std::chrono::system_clock::time_point time = {};
  std::string request_id = {};
  std::string user = {};
  Json bindings = nullptr;
  Json fields = nullptr;
  std::string message = {};
  std::string trace_id = {};

  operator LogRecord() const {
    return {level, time, request_id, user, bindings, fields, message, trace_id};
  }
};

/// Lines that were logged, for inspection.
class RecordingSink : public LogSink {
 public:
  void write(const LogRecord& record) override;
  std::vector<LogLine> records() const;
  /// Messages of records at least at that level.
  std::vector<std::string> messages(LogLevel least = LogLevel::trace) const;

 private:
  mutable std::mutex mutex_;
  std::vector<LogLine> records_;
};

}  // namespace fw::support
