// The last requests that `fairway dev` has passed on to the program, for its page (docs/dev.md).
#pragma once

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/traceparent.hpp"

namespace fairway::dev {

/// Keeps the beginnings of the messages and the spans of the program in memory. What it returns is
/// masked, except for `bytes`.
class RequestLog {
 public:
  using Id = std::uint64_t;
  using Json = nlohmann::ordered_json;
  static constexpr std::size_t kMaxRequests = 500;
  static constexpr std::size_t kMaxBody = std::size_t{32} * 1024;  ///< bytes that are kept of each
  static constexpr std::size_t kMaxSpans = 500;                    ///< of a request

  /// Where the route of a request is registered.
  struct Source {
    std::string file = {};  ///< as in diagnostics: "src/routes/users.cpp"; empty if it is not known
    std::int64_t line = 0;
  };

  /// Calls `changed` after each change.
  explicit RequestLog(std::function<void()> changed) : changed_(std::move(changed)) {}

  /// A request that is passed on. Its span is the parent of the spans of the program.
  Id begin(std::string_view head, const fw::base::TraceParent& span);
  /// The body of the request, in parts. Unknown ids are ignored by all functions: requests that are
  /// no longer among the last ones.
  void add_request_body(Id id, std::string_view bytes);
  /// The response, in parts, with its head.
  void add_response(Id id, std::string_view bytes);
  void end(Id id);
  /// What the program sends to a collector: ExportTraceServiceRequest as JSON.
  void add_spans(const Json& request);

  /// Increases with each change.
  std::uint64_t version() const { return version_; }
  /// `version`, and the rows of the requests that have changed since `known`.
  Json rows_since(std::uint64_t known) const;
  /// Everything about one request; nothing if it is not known any more.
  std::optional<Json> detail(Id id) const;
  Source source(Id id) const;
  /// The request as it was sent, to send it again; nothing if it is not completely known.
  std::optional<std::string> bytes(Id id) const;

 private:
  using Clock = std::chrono::steady_clock;

  struct Request {
    Id id = 0;
    std::uint64_t version = 0;
    std::string head;
    std::string body;
    std::size_t body_size = 0;
    std::string response_head;
    std::string response;  ///< its body; before its head is complete, the head, too
    std::size_t response_size = 0;
    int status = 0;  ///< 0: there is none yet
    std::string trace;
    std::string span;
    std::vector<Json> spans = {};
    std::string route = {};
    Source source = {};
    std::chrono::system_clock::time_point time;
    Clock::time_point began;
    std::optional<Clock::time_point> ended = {};
  };

  Request* find(Id id);
  const Request* find(Id id) const;
  void note(Request& request);
  static void read_response_head(Request& request);
  void add_span(const Json& span);
  static Json row(const Request& request);
  static Json spans(const Request& request);
  static Json log_lines(const Request& request);

  const std::function<void()> changed_;
  std::uint64_t version_ = 0;
  Id last_id_ = 0;
  std::deque<Request> requests_;  ///< by id, without gaps
};

}  // namespace fairway::dev
