// The language server: reads messages from one descriptor and writes messages to another one.
// Protocol: https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dev/event_loop.hpp"
#include "lsp/analysis.hpp"
#include "lsp/documents.hpp"
#include "lsp/features.hpp"
#include "lsp/json_rpc.hpp"

namespace fairway::lsp {

/// Changes are analysed together if they follow each other within a few milliseconds. Requests that
/// depend on the analysis wait for that of the text for which they were sent.
class Server {
 public:
  Server(int input, int output, ApplicationSource& source, std::string version);

  /// Returns the exit status at the notification `exit`, or at the end of the input.
  int run();

 private:
  enum class State { new_, running, shut_down };
  using Feature = std::function<Json(const View&)>;
  using Handler = void (Server::*)(const Json& id, const Json& params);

  /// A request that waits for an analysis.
  struct Pending {
    Json id;
    std::uint64_t generation = 0;
    std::string uri;
    Feature feature;
  };

  void read_input();
  void receive(const std::string& content);
  void dispatch(const Json& message);
  void call(Handler handler, const Json& id, const Json& params);
  void send(const Json& message);
  void end(int status);

  // Requests have an id, notifications have null.
  void initialize(const Json& id, const Json& params);
  void initialized(const Json& id, const Json& params);
  void shutdown(const Json& id, const Json& params);
  void exit(const Json& id, const Json& params);
  void cancel(const Json& id, const Json& params);
  void open(const Json& id, const Json& params);
  void change(const Json& id, const Json& params);
  void save(const Json& id, const Json& params);
  void close(const Json& id, const Json& params);
  void watched_files(const Json& id, const Json& params);
  void hover_request(const Json& id, const Json& params);
  void definition_request(const Json& id, const Json& params);
  void completion_request(const Json& id, const Json& params);
  void symbols_request(const Json& id, const Json& params);
  void actions_request(const Json& id, const Json& params);

  /// Notes a change of a document, or of files on disk.
  void changed(bool on_disk);
  void begin_analysis();
  void on_result();
  void publish();
  /// Sends the response as soon as there is an analysis of the current text.
  void respond_with(const Json& id, const Json& params, Feature feature);
  void respond(const Pending& pending);
  void respond_to_pending();

  static const std::map<std::string, Handler, std::less<>>& handlers();

  int input_;
  int output_;
  std::string version_;
  State state_ = State::new_;
  bool can_register_watchers_ = false;
  std::optional<int> exit_status_;

  dev::EventLoop loop_;
  MessageReader reader_;
  Documents documents_;

  Analysis analysis_;
  std::uint64_t generation_ = 0;  ///< counts the changes
  std::uint64_t analysed_ = 0;    ///< the generation of the last result
  bool is_analysing_ = false;
  bool disk_has_changed_ = true;
  dev::EventLoop::TimerId timer_ = 0;
  std::optional<Snapshot> snapshot_;
  std::string last_error_;
  std::map<std::string, std::int64_t> versions_;  ///< of the documents in the running analysis
  std::map<std::string, Json> published_;         ///< by URI
  std::vector<Pending> pending_;
};

}  // namespace fairway::lsp
