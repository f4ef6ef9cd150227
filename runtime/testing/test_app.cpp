#include <fairway/testing.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/access.hpp"
#include "app/adapter_error.hpp"
#include "app/app_core.hpp"
#include "base/ascii.hpp"
#include "base/reason_phrases.hpp"
#include "http/framing.hpp"
#include "http/http_date.hpp"
#include "http/request_head.hpp"
#include "logging/line_format.hpp"
#include "testing/memory_transaction.hpp"
#include "testing/socket_reader.hpp"
#include "testing/stream_reader.hpp"
#include "testing/stub_transport.hpp"

namespace fw::testing {
namespace {

std::optional<std::string_view> find_field(const http::Fields::Pairs& fields,
                                           std::string_view name) {
  const auto found = std::ranges::find_if(
      fields, [&](const auto& field) { return base::equal_ignoring_case(field.first, name); });
  if (found == fields.end()) return std::nullopt;
  return found->second;
}

/// Whether a time of `Expires` has passed: "Thu, 01 Jan 1970 00:00:00 GMT", or with dashes, any
/// name of the day, and a year of two digits (RFC 6265, 5.1.1).
bool is_past(std::string_view date) {
  std::string text(date.substr(date.find(',') + 1));
  std::ranges::replace(text, '-', ' ');
  std::vector<std::string> parts;
  base::for_each_token(text, ' ', [&](std::string_view part) {
    if (!part.empty()) parts.emplace_back(part);
  });
  if (parts.size() < 4) return false;
  std::string& year = parts[2];
  if (year.size() == 2) year.insert(0, year < "70" ? "20" : "19");
  const auto seconds = http::parse_http_date(
      fmt::format("Thu, {} {} {} {} GMT", parts[0], parts[1], year, parts[3]));
  const auto now = std::chrono::system_clock::now();
  return seconds && *seconds <= std::chrono::system_clock::to_time_t(now);
}

/// Whether the attributes remove a cookie: `Max-Age` of 0 or less, or without it a past `Expires`
/// (RFC 6265, 5.3). Of repeated attributes, the last one counts.
bool is_expired(std::string_view attributes) {
  std::optional<bool> by_age;
  bool by_date = false;
  base::for_each_token(attributes, ';', [&](std::string_view attribute) {
    const auto equals = attribute.find('=');
    if (equals == std::string_view::npos) return;
    const std::string_view name = base::trim_ows(attribute.substr(0, equals));
    const std::string_view value = base::trim_ows(attribute.substr(equals + 1));
    if (base::equal_ignoring_case(name, "max-age")) {
      by_age = value.starts_with('-') || value.find_first_not_of('0') == std::string_view::npos;
    } else if (base::equal_ignoring_case(name, "expires")) {
      by_date = is_past(value);
    }
  });
  return by_age.value_or(by_date);
}

/// What browsers do with names in forms.
std::string form_name(std::string_view name) {
  std::string result;
  for (const char c : name) {
    result += c == '"' ? "%22" : c == '\r' ? "%0D" : c == '\n' ? "%0A" : std::string(1, c);
  }
  return result;
}

/// A line break would end the field, and begin another one.
void require_single_line(std::string_view what, std::string_view text) {
  if (text.find_first_of(std::string_view("\r\n\0", 3)) != text.npos) {
    throw std::invalid_argument(fmt::format("a test request's {} contains a line break", what));
  }
}

}  // namespace

/// Keeps the last lines instead of writing them.
class CapturedLog : public LogSink {
 public:
  void write(const LogRecord& record) override {
    constexpr std::size_t kMaxLines = 10'000;
    detail::JsonWriter line;
    detail::write_json_line(line, record);
    const std::lock_guard lock(mutex_);
    if (lines_.size() == kMaxLines) lines_.pop_front();
    lines_.emplace_back(line.content());
  }
  std::vector<Json> lines() const {
    const std::lock_guard lock(mutex_);
    std::vector<Json> result;
    for (const std::string& line : lines_) result.push_back(Json::parse(line));
    return result;
  }

