// Receives the spans that the program of `fairway dev` sends as if it were a collector.
#pragma once

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <string>

#include "base/file_descriptor.hpp"
#include "process/event_loop.hpp"

namespace fairway::dev {

/// Listens on a port of 127.0.0.1. Only who knows the URL can send something.
class SpanReceiver {
 public:
  using Receive = std::function<void(const nlohmann::ordered_json& request)>;

  /// Throws UserError.
  SpanReceiver(process::EventLoop& loop, Receive receive);
  ~SpanReceiver();
  SpanReceiver(const SpanReceiver&) = delete;
  SpanReceiver& operator=(const SpanReceiver&) = delete;

  /// For `tracing.endpoint`.
  std::string endpoint() const;

 private:
  struct Connection {
    fw::base::FileDescriptor client;
    std::string received = {};
  };

  void accept();
  void read(int id);
  /// Whether the request is complete; then it has been handled.
  bool handle(const Connection& connection) const;

  process::EventLoop& loop_;
  const Receive receive_;
  const std::string path_;
  fw::base::FileDescriptor listener_;
  std::map<int, Connection> connections_;  ///< by their descriptors
};

}  // namespace fairway::dev
