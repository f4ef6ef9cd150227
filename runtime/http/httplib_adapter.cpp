#include "http/httplib_adapter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <utility>

#include "http/http_transaction.hpp"
#include "http/request_head.hpp"

namespace fw::http {
namespace {

/// Connections above the limit that may be open only to be told so.
constexpr std::size_t kMaxRefused = 256;
/// A worker lets another one accept after so many connections.
constexpr int kAcceptAtOnce = 64;
constexpr std::chrono::milliseconds kStopPoll{2};

/// More than one per processor would only take turns: 0.5 switches a request instead of 0.05, and
/// 3 us more.
std::size_t min_workers(const AdapterOptions& options) {
  if (options.min_workers > 0) return options.min_workers;
  return std::max<std::size_t>(std::thread::hardware_concurrency(), 2);
}

/// Timeouts are noticed with a delay of at most a tenth of the shortest one.
std::chrono::milliseconds sweep_interval(const AdapterOptions& options) {
  const auto shortest = std::min({options.keep_alive_timeout, options.headers_timeout,
                                  options.send_timeout, options.worker_idle_timeout});
  return std::clamp(shortest / 10, std::chrono::milliseconds(10), std::chrono::milliseconds(250));
}

}  // namespace

HttplibAdapter::~HttplibAdapter() {
  stop(std::chrono::milliseconds(0));
  pool_.reset();
}

void HttplibAdapter::start(AdapterOptions options, TransactionHandler handler,
                           FaultRenderer fault) {
  if (context_) throw std::logic_error("the HTTP adapter was started before: make another one");
  auto listener = open_listener(options.host, options.port);
  context_ = std::make_shared<ConnectionContext>(std::move(options));
  handler_ = std::move(handler);
  render_fault_ = std::move(fault);
  listener_ = std::move(listener);
  port_ = bound_port(listener_);
  const auto& settings = context_->options;
  pool_.emplace(
      context_->poller,
      WorkerPool::Limits{min_workers(settings), settings.max_workers, settings.worker_idle_timeout},
      [this](const Poller::Event& event) { handle(event); }, [this] { sweep(); },
      sweep_interval(settings));
  context_->poller.watch_listener(listener_.get());
}

void HttplibAdapter::handle(const Poller::Event& event) {
  if (event.id == Poller::kWake) return;
  if (event.id == Poller::kListener) {
    accept_waiting();
    return;
  }
  const auto connection = connections_.find(event.id);
  if (!connection) return;
  if (event.peer_closed) connection->note_disconnect(event.broken);
  if (connection->claim()) drive(connection);
}

bool HttplibAdapter::accept_waiting() {
  const std::lock_guard lock(listener_mutex_);
  if (!listener_) return false;
  int error = 0;
  int count = 0;
  for (; count < kAcceptAtOnce; ++count) {
    auto socket = accept_connection(listener_, error);
    if (!socket) break;
    admit(std::move(*socket));
  }
  if (error != 0) {
    // No descriptor or memory left. Waiting clients stay in the backlog; the next sweep tries
    // again.
    accept_failed_.store(true);
    return false;
  }
  context_->poller.rearm_listener(listener_.get());
  return count == kAcceptAtOnce;
}

void HttplibAdapter::admit(AcceptedSocket socket) {
  const auto limit = context_->options.max_connections;
  const auto open = connections_.size();
  if (open >= limit + kMaxRefused) return;
  const auto connection =
      std::make_shared<Connection>(context_, next_id_.fetch_add(1), std::move(socket));
  if (open >= limit) {
    connection->claim();
    send_fault(*connection, {503, "the server has too many connections: try again later"});
    connection->release(connection->signals());
  }
  connections_.insert(connection);
  if (!context_->poller.watch_connection(connection->fd(), connection->id())) {
    connections_.erase(connection->id());
  }
}

void HttplibAdapter::drive(const std::shared_ptr<Connection>& connection) {
  while (true) {
    const auto signals = connection->signals();
    Fault fault;
    switch (connection->advance(fault)) {
      case Connection::Progress::waiting:
        if (connection->release(signals)) return;
        break;
      case Connection::Progress::head_complete:
        if (!run_request(connection)) return;
        break;
      case Connection::Progress::fault:
        send_fault(*connection, fault);
        break;
      case Connection::Progress::closed:
        connections_.erase(connection->id());
        return;
    }
  }
}

bool HttplibAdapter::run_request(const std::shared_ptr<Connection>& connection) {
  RequestHead head;
  Framing framing;
  const auto fault = parse_request_head(request_line_parser_, connection->head(),
                                        context_->options.max_header_count, head, framing);
  if (fault) {
    send_fault(*connection, *fault, head.method == "HEAD");
    return true;
  }
  head.remote_address = connection->remote_address();
  connection->begin_exchange();
  const auto transaction = std::make_shared<HttpTransaction>(connection, std::move(head), framing);
  try {
    handler_(transaction);
  } catch (...) {
    // Handlers turn what is thrown into answers; one that fails at that has none.
  }
  if (!transaction->answered()) {
    auto [response, body] = render_fault_(500, "the request was not answered");
    transaction->respond(std::move(response), body);
  }
  return transaction->leave_worker();
}

void HttplibAdapter::send_fault(Connection& connection, const Fault& fault, bool is_head) {
  auto [head, body] = render_fault_(fault.status, fault.message);
  if (fault.status == 503) head.fields.emplace_back("Retry-After", "1");
  std::string bytes;
  append_response_head(bytes, head, BodyEnd::length, body.size(), ConnectionField::close);
  connection.send_or_queue(bytes, is_head ? std::string_view() : body);
  connection.end_exchange(Connection::After::linger);
}

void HttplibAdapter::sweep() {
  const auto now = coarse_now();
  connections_.for_each([&](const auto& connection) { connection->kick_if_expired(now); });
  if (accept_failed_.exchange(false)) {
    const std::lock_guard lock(listener_mutex_);
    if (listener_) context_->poller.rearm_listener(listener_.get());
  }
}

bool HttplibAdapter::stop(std::chrono::milliseconds grace) {
  const std::lock_guard lock(stop_mutex_);
  if (!pool_ || has_finished_) return true;
  const auto deadline = std::chrono::steady_clock::now() + grace;
  // What the kernel has accepted is accepted.
  if (!context_->stopping.exchange(true)) {
    while (accept_waiting()) {
    }
  }
  {
    const std::lock_guard listener_lock(listener_mutex_);
    if (listener_) context_->poller.forget(listener_.get());
    listener_.close();
  }
  for (const auto& connection : connections_.all()) connection->kick();
  has_finished_ = is_finished();
  while (!has_finished_ && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kStopPoll);
    has_finished_ = is_finished();
  }
  close_everything();
  pool_->request_stop();
  return has_finished_;
}

bool HttplibAdapter::is_finished() { return connections_.size() == 0 && pool_->busy() == 0; }

void HttplibAdapter::close_everything() {
  for (const auto& connection : connections_.all()) {
    connections_.erase(connection->id());
    connection->shut_down();
    connection->note_disconnect(true);
  }
}

std::unique_ptr<Adapter> make_httplib_adapter() { return std::make_unique<HttplibAdapter>(); }

}  // namespace fw::http