 private:
  mutable std::mutex mutex_;
  std::deque<std::string> lines_;
};

/// The time since the beginning of the steady clock, and what `advance` has added.
struct TestApp::Clock {
  std::atomic<std::int64_t> milliseconds_ahead = 0;

  std::chrono::steady_clock::time_point now() const {
    return std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds_ahead);
  }
};

std::optional<std::string_view> TestResponse::header(std::string_view name) const {
  return find_field(headers, name);
}

std::ostream& operator<<(std::ostream& out, const TestResponse& response) {
  out << response.status << ' ' << base::reason_phrase(response.status);
  if (!response.request.empty()) out << ", the response to " << response.request;
  out << '\n';
  for (const auto& [name, value] : response.headers) out << name << ": " << value << '\n';
  const Json json = Json::parse(response.body, nullptr, false);
  return out << '\n' << (json.is_structured() ? json.dump(2) : response.body);
}

std::optional<std::string_view> FetchCall::header(std::string_view name) const {
  return find_field(headers, name);
}

TestRequest::TestRequest(TestApp& app, std::string method, std::string target)
    : app_(app), method_(std::move(method)), target_(std::move(target)) {}

TestRequest& TestRequest::header(std::string name, std::string value) {
  headers_.emplace_back(std::move(name), std::move(value));
  return *this;
}

TestRequest& TestRequest::cookie(std::string_view name, std::string_view value) {
  const std::string pair = fmt::format("{}={}", name, value);
  const auto field = std::ranges::find_if(
      headers_, [](const auto& each) { return base::equal_ignoring_case(each.first, "cookie"); });
  if (field == headers_.end()) return header("Cookie", pair);
  field->second += "; " + pair;
  return *this;
}

TestRequest& TestRequest::json(const Json& body) {
  body_ = body.dump();
  if (!find_field(headers_, "content-type")) header("Content-Type", "application/json");
  return *this;
}

TestRequest& TestRequest::file(std::string_view field, std::string_view filename,
                               std::string_view content, std::string_view media_type) {
  return form_part(fmt::format("name=\"{}\"; filename=\"{}\"\r\nContent-Type: {}", form_name(field),
                               form_name(filename), media_type),
                   content);
}

TestRequest& TestRequest::field(std::string_view name, std::string_view value) {
  return form_part(fmt::format("name=\"{}\"", form_name(name)), value);
}

TestRequest& TestRequest::form_part(std::string_view head, std::string_view content) {
  constexpr std::string_view kBoundary = "----fairway-test-form-6b1f2c0a9d";
  const std::string end = fmt::format("--{}--\r\n", kBoundary);
  if (body_.ends_with(end)) {
    body_.resize(body_.size() - end.size());
  } else {
    body_.clear();
    header("Content-Type", fmt::format("multipart/form-data; boundary={}", kBoundary));
  }
  body_ += fmt::format("--{}\r\nContent-Disposition: form-data; {}\r\n\r\n", kBoundary, head);
  body_.append(content).append("\r\n").append(end);
  return *this;
}

TestRequest& TestRequest::body(std::string bytes) {
  body_ = std::move(bytes);
  return *this;
}

TestRequest& TestRequest::stream(Readable body) {
  stream_ = std::move(body);
  return *this;
}

TestRequest& TestRequest::remote_address(std::string address) {
  remote_address_ = std::move(address);
  return *this;
}

TestRequest& TestRequest::client_certificate(ClientCertificate certificate) {
  client_certificate_ = std::make_shared<const ClientCertificate>(std::move(certificate));
  return *this;
}

/// As a client sends it. Host, Content-Length and Transfer-Encoding are the test's, if it
/// has set them.
std::string TestRequest::head_bytes() const {
  require_single_line("method", method_);
  require_single_line("target", target_);
  std::string bytes = fmt::format("{} {} HTTP/1.1\r\n", method_, target_);
  const auto add = [&](std::string_view name, std::string_view value) {
    require_single_line(name, name);
    require_single_line(name, value);
    bytes += fmt::format("{}: {}\r\n", name, value);
  };
  const auto has = [&](std::string_view name) { return find_field(headers_, name).has_value(); };
  if (!has("host")) add("Host", "localhost");
  for (const auto& [name, value] : headers_) add(name, value);
  if (!has("content-length") && !has("transfer-encoding")) {
    if (stream_) {
      add("Transfer-Encoding", "chunked");
    } else if (!body_.empty()) {
      add("Content-Length", std::to_string(body_.size()));
    }
  }
  return bytes + "\r\n";
}

