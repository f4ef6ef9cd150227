#include "pipeline/response_sending.hpp"

#include <fairway/errors.hpp>
#include <fairway/fetch.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/parse_number.hpp"
#include "errors/exception_info.hpp"
#include "exchange/cancellation.hpp"
#include "exchange/readable_source.hpp"
#include "features/events/event_channel.hpp"
#include "features/sockets/socket_channel.hpp"
#include "pipeline/arriving_body.hpp"
#include "pipeline/measured_request.hpp"

namespace fw::detail {
namespace {

/// Once, when nothing more of a stream is sent.
void report_sent(Exchange& exchange) {
  const auto report = std::exchange(exchange.outgoing.report, nullptr);
  if (report) report->at_end(report->sent);
}

/// The entry of a stream or socket, which outlives the exchange.
class LongEntry {
 public:
  LongEntry(Exchange& exchange, RequestState state)
      : owner_(exchange.env.active),
        id_(exchange.context.request_id),
        entry_(*exchange.entry(), state, id_) {}

  void leave() { entry_.leave(); }

 private:
  const std::shared_ptr<ActiveRequests> owner_;
  const std::string id_;
  ActiveRequest entry_;
};

template <class Channel>
void list_until_end(Exchange& exchange, Channel& channel, RequestState state) {
  if (exchange.entry() == nullptr) return;
  auto entry = std::make_unique<LongEntry>(exchange, state);
  channel.add_report([entry = std::move(entry)](const auto&) { entry->leave(); });
}

/// The exchange ends with the handler; only the channel remains, with which `respond` responds.
template <class Channel, class Respond>
void send_channel(Exchange& exchange, Channel& channel, RequestState state,
                  const Respond& respond) {
  exchange.outgoing.opened.reset();
  bool is_sent = false;
  try {
    channel.keep(exchange.release_cancellation());
    list_until_end(exchange, channel, state);
    is_sent = respond();
  } catch (...) {
    channel.refuse();
    throw;
  }
  if (!is_sent) channel.refuse();
}

/// Removes Content-Length, which the adapter sets, and returns its value as the length of a stream.
std::optional<std::uint64_t> take_content_length(Exchange& exchange) {
  const auto field = exchange.outgoing.field("content-length");
  if (!field) return std::nullopt;
  const auto length = base::parse_number<std::uint64_t>(*field);
  exchange.outgoing.remove_field("content-length");
  return length;
}

/// Whether a source has ended because its client has gone, which is no error.
bool has_ended_with_client(Exchange& exchange, const std::exception_ptr& error) {
  // Otherwise the application has canceled its own work.
  if (!exchange.cancellation()->token().stop_requested()) return false;
  try {
    std::rethrow_exception(error);
  } catch (const AbortError&) {
    return true;
  } catch (const RequestCancelled&) {
    return true;
  } catch (...) {
    return false;
  }
}

/// Emits the hooks after a response.
void announce_sent(Exchange& exchange, const std::exception_ptr& error) {
  const Environment& env = exchange.env;
  if (error && env.hooks.any<hooks::ErrorAfterResponse>()) {
    hooks::ErrorAfterResponse event{exchange.request, exchange.response, error};
    env.hooks.emit(event, env.logger);
  }
  if (env.hooks.any<hooks::ResponseAfter>()) {
    hooks::ResponseAfter event{exchange.request, exchange.response};
    env.hooks.emit(event, env.logger);
  }
}

/// `announced`: the length of the body by its field, if there is one.
void send_stream(const std::shared_ptr<Exchange>& exchange, const std::exception_ptr& error,
                 std::optional<std::uint64_t> announced) {
  OutgoingResponse& response = exchange->outgoing;
  http::Transaction& transaction = *exchange->transaction;
  const auto known_size = response.source->size();
  const auto size = known_size ? known_size : announced;
  const auto read = [exchange](std::span<char> buffer) {
    const auto scope = enter_context(*exchange);
    const std::size_t count = exchange->outgoing.source->read(buffer);
    count_sent(*exchange, count);
    return count;
  };
  const auto end = [exchange, error](const std::exception_ptr& stream_error) {
    const auto scope = enter_context(*exchange);
    try {
      report_sent(*exchange);
      if (stream_error && has_ended_with_client(*exchange, stream_error)) return;
      if (stream_error) return report_incomplete_response(exchange->env, stream_error);
      announce_sent(*exchange, error);
    } catch (...) {
      // Nothing is left to report the error with: the log has failed.
    }
  };
  const auto respond = [&] {
    if (const http::FilePart* const file = ReadableSource::file_of(*response.source)) {
      return transaction.respond_file(response, *file, end);
    }
    const auto arriving = ReadableSource::arriving_of(*response.source);
    if (!arriving || !transaction.pushes_without_thread()) {
      return transaction.respond_stream(response, size, read, end);
    }
    const auto try_read = [exchange, arriving](std::span<char> buffer) {
      const auto scope = enter_context(*exchange);
      const std::optional<std::size_t> count = arriving->try_read(buffer);
      count_sent(*exchange, count.value_or(0));
      return count;
    };
    return transaction.respond_pushed(
        response, std::make_shared<ArrivingBody>(arriving, size, try_read, end));
  };
  try {
    if (respond()) return;
  } catch (...) {
    report_sent(*exchange);
    throw;
  }
  report_sent(*exchange);
  announce_sent(*exchange, error);
}

}  // namespace

bool may_read_while_sent(const OutgoingResponse& response) {
  if (response.kind != OutgoingResponse::Kind::stream) return false;
  const Readable& source = *response.source;
  return ReadableSource::text_of(source) == nullptr && ReadableSource::file_of(source) == nullptr &&
         !ReadableSource::arriving_of(source);
}

void report_incomplete_response(const Environment& env, const std::exception_ptr& error) {
  if (log_lack_of_memory(env.logger, error)) return;
  env.logger.error("the response could not be completed", log_fields(describe(error)));
}

void send_response(const std::shared_ptr<Exchange>& exchange, const std::exception_ptr& error) {
  OutgoingResponse& response = exchange->outgoing;
  const auto announced = take_content_length(*exchange);
  http::Transaction& transaction = *exchange->transaction;
  if (response.kind == OutgoingResponse::Kind::events) {
    const auto events = EventChannel::of(response);
    send_channel(*exchange, *events, RequestState::stream,
                 [&] { return transaction.respond_pushed(response, events); });
    return announce_sent(*exchange, error);
  }
  if (response.kind == OutgoingResponse::Kind::socket) {
    const auto socket = SocketChannel::of(response);
    if (exchange->env.config.request_context.enabled) {
      socket->set_context(exchange->context.for_thread());
    }
    send_channel(*exchange, *socket, RequestState::socket,
                 [&] { return transaction.respond_socket(response, socket); });
    return announce_sent(*exchange, error);
  }
  const bool is_stream = response.kind == OutgoingResponse::Kind::stream;
  const std::string* text = is_stream ? ReadableSource::text_of(*response.source) : &response.body;
  if (text != nullptr) {
    transaction.respond(response, *text);
    return announce_sent(*exchange, error);
  }
  send_stream(exchange, error, announced);
}

}  // namespace fw::detail
