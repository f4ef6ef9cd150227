#include "contract_test/http_client.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>

#include "base/ascii.hpp"
#include "base/deadline_timer.hpp"
#include "contract_test/operations.hpp"
#include "process/processes.hpp"

namespace fairway::contract_test {
namespace {

constexpr int kTimeoutSeconds = 15;

/// Whether the body is a stream, which may have no end to wait for.
bool is_open_stream(const httplib::Response& head) {
  return is_stream_type(head.get_header_value("Content-Type"));
}

/// A word of a command line, in quotes only if a character needs them.
std::string quoted(const std::string& text) {
  const auto is_harmless = [](char c) {
    return fw::base::is_alphanumeric(c) ||
           std::string_view("-._~:/=,@%+").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_harmless)) return text;
  return process::shell_word(text);
}

/// Closes the connection of a stream that does not end by itself.
class StreamEnd {
 public:
  explicit StreamEnd(httplib::Client& client) : client_(client) {}

  void reach() {
    const std::lock_guard lock(mutex_);
    if (!is_over_) client_.stop();
  }
  /// The client has another request from now on.
  void forget() {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }

 private:
  httplib::Client& client_;
  std::mutex mutex_;  // guards is_over_
  bool is_over_ = false;
};

}  // namespace

BaseUrl parse_base_url(const std::string& url) {
  const std::size_t host = url.find("://") + 3;
  if (!url.starts_with("http://") || url.size() == host) {
    throw UserError(fmt::format("'{}' is not a URL such as http://127.0.0.1:3000", url));
  }
  const std::size_t path = std::min(url.find('/', host), url.size());
  BaseUrl result{url.substr(0, path), url.substr(path)};
  while (result.path.ends_with('/')) result.path.pop_back();
  return result;
}

struct HttpClient::Connection {
  explicit Connection(BaseUrl url) : client(url.origin), path(std::move(url.path)) {
    client.set_url_encode(false);
    client.set_keep_alive(true);
    client.set_tcp_nodelay(true);  // head and body are separate packets
    client.set_connection_timeout(kTimeoutSeconds);
    client.set_read_timeout(kTimeoutSeconds);
    client.set_write_timeout(kTimeoutSeconds);
  }

  httplib::Client client;
  std::string path;
  fw::base::DeadlineTimer timer;  // its actions use the client
};

HttpClient::HttpClient(const std::string& base_url, std::size_t max_body)
    : max_body_(max_body), connection_(std::make_unique<Connection>(parse_base_url(base_url))) {}

HttpClient::~HttpClient() = default;

Response HttpClient::send(const Request& request, std::chrono::milliseconds stream_time) {
  httplib::Request message;
  message.method = request.method;
  message.path = connection_->path + request.target;
  for (const auto& [name, value] : request.headers) message.headers.emplace(name, value);
  message.body = request.body;
  httplib::Response received;
  httplib::Error error = httplib::Error::Success;
  httplib::Client& client = connection_->client;
  const auto end_of_stream = std::make_shared<StreamEnd>(client);
  bool is_stream = false;
  message.response_handler = [&](const httplib::Response& head) {
    received = head;
    is_stream = is_open_stream(head);
    if (!is_stream) return true;
    if (stream_time.count() == 0) return false;
    connection_->timer.set(std::chrono::steady_clock::now() + stream_time,
                           [end_of_stream] { end_of_stream->reach(); });
    return true;
  };
  std::string body;
  bool is_cut = false;
  message.content_receiver = [&](const char* bytes, std::size_t size, std::uint64_t,
                                 std::uint64_t) {
    is_cut = size > max_body_ - body.size();
    body.append(bytes, std::min(size, max_body_ - body.size()));
    return !is_cut;
  };
  const bool has_ended = client.send(message, received, error);
  end_of_stream->forget();
  if (!has_ended && !is_stream && !is_cut) {
    const bool is_slow = error == httplib::Error::Read;
    throw NoResponse(is_slow ? fmt::format("no complete response within {} seconds, or a "
                                           "connection that was closed",
                                           kTimeoutSeconds)
                             : httplib::to_string(error));
  }
  Response response{
      .status = received.status, .headers = {}, .body = std::move(body), .is_complete = has_ended};
  for (const auto& [name, value] : received.headers) response.headers.emplace_back(name, value);
  return response;
}

std::string host_of(const std::string& base_url) {
  const std::string origin = parse_base_url(base_url).origin;
  const std::string host = origin.substr(origin.find("://") + 3);
  return host.starts_with('[') ? host.substr(0, host.find(']') + 1)
                               : host.substr(0, host.find(':'));
}

std::string curl_command(const std::string& base_url, const Request& request) {
  std::string command = "curl -i";
  if (request.method == "HEAD") {
    command += " --head";
  } else if (request.method != "GET" || !request.body.empty()) {
    command += " -X " + request.method;
  }
  const BaseUrl base = parse_base_url(base_url);
  command += " " + quoted(base.origin + base.path + request.target);
  for (const auto& [name, value] : request.headers) {
    command += " -H " + quoted(value.empty() ? name + ";" : name + ": " + value);
  }
  if (!request.body.empty()) command += " --data-binary " + quoted(request.body);
  return command;
}

}  // namespace fairway::contract_test