std::function<std::string()> TestRequest::body_source() {
  if (!stream_) {
    return [body = std::move(body_)]() mutable { return std::exchange(body, {}); };
  }
  // A chunk each time, when the application reads; the last one is empty.
  return [body = std::make_shared<Readable>(*std::move(stream_)), is_over = false]() mutable {
    if (is_over) return std::string();
    std::string bytes(16 * 1024, '\0');
    bytes.resize(body->read(bytes));
    is_over = bytes.empty();
    return fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes);
  };
}

TestResponse TestRequest::send() {
  TestEvents stream = events();
  stream.response.body += stream.reader_->take_all();
  return std::move(stream.response);
}

TestEvents TestRequest::events() {
  TestResponse response;
  const auto transaction = exchange(response);
  const SocketReader closed(transaction);  // the client of a socket disconnects
  const bool are_lines = response.header("content-type") == "application/x-ndjson";
  return {std::move(response), std::make_unique<StreamReader>(
                                   transaction ? transaction->take_pushed() : nullptr, are_lines)};
}

TestSocket TestRequest::socket() {
  header("Connection", "Upgrade").header("Upgrade", "websocket");
  header("Sec-WebSocket-Version", "13").header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
  TestResponse response;
  const auto transaction = exchange(response);
  if (transaction) {
    // The client of a stream of events disconnects.
    const StreamReader closed(transaction->take_pushed(), false);
  }
  return {std::move(response), std::make_unique<SocketReader>(transaction)};
}

/// Null if the response is not the application's.
std::shared_ptr<MemoryTransaction> TestRequest::exchange(TestResponse& response) {
  auto transaction = handle(response);
  response.request = method_ + " " + target_;
  if (client_ != nullptr) client_->keep_cookies(response);
  return transaction;
}

std::shared_ptr<MemoryTransaction> TestRequest::handle(TestResponse& response) {
  const Config& config = app_.app().config();
  const auto rejected = [&](int status, std::string_view message) {
    auto [head, body] = detail::adapter_error(config, status, message);
    if (method_ == "HEAD") body.clear();
    response = {status, head.fields.pairs(), std::move(body)};
    return nullptr;
  };
  const std::string bytes = head_bytes();
  const http::AdapterOptions limits(config);
  if (bytes.size() > limits.max_header_size) {
    return rejected(431, "the request's headers are too large");
  }
  http::RequestHead head;
  http::Framing framing;
  if (const auto error = http::parse_request_head(bytes, limits.max_header_count, head, framing)) {
    return rejected(error->status, error->message);
  }
  head.remote_address = remote_address_;
  head.client_certificate = client_certificate_;
  auto transaction = std::make_shared<MemoryTransaction>(std::move(head), framing, body_source());
  detail::Access::core(app_.app()).pipeline().handle(transaction);
  if (!transaction->has_response()) return rejected(500, "");
  if (transaction->broken()) throw std::runtime_error("the response was cut off");
  response = {transaction->response_head().status, transaction->response_head().fields.pairs(),
              transaction->response_body()};
  return transaction;
}

TestEvents::TestEvents(TestResponse head, std::unique_ptr<StreamReader> reader)
    : response(std::move(head)), reader_(std::move(reader)) {}
TestEvents::TestEvents(TestEvents&&) noexcept = default;
TestEvents& TestEvents::operator=(TestEvents&&) noexcept = default;
TestEvents::~TestEvents() = default;

std::optional<TestEvent> TestEvents::next(std::chrono::milliseconds timeout) {
  return reader_->next(timeout);
}

void TestEvents::disconnect() { reader_->disconnect(); }

