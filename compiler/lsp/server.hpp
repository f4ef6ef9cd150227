// The language server: reads messages from one descriptor and writes messages to another one.
// Protocol: https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/file_descriptor.hpp"
#include "lsp/application_source.hpp"
#include "lsp/documents.hpp"
#include "lsp/folder_analysis.hpp"
#include "process/event_loop.hpp"
#include "rpc/message_connection.hpp"

namespace fairway::lsp {

/// Changes are analysed together if they follow each other within a few milliseconds. Requests that
/// depend on the analysis wait for the analysis of the text for which they were sent. Each folder
/// of the workspace is analysed by a process of its own.
class Server {
 public:
  /// Ignores SIGPIPE. `make_source` runs in the processes that analyse.
  Server(int input, int output, MakeApplicationSource make_source, std::string version);

  /// Returns the exit status at the notification `exit`, or at the end of the input or of the
  /// client.
  int run();

 private:
  enum class State { created, running, shut_down };
  using Handler = void (Server::*)(const Json& id, const Json& params);

  void receive(const std::string& content);
  void dispatch(const Json& message);
  void send(const Json& message) { client_.send(message); }
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
  void workspace_folders(const Json& id, const Json& params);
  static const std::map<std::string, Handler, std::less<>>& handlers();

  void watch_client(const Json& params);
  void check_client(pid_t client);

  /// Adds a folder, unless it is there already. False if it cannot be opened.
  bool add_folder(const std::filesystem::path& path);
  /// The innermost folder of a document, or else the first one; null if there is none.
  FolderAnalysis* folder_of(const Document& document) const;

  /// Notes a change of a document, or of files on disk.
  void changed(bool on_disk);
  void begin_analyses();
  void on_result(FolderAnalysis& folder);
  void show_error(const FolderAnalysis& folder);
  void publish();
  void publish(const std::string& uri, const Document& document);
  void withdraw(const std::string& uri);
  /// A request about a document, by the method.
  void ask(const Json& id, const std::string& method, const Json& params);

  MakeApplicationSource make_source_;
  std::string version_;
  State state_ = State::created;
  bool can_register_watchers_ = false;
  std::optional<int> exit_status_;

  process::EventLoop loop_;
  rpc::MessageConnection client_;
  fw::base::FileDescriptor client_process_;
  Documents documents_;
  std::uint64_t generation_ = 0;  ///< counts the changes
  process::EventLoop::TimerId timer_ = 0;
  std::map<std::string, Json> published_;     ///< by URI
  std::map<std::string, std::string> shown_;  ///< errors, by folder
  std::vector<std::unique_ptr<FolderAnalysis>> folders_;
};

}  // namespace fairway::lsp
