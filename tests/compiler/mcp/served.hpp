// A server in a process of its own, with an application that the test makes up.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>

#include "base/file_descriptor.hpp"
#include "mcp/mcp_server.hpp"

namespace mcp_test {

using fairway::rpc::Json;

/// What the tools see; by default, two routes and nothing else.
struct Application {
  std::function<Json()> diagnostics = [] { return report(); };
  std::function<Json()> routes = [] { return route_table(); };
  std::function<Json()> document = [] { return Json::object(); };

  static Json report();
  static Json route_table();
};

class MadeUpSource : public fairway::mcp::ToolSource {
 public:
  explicit MadeUpSource(Application application) : application_(std::move(application)) {}
  Json diagnostics() override { return application_.diagnostics(); }
  Json routes() override { return application_.routes(); }
  Json document() override { return application_.document(); }

 private:
  Application application_;
};

class Served {
 public:
  explicit Served(Application application = {}, fairway::mcp::ServerSettings settings = {});
  /// Ends the process.
  ~Served();
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  void send_text(const std::string& text);
  void send(const Json& message) { send_text(message.dump() + '\n'); }
  /// The next message; waits for it.
  Json receive();
  /// The response to a request.
  Json ask(const Json& id, const std::string& method, const Json& params = Json::object());
  /// `initialize` with a version, and the notification that follows. Returns the result.
  Json start(const std::string& version = "2025-06-18");
  void begin_call(const Json& id, const std::string& tool, const Json& arguments = Json::object());
  /// The result of a tool.
  Json call(const std::string& tool, const Json& arguments = Json::object());

  /// Closes the input of the server.
  void end_input() { input_.close(); }
  /// Waits for the end of the process, after `end_input`. The exit status.
  int wait();

 private:
  fw::base::FileDescriptor input_;
  fw::base::FileDescriptor output_;
  std::string received_;
  pid_t process_ = 0;
  int last_id_ = 1000;
};

}  // namespace mcp_test
