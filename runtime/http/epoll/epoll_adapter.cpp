#include "http/epoll/epoll_adapter.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <utility>

#include "base/spare_allocator.hpp"
#include "http/request_head.hpp"

namespace fw::http {
namespace {

constexpr std::chrono::milliseconds kStopPoll{2};
/// Maximum number of late requests that the monitor rejects at once.
constexpr int kMaxRejectedAtOnce = 4'096;

/// More workers than processors only cause context switches: 0.5 per request instead of 0.05, and 3
/// us more.
std::size_t min_workers(const AdapterOptions& options) {
  if (options.min_workers > 0) return options.min_workers;
  return std::max<std::size_t>(std::thread::hardware_concurrency(), 2);
}

/// At least one worker of the minimum, and half of the connections, are left for clients whose
/// handshake is complete.
HandshakeQueue::Limits handshake_limits(const AdapterOptions& options) {
  return {.at_a_time = std::max<std::size_t>(min_workers(options) / 2, 1),
          .unfinished = std::max<std::size_t>(options.max_connections / 2, 1)};
}

std::vector<Listener> listeners_of(const AdapterOptions& options) {
  std::vector<Listener> listeners;
  for (const int fd : options.inherited_listeners) listeners.push_back(Listener::inherit(fd));
  if (listeners.empty()) listeners.push_back(Listener::open(options));
  return listeners;
}

/// Timeouts are detected with a delay of at most a tenth of the shortest one.
std::chrono::milliseconds sweep_interval(const AdapterOptions& options) {
  const auto shortest =
      std::min({options.keep_alive_timeout, options.headers_timeout, options.request_timeout,
                options.send_timeout, options.worker_idle_timeout});
  return std::clamp(shortest / 10, std::chrono::milliseconds(10), std::chrono::milliseconds(250));
}

/// The limit of a body that must be received before the request is handled. Empty if the body is
/// complete, or if the handler rejects it without reading it. Plans the request if its body has not
/// arrived.
std::optional<std::uint64_t> limit_to_await(Connection& connection, const RequestHead& head,
                                            const Framing& framing,
                                            std::unique_ptr<RequestPlan>& plan) {
  const auto& make_plan = connection.context().options.plan;
  const auto length = framing.content_length;
  if (!framing.has_body() || !make_plan || head.has_whole_body) return std::nullopt;
  plan = make_plan(head);
  const std::uint64_t limit = plan ? plan->body_limit() : 0;
  if (limit == 0 || length.value_or(0) > limit) return std::nullopt;
  if (framing.expects_continue && connection.input().empty() &&
      !connection.send_at_once(kContinue)) {
    return std::nullopt;
  }
  return limit;
}

}  // namespace

EpollAdapter::~EpollAdapter() {
  stop(std::chrono::milliseconds(0));
  pool_.reset();
  // No worker takes them any more. There may be a stream or a socket to end.
  for (const auto& connection : cut_off_) {
    if (connection->is_queued()) run(connection, Purpose::all);
    if (Http2Connection* const http2 = connection->http2()) http2->end();
  }
}

void EpollAdapter::start(AdapterOptions options, TransactionHandler handler, ErrorRenderer error) {
  if (context_) throw std::logic_error("the HTTP adapter was started before: create another one");
  // The log may be a pipe without a reader.
  std::signal(SIGPIPE, SIG_IGN);
  auto listeners = listeners_of(options);
  context_ = std::make_shared<ConnectionContext>(std::move(options));
  handler_ = std::move(handler);
  render_error_ = std::move(error);
  acceptor_.emplace(
      context_->poller, std::move(listeners),
      [this](AcceptedSocket socket) { admit(std::move(socket)); },
      [this](int failure) { context_->note_failed_accept(failure); });
  sweeper_.emplace(context_, connections_);
  const auto& settings = context_->options;
  if (settings.tls) handshakes_.emplace(handshake_limits(settings));
  WorkerPool::Callbacks callbacks{
      .handle = [this](const Poller::Event& event) { handle(event, false); },
      .tick = [this](std::size_t busy) { sweep(busy); },
      .relieve = [this] { relieve(); }};
  pool_.emplace(context_->poller,
                WorkerPool::Limits{.min = min_workers(settings),
                                   .max = settings.max_workers,
                                   .idle_timeout = settings.worker_idle_timeout,
                                   .tick_interval = sweep_interval(settings),
                                   .relief_interval = context_->poller.gather_interval()},
                context_->waiting_handlers, std::move(callbacks));
  acceptor_->watch();
}

std::optional<AdapterFigures> EpollAdapter::figures() const {
  if (!pool_) return std::nullopt;
  AdapterFigures figures{
      .workers = pool_->size(), .busy_workers = pool_->busy(), .connections = connections_.size()};
  const Http2Options& http2 = context_->options.http2;
  if (http2.over_tls || http2.cleartext) figures.floods = context_->flood_counts();
  return figures;
}

void EpollAdapter::handle(const Poller::Event& event, bool is_monitor) {
  if (event.id == Poller::kWake) return;
  if (event.id == Poller::kListener) {
    acceptor_->accept_waiting();
    return;
  }
  const auto connection = connections_.find(event.id);
  if (!connection) return;
  if (event.peer_closed) connection->note_disconnect(event.broken);
  if (event.has_lease) {
    if (event.task != TaskEvent::none) {
      run_tasks(*connection, is_monitor ? Purpose::reject : Purpose::all, event.task);
      return;
    }
    connection->leave_queue();
  } else if (!connection->acquire()) {
    const bool is_of_no_use = event.broken || !connection->has_begun_handshake();
    if (event.peer_closed && handshakes_ && is_of_no_use) close_unfinished(event.id);
    return;
  }
  if (is_monitor && connection->has_stream()) {
    connection->post();
  } else {
    const auto purpose = event.is_late ? Purpose::reject
                         : is_monitor  ? Purpose::receive
                                       : Purpose::all;
    run(connection, purpose, event.posted_at);
  }
}

/// Rejects requests that have waited for a worker for too long, and lets handlers know that their
/// clients have gone; called while no worker is free.
void EpollAdapter::relieve() {
  context_->callbacks.protect_this_thread();
  Poller& poller = context_->poller;
  int ended = 0;
  const bool has_clients = poller.gather([&](const Poller::Event& event) {
    const auto connection = connections_.find(event.id);
    if (!connection) return;
    connection->note_disconnect(event.broken);
    // The end of an HTTP/2 connection is only seen once its frames have been read.
    if (connection->http2() == nullptr || ++ended > kMaxRejectedAtOnce) return;
    handle(event, true);
  });
  if (has_clients) {
    if (acceptor_->has_siblings()) {
      acceptor_->rearm();  // a process with a free thread accepts the clients
    } else {
      acceptor_->accept_waiting();
    }
  }
  for (int count = 0; count < kMaxRejectedAtOnce; ++count) {
    const auto event = poller.take_late();
    if (!event) return;
    handle(*event, true);
  }
}

void EpollAdapter::admit(AcceptedSocket socket) {
  using Outcome = ConnectionBudget::Outcome;
  auto admission = context_->budget.admit(socket.remote_address);
  const auto outcome = admission.outcome();
  if (outcome == Outcome::dropped) return;
  const auto connection = std::make_shared<Connection>(context_, next_id_.fetch_add(1),
                                                       std::move(socket), std::move(admission));
  if (outcome != Outcome::admitted) {
    const RequestError error{
        503, outcome == Outcome::full
                 ? "the server has too many connections: try again later"
                 : "there are too many connections from this address: close some, or "
                   "try again later"};
    if (context_->options.http2.cleartext && !connection->is_secure()) {
      connection->reject_early(error);
    } else {
      connection->acquire();
      send_error(*connection, error);
      connection->release(connection->read_events());
    }
  }
  connections_.insert(connection);
  if (connection->is_in_handshake()) {
    if (const auto oldest = handshakes_->add(connection->id())) {
      if (const auto unfinished = connections_.find(*oldest)) unfinished->force_close();
      close_unfinished(*oldest);  // if it waits; otherwise, its end causes an event
    }
  }
  if (!context_->poller.watch_connection(connection->fd(), connection->id())) {
    const int error = errno;
    erase(*connection);
    throw std::system_error(error, std::generic_category(), "cannot watch a connection");
  }
}

/// Closes a connection whose client has gone, if it waits for its turn in the handshake.
void EpollAdapter::close_unfinished(std::uint64_t id) {
  if (!handshakes_->take(id)) return;
  if (const auto connection = connections_.find(id)) run(connection, Purpose::all);
}

void EpollAdapter::erase(const Connection& connection) {
  connections_.erase(connection.id());
  if (handshakes_) handshakes_->remove(connection.id());
}

void EpollAdapter::run(const std::shared_ptr<Connection>& connection, Purpose purpose,
                       std::int64_t posted_at) {
  connection->begin_turn(posted_at);
  try {
    while (step(connection, purpose)) {
    }
  } catch (...) {
    // There is no memory for an error response.
    connection->close();
    end(*connection);
  }
}

/// If it throws, this worker still owns the connection.
bool EpollAdapter::step(const std::shared_ptr<Connection>& connection, Purpose purpose) {
  const bool is_late = purpose == Purpose::reject;
  RequestError error;
  std::uint32_t events = 0;
  auto progress = Connection::Progress::closed;
  if (connection->is_in_handshake()) {
    if (!shake_hands(connection, events, progress, error)) return false;
  } else {
    events = connection->read_events();
    progress = connection->advance(error);
  }
  SocketPeer* const socket = connection->socket();  // later, others may own the connection
  switch (progress) {
    case Connection::Progress::waiting:
      if (!connection->release(events)) return true;
      run_messages(socket);
      return false;
    case Connection::Progress::head_complete:
      if (!is_late) return begin_request(connection);
      // Its requests are rejected as such.
      if (connection->begin_http2(connection, *this)) return true;
      reject_late(*connection, connection->head().starts_with("HEAD "));
      return true;
    case Connection::Progress::body_received: {
      auto request = connection->take_pending();
      if (is_late) {
        reject_late(*connection, request->head.method == "HEAD");
        return true;
      }
      return prepare(connection, {std::move(request->head), request->framing,
                                  std::move(request->body), std::move(request->plan)});
    }
    case Connection::Progress::prepared: {
      auto request = connection->take_prepared();
      if (is_late) {
        reject_late(*connection, request->head.method == "HEAD");
        return true;
      }
      return run_request(connection, std::move(*request));
    }
    case Connection::Progress::turn_over:
      connection->yield();
      run_messages(socket);
      return false;
    case Connection::Progress::streams:
      if (!connection->release(events)) return true;
      run_tasks(*connection, purpose, TaskEvent::none);
      return false;
    case Connection::Progress::streams_turn_over:
      connection->yield();
      run_tasks(*connection, purpose, TaskEvent::none);
      return false;
    case Connection::Progress::error:
      send_error(*connection, error);
      return true;
    case Connection::Progress::closed:
      break;
  }
  end(*connection);
  return false;
}

/// Runs the handlers of messages, if the connection is a socket. It need not be owned.
void EpollAdapter::run_messages(SocketPeer* peer) noexcept {
  if (peer != nullptr) peer->run(context_->closed.load());
}

void EpollAdapter::end(const Connection& connection) {
  erase(connection);
  // A thread that received for a reader may have ended the streams, and left their callbacks.
  if (Http2Connection* const http2 = connection.http2()) http2->end();
  run_messages(connection.socket());
}

void EpollAdapter::run_tasks(Connection& connection, Purpose purpose, TaskEvent event) noexcept {
  if (SocketPeer* const socket = connection.socket()) {
    if (purpose != Purpose::all) return connection.post_messages();  // the monitor must not wait
    return run_messages(socket);
  }
  try {
    if (purpose == Purpose::reject) {
      connection.http2()->reject_tasks(event);
    } else if (purpose == Purpose::receive) {
      connection.http2()->post_tasks();
    } else {
      connection.http2()->run_tasks(event);
    }
  } catch (...) {
    // There is no memory. Whoever owns the connection closes it.
    connection.force_close();
    connection.wake();
  }
}

bool EpollAdapter::shake_hands(const std::shared_ptr<Connection>& connection, std::uint32_t& events,
                               Connection::Progress& progress, RequestError& error) {
  if (connection->has_lost_client() && !connection->has_begun_handshake()) {
    connection->force_close();  // nothing is computed for it
  }
  if (!handshakes_->enter(connection->id(), connection->is_broken())) {
    admit_handshakes();
    return false;
  }
  const auto leave = [&] {
    handshakes_->leave();
    if (!connection->is_in_handshake()) handshakes_->remove(connection->id());
    admit_handshakes();
  };
  try {
    events = connection->read_events();
    connection->note_handshake();
    progress = connection->advance(error);
  } catch (...) {
    leave();
    throw;
  }
  leave();
  return true;
}

void EpollAdapter::admit_handshakes() {
  while (const auto next = handshakes_->admit_next()) context_->poller.yield(*next);
}

bool EpollAdapter::begin_request(const std::shared_ptr<Connection>& connection) {
  if (connection->is_cleartext_for_tls()) {
    send_error(*connection, {400, kExpectsTls}, connection->head().starts_with("HEAD "));
    return true;
  }
  ReadyRequest request;
  RequestHead& head = request.head;
  Framing& framing = request.framing;
  const auto error =
      parse_request_head(connection->head(), context_->options.max_header_count, head, framing);
  if (error || connection->has_agreed_on_http2()) {
    if (connection->begin_http2(connection, *this)) return true;
    if (!error || connection->begins_with_neither()) {
      connection->end_exchange(Connection::NextAction::close);
    } else {
      send_error(*connection, *error, head.method == "HEAD");
    }
    return true;
  }
  head.remote_address = connection->remote_address();
  head.is_secure = connection->is_secure();
  if (head.is_secure) head.client_certificate = connection->client_certificate();
  connection->begin_request();
  head.has_whole_body = framing.content_length.value_or(0) > 0 &&
                        connection->input().size() >= *framing.content_length;
  if (const auto limit = limit_to_await(*connection, head, framing, request.plan)) {
    framing.expects_continue = false;
    connection->await_body(std::make_unique<PendingRequest>(
        std::move(head), framing, std::move(request.plan), *limit, connection->buffers()));
    return true;
  }
  return prepare(connection, std::move(request));
}

/// Runs the request, or waits for what it needs.
bool EpollAdapter::prepare(const std::shared_ptr<Connection>& connection, ReadyRequest&& request) {
  const AdapterOptions& options = context_->options;
  if (options.prepares_requests) {
    if (!request.plan) request.plan = options.plan(request.head);
    if (request.plan) {
      connection->begin_preparation();
      if (request.plan->prepare(request.head, connection)) {
        connection->await_preparation(std::make_unique<ReadyRequest>(std::move(request)));
        return true;
      }
    }
  }
  return run_request(connection, std::move(request));
}

/// Calls `abort` if there is no response, and none can be sent.
template <class SharedTransaction, class Abort>
[[gnu::always_inline]] inline void EpollAdapter::call_handler(const SharedTransaction& transaction,
                                                              const Abort& abort) {
  try {
    handler_(transaction);
  } catch (...) {
    // Handlers convert exceptions to responses; if that fails, there is no response.
  }
  if (!transaction->has_response()) {
    try {
      auto [response, body] = render_error_(500, "the handler sent no response");
      transaction->respond(std::move(response), body);
    } catch (...) {
      abort();
    }
  }
}

bool EpollAdapter::run_request(const std::shared_ptr<Connection>& connection,
                               ReadyRequest&& request) {
  const auto transaction = std::allocate_shared<HttpTransaction>(
      base::SpareAllocator<HttpTransaction>(), connection, std::move(request));
  call_handler(transaction, [&] { transaction->abort(); });
  return transaction->leave_worker();
}

void EpollAdapter::run_handler(const std::shared_ptr<Transaction>& transaction) noexcept {
  call_handler(transaction, [] {});
}

void EpollAdapter::reject_late(Connection& connection, bool is_head) {
  sweeper_->count_late();
  send_error(connection, {503, "the server is overloaded: try again later"}, is_head);
}

void EpollAdapter::send_error(Connection& connection, const RequestError& error, bool is_head) {
  auto [head, body] = render_error_(error.status, error.message);
  if (error.status == 503) head.fields.add("Retry-After", "1");
  detail::TextWriter bytes;
  write_response_head(bytes, head, BodyEnd::length, body.size(), ConnectionField::close);
  connection.send_or_queue(bytes.content(), is_head ? std::string_view() : body);
  connection.end_exchange(Connection::NextAction::linger);
}

void EpollAdapter::sweep(std::size_t busy) {
  context_->callbacks.protect_this_thread();
  sweeper_->run(busy);
  if (const auto& tls = context_->options.tls) tls->refresh();
  acceptor_->sweep();
}

void EpollAdapter::wait_until_readable(int descriptor) {
  pool_->monitor_until_readable(descriptor);
  context_->callbacks.end_protection();
  Adapter::wait_until_readable(descriptor);
}

bool EpollAdapter::stop(std::chrono::milliseconds grace) {
  const std::lock_guard lock(stop_mutex_);
  if (!pool_ || has_finished_) return true;
  const auto deadline = std::chrono::steady_clock::now() + grace;
  context_->stopping.store(true);
  acceptor_->finish();
  for (const auto& connection : connections_.all()) connection->wake();
  has_finished_ = is_finished();
  while (!has_finished_ && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kStopPoll);
    has_finished_ = is_finished();
  }
  close_everything();
  pool_->request_stop();
  return has_finished_;
}

bool EpollAdapter::is_finished() { return connections_.size() == 0 && pool_->busy() == 0; }

void EpollAdapter::close_everything() {
  context_->closed.store(true);
  for (const auto& connection : connections_.all()) {
    connections_.erase(connection->id());
    connection->force_close();
    // There may be a stream or a socket to end.
    if (connection->acquire_after_flush()) {
      run(connection, Purpose::all);
    } else {
      cut_off_.push_back(connection);
    }
  }
}

std::unique_ptr<Adapter> make_epoll_adapter() { return std::make_unique<EpollAdapter>(); }

}  // namespace fw::http
