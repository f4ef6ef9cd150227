// A server of the Model Context Protocol on two descriptors.
// Protocol: https://modelcontextprotocol.io/specification/2025-06-18
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "mcp/analysis.hpp"
#include "mcp/application_tools.hpp"
#include "mcp/tools.hpp"
#include "process/event_loop.hpp"
#include "rpc/message_connection.hpp"

namespace fairway::mcp {

struct ServerSettings {
  std::string version;           ///< of the program
  std::filesystem::path folder;  ///< of the project
  std::string base_url;          ///< of the running program; empty: there are no tools for it
  Analysis::Limits analysis = {};
  std::chrono::milliseconds call_time{30'000};  ///< for a request to the running program
};

/// Requests run at the same time: the server responds to others while an analysis or a request to
/// the program is running.
class Server {
 public:
  /// Ignores SIGPIPE. `make_source` runs in the process that analyses.
  Server(int input, int output, MakeToolSource make_source, ServerSettings settings);

  /// Returns at the end of the input, when all requests have their responses.
  void run();

 private:
  /// The responses to the messages of an array, which are sent together.
  struct Batch {
    std::size_t running = 0;
    Json responses = Json::array();
  };
  using BatchPointer = std::shared_ptr<Batch>;  ///< null for a message outside of an array

  struct Running {
    BatchPointer batch;
    std::function<void()> cancel;
  };

  void receive(const std::string& content);
  void receive_batch(const Json& messages);
  void receive_message(const Json& message, const BatchPointer& batch);
  void respond_to(const Json& id, const std::string& method, const Json& params,
                  const BatchPointer& batch);
  void notice(const std::string& method, const Json& params);
  void cancel(const Json& params);

  Json initialize(const Json& params);
  Json list_tools(const Json& params) const;
  void call_tool(const Json& id, const Json& params, const BatchPointer& batch);
  void ask_application(const Json& id, const std::string& tool, const Json& arguments);
  /// Runs a tool of the running program.
  void send_call(const Json& id, const std::string& tool, const Json& arguments);

  /// A request that gets its response later, through `finish`.
  void begin(const Json& id, const BatchPointer& batch);
  void finish(const Json& id, Json response);
  void deliver(Json response, const BatchPointer& batch);
  void send_batch(const BatchPointer& batch);
  void stop_if_done();

  /// The tools that there are with these settings.
  std::span<const Tool> offered() const;

  const ServerSettings settings_;
  bool has_ended_ = false;        ///< the input
  std::string protocol_version_;  ///< empty before `initialize`

  process::EventLoop loop_;
  std::map<std::string, Running> running_;  ///< by the JSON text of the id
  rpc::MessageConnection client_;
  Analysis analysis_;
};

}  // namespace fairway::mcp
