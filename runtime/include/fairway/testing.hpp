// Testing kit: an application in process, without a socket. CMake target: fairway::testing.
//
//   fw::testing::TestApp app(fairway_app(), config);
//   auto r = app.request("POST", "/users").header("x-tenant", "a").json({{"name", "Ada"}}).send();
//   CHECK(r.status == 201);
#pragma once

#include <fairway/app.hpp>
#include <fairway/json.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fw::testing {

/// The complete response.
struct TestResponse {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  /// The first header of that name, in any case.
  std::optional<std::string_view> header(std::string_view name) const;
  /// The body as JSON. Throws Json::parse_error.
  Json json() const { return Json::parse(body); }
};

class TestApp;

/// A request under construction; sent at most once.
class TestRequest {
 public:
  TestRequest& header(std::string name, std::string value);
  /// JSON body; sets Content-Type unless it was given.
  TestRequest& json(const Json& body);
  /// Adds a file of a multipart form.
  TestRequest& file(std::string_view field, std::string_view filename, std::string_view content,
                    std::string_view media_type = "application/octet-stream");
  /// A body that is sent unchanged.
  TestRequest& body(std::string bytes);
  TestRequest& remote_address(std::string address);
  /// Runs the whole pipeline and returns the response.
  TestResponse send();

 private:
  friend class TestApp;
  TestRequest(TestApp& app, std::string method, std::string target);

  TestApp& app_;
  std::string method_;
  std::string target_;
  std::vector<std::pair<std::string, std::string>> headers_;
  std::string body_;
  std::string remote_address_ = "127.0.0.1";
};

/// A mounted application that is ready for requests. Threads may share it.
class TestApp {
 public:
  /// Throws StartupError. `set_up` runs before the table is mounted, for services and hooks.
  explicit TestApp(const AppTable& table, Config config = test_config(),
                   const std::function<void(App&)>& set_up = {});
  ~TestApp();

  TestRequest request(std::string method, std::string target);
  App& app() { return app_; }
  /// Defaults with environment "test" and a silent log.
  static Config test_config();

 private:
  App app_;
};

}  // namespace fw::testing
