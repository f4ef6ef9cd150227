// The analyses of the application in one folder of the workspace.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lsp/documents.hpp"
#include "lsp/features.hpp"
#include "process/event_loop.hpp"
#include "rpc/helper_process.hpp"

namespace fairway::lsp {

/// One analysis runs at a time. Changes are counted by their generation.
class FolderAnalysis {
 public:
  struct Listener {
    std::function<void(FolderAnalysis& folder)> analysed;  ///< an analysis has ended
    std::function<void(const Json& response)> respond;     ///< to a request of the client
  };

  /// How much processor time an analysis may use: a text may keep Clang, or what reads its types,
  /// busy for ever.
  struct Limits {
    std::chrono::milliseconds total{120'000};
    std::chrono::milliseconds outdated{10'000};  ///< while there is a later change
    std::chrono::milliseconds interval{1'000};   ///< of looking at it
  };

  FolderAnalysis(process::EventLoop& loop, const Documents& documents, std::filesystem::path path,
                 rpc::HelperProcess::Program program, Listener listener)
      : FolderAnalysis(loop, documents, std::move(path), std::move(program), std::move(listener),
                       Limits()) {}
  FolderAnalysis(process::EventLoop& loop, const Documents& documents, std::filesystem::path path,
                 rpc::HelperProcess::Program program, Listener listener, const Limits& limits);
  ~FolderAnalysis() { loop_.cancel(timer_); }
  FolderAnalysis(const FolderAnalysis&) = delete;
  FolderAnalysis& operator=(const FolderAnalysis&) = delete;

  const std::filesystem::path& path() const { return path_; }
  bool contains(const Document& document) const;

  void note_disk_change() { disk_has_changed_ = true; }
  /// Analyses the documents of a generation. If an analysis is running, the caller begins again
  /// when it has ended.
  void begin(std::uint64_t generation);
  /// The generation of the last analysis.
  std::uint64_t analysed() const { return analysed_; }
  /// Why the last analysis has failed, or what it could not read; empty if nothing is wrong.
  const std::string& error() const { return error_; }
  /// Whether the folder has no application.
  bool is_missing() const { return is_missing_; }

  /// Whether the last analysis is one of this text.
  bool has_seen(const std::string& uri, const Document& document) const;
  /// The diagnostics of a document that the last analysis has seen; null if the application has not
  /// read it.
  const Json* diagnostics_of(const std::string& uri) const;
  /// The names of the last analysis; null if there are none.
  const CompletionNames* names() const { return names_ ? &*names_ : nullptr; }

  /// Responds to a request about an open document after the analysis of a generation.
  void request(std::uint64_t generation, const Json& id, const std::string& method,
               const Json& params, const std::string& uri);
  bool has_waiting() const { return !waiting_.empty(); }
  /// Responds to the requests that no longer wait.
  void respond_to_waiting();
  /// Forgets a request without a response. False if there is none.
  bool forget(const Json& id);
  /// Forgets all requests without a response, and returns their ids.
  std::vector<Json> forget_all();

 private:
  /// A request that waits for an analysis.
  struct Waiting {
    std::uint64_t generation = 0;
    Json id;
    std::string method;
    Json params;
    std::string uri;
    std::uint64_t revision = 0;  ///< of the document
  };

  Json changes();
  void watch();
  void check_time();
  void on_result(std::uint64_t generation, const Json& response);
  void respond(const Waiting& request);

  process::EventLoop& loop_;
  const Documents& documents_;
  std::filesystem::path path_;
  std::filesystem::path real_path_;
  Listener listener_;
  const Limits limits_;

  bool is_analysing_ = false;
  std::uint64_t analysing_ = 0;               ///< the generation of the running analysis
  std::uint64_t wanted_ = 0;                  ///< the last generation that was to be analysed
  std::chrono::milliseconds used_before_{0};  ///< processor time when the analysis began
  process::EventLoop::TimerId timer_ = 0;
  bool disk_has_changed_ = true;
  std::uint64_t analysed_ = 0;
  std::string error_;
  bool is_missing_ = false;
  std::map<std::string, std::uint64_t> revisions_;  ///< of the documents that the process has
  Json diagnostics_ = Json::object();               ///< by URI
  std::optional<CompletionNames> names_;
  std::vector<Waiting> waiting_;
  std::vector<Json> asked_;     ///< the ids of requests to the process
  rpc::HelperProcess process_;  // last, because its callbacks use the others
};

}  // namespace fairway::lsp