TestSocket::TestSocket(TestResponse head, std::unique_ptr<SocketReader> reader)
    : response(std::move(head)), reader_(std::move(reader)) {}
TestSocket::TestSocket(TestSocket&&) noexcept = default;
TestSocket& TestSocket::operator=(TestSocket&&) noexcept = default;
TestSocket::~TestSocket() = default;

void TestSocket::send(std::string_view message, const Json& data) {
  Json content = {{"type", message}};
  content.update(data);
  send_text(content.dump());
}

void TestSocket::send_text(std::string_view text) {
  reader_->send(http::websocket::Opcode::text, text);
}

void TestSocket::send_binary(std::string_view bytes) {
  reader_->send(http::websocket::Opcode::binary, bytes);
}

std::optional<TestMessage> TestSocket::next(std::chrono::milliseconds timeout) {
  return reader_->next(timeout);
}

void TestSocket::close(int code, std::string_view reason) { reader_->close(code, reason); }
void TestSocket::disconnect() { reader_->disconnect(); }
const std::optional<CloseReason>& TestSocket::closed() const { return reader_->closed(); }

TestRequest TestClient::request(std::string method, std::string target) {
  TestRequest request = app_.request(std::move(method), std::move(target));
  request.client_ = this;
  for (const auto& [name, value] : cookies_) request.cookie(name, value);
  return request;
}

void TestClient::keep_cookies(const TestResponse& response) {
  for (const auto& [field, line] : response.headers) {
    if (!base::equal_ignoring_case(field, "set-cookie")) continue;
    const std::string_view text = line;
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::size_t equals = text.find('=');
    if (equals >= end) continue;
    const std::string name(base::trim_ows(text.substr(0, equals)));
    const std::string value(base::trim_ows(text.substr(equals + 1, end - equals - 1)));
    if (value.empty() || is_expired(text.substr(end))) {
      cookies_.erase(name);
    } else {
      cookies_.insert_or_assign(name, value);
    }
  }
}

TestApp::TestApp(const AppTable& table, Config config, const std::function<void(App&)>& set_up)
    : clock_(std::make_shared<Clock>()),
      log_(std::make_shared<CapturedLog>()),
      stubs_(std::make_shared<StubTransport>()),
      app_(std::move(config)) {
  detail::Access::core(app_).env.stores.set_clock([clock = clock_] { return clock->now(); });
  if (app_.config().logger.level == LogLevel::silent) app_.set_logger(Logger(log_));
  if (set_up) set_up(app_);
  app_.mount(table);
  detail::Access::core(app_).prepare();
  detail::Access::core(app_).lifecycle.announce_ready();
}

TestApp::~TestApp() {
  detail::AppCore& core = detail::Access::core(app_);
  detail::BackgroundPool& renewals = core.background();
  renewals.stop();
  const std::chrono::milliseconds grace(core.env.config.shutdown.timeout);
  renewals.wait_until(std::chrono::steady_clock::now() + grace);
  renewals.cancel();
  renewals.wait();
  core.lifecycle.close();
}

TestRequest TestApp::request(std::string method, std::string target) {
  return TestRequest(*this, std::move(method), std::move(target));
}

void TestApp::advance(std::chrono::milliseconds duration) {
  if (duration.count() < 0) throw std::invalid_argument("advance: the duration is negative");
  clock_->milliseconds_ahead += duration.count();
}

void TestApp::fetch_stub(const std::string& call,
                         std::function<FetchReply(const FetchCall&)> handler) {
  stubs_->add(call, std::move(handler));
  detail::Access::core(app_).client->set_transport(stubs_);
}

std::vector<Json> TestApp::log_lines() const { return log_->lines(); }

Config TestApp::test_config() {
  Config config;
  config.environment = "test";
  config.logger.level = LogLevel::silent;
  // Seconds can pass between two steps of a test, on a busy machine or in a debugger.
  config.server.keep_alive_timeout = 60'000;
  config.server.min_data_rate = "0b";
  config.server.heartbeat = 600'000;
  config.server.send_timeout = 600'000;
  config.server.tls.handshake_timeout = 600'000;
  return config;
}

}  // namespace fw::testing
