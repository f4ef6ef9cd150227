// The transaction of a request that cpp-httplib has parsed.
#pragma once

#include <httplib.h>

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "http/adapter.hpp"
#include "http/framing.hpp"
#include "http/httplib/socket_stream.hpp"

namespace fw::http {

/// Looks, from a thread of its own, whether clients have gone whose requests want to know.
/// Thread-safe.
class DisconnectMonitor {
 public:
  DisconnectMonitor();
  ~DisconnectMonitor();
  DisconnectMonitor(const DisconnectMonitor&) = delete;
  DisconnectMonitor& operator=(const DisconnectMonitor&) = delete;

  /// Calls `callback` once when the client sends no more, until `forget`.
  void watch(int fd, std::function<void()> callback);
  /// To be called before the descriptor is closed. What was to be called, if it was not.
  std::function<void()> forget(int fd);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int, std::function<void()>> watched_;
  bool is_stopping_ = false;
  std::thread thread_;  ///< last: it uses all of the above
};

/// A response is kept until the handler has returned, and then written by the thread that has the
/// connection: httplib cannot write one while a handler runs.
class HttplibTransaction final : public Transaction {
 public:
  struct Response {
    ResponseHead head;
    std::string body;
    std::optional<std::uint64_t> length;  ///< of a stream
    BodyProducer produce;                 ///< set for a stream
    StreamEnd ended;
  };

  HttplibTransaction(RequestHead head, const Framing& framing, SocketStream& stream,
                     DisconnectMonitor& monitor);

  const RequestHead& head() const override { return head_; }
  const Framing& framing() const { return framing_; }
  BodyStatus read_body(std::uint64_t limit, std::string& body) override;
  bool respond(ResponseHead head, std::string_view body) override;
  bool respond_stream(ResponseHead head, std::optional<std::uint64_t> length, BodyProducer produce,
                      StreamEnd ended) override;
  bool answered() const override;
  void on_disconnect(std::function<void()> callback) override;

  // For the thread that has the connection.

  void set_reader(const httplib::ContentReader& reader) { reader_ = &reader; }
  /// The handler has returned: the body can no longer be read. Nothing if there is no response.
  Response* end_handler();
  bool has_whole_body() const { return has_whole_body_; }
  /// Hands the stream to httplib; false if it breaks off.
  bool pump(httplib::DataSink& sink);
  /// All has been written, or cannot be.
  void end(bool is_broken);

 private:
  /// A body that nobody has read, if it is there, to keep the connection.
  void skip_body();
  bool claim(Response response);

  const RequestHead head_;
  const Framing framing_;
  DisconnectMonitor& monitor_;
  const httplib::ContentReader* reader_ = nullptr;  ///< while the handler runs and there is a body
  std::exception_ptr stream_error_;
  bool has_whole_body_;

  mutable std::mutex mutex_;  ///< of what follows
  SocketStream* stream_;      ///< null once all has been written
  std::optional<Response> response_;
};

}  // namespace fw::http
