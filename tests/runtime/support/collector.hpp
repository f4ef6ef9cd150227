// A collector of spans on a port, which speaks OTLP over HTTP in JSON.
#pragma once

#include <fairway/json.hpp>

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "support/scripted_upstream.hpp"

namespace fw::support {

/// A span as it was received.
struct CollectedSpan {
  std::string trace;
  std::string id;
  std::string parent;  ///< empty: none
  std::string name;
  int kind = 0;
  bool has_failed = false;
  std::uint64_t begin = 0;           ///< nanoseconds since 1970
  std::uint64_t end = 0;             ///< likewise
  Json attributes = Json::object();  ///< of the types of OTLP: {"http.route": "/x"}
  Json json;                         ///< the whole of it
};

class Collector {
 public:
  /// Responds to a batch; the default accepts it.
  using Respond = std::function<void(ScriptedConnection&)>;
  explicit Collector(Respond respond = {});

  /// For `tracing.endpoint`.
  std::string url() const { return upstream_.url(""); }
  /// What has been received.
  std::vector<CollectedSpan> spans() const;
  std::vector<std::string> requests() const;
  /// Waits until so many spans have been received. Throws std::runtime_error if they do not come.
  std::vector<CollectedSpan> await(std::size_t count) const;
  /// The same until there is a span of that name, which it returns.
  CollectedSpan await_named(const std::string& name) const;

 private:
  void serve(ScriptedConnection& connection);

  const Respond respond_;
  mutable std::mutex mutex_;  // guards the following members
  std::vector<std::string> requests_;
  std::vector<CollectedSpan> spans_;
  ScriptedUpstream upstream_;  // last, because its threads use the other members
};

/// The only span of that name. Throws std::runtime_error if there is none, or another one.
const CollectedSpan& named(const std::vector<CollectedSpan>& spans, const std::string& name);
std::size_t count_named(const std::vector<CollectedSpan>& spans, const std::string& name);

}  // namespace fw::support
