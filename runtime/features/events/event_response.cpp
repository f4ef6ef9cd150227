// Responses that are streams of events or lines: docs/events.md.
#include <fairway/response.hpp>

#include <fmt/format.h>

#include <memory>
#include <stdexcept>

#include "exchange/exchange.hpp"
#include "features/events/event_channel.hpp"
#include "http/trusted_proxies.hpp"

namespace fw {
namespace {

constexpr std::string_view kEventStream = "text/event-stream";
constexpr std::string_view kNdjson = "application/x-ndjson";

/// Opens a stream of the events that the route declares for the status. Throws std::logic_error if
/// it declares none in this format, or if there is a response, and HttpError 429 if the client has
/// too many streams.
std::shared_ptr<detail::EventChannel> open_events(detail::Exchange& exchange,
                                                  StreamSchema::Format format) {
  const bool are_lines = format == StreamSchema::Format::lines;
  const detail::Route* const route = exchange.route;
  detail::OutgoingResponse& response = exchange.outgoing;
  const auto* const declared =
      route != nullptr ? route->response_schemas.find(response.status) : nullptr;
  if (declared == nullptr || !declared->stream || declared->stream->format != format) {
    throw std::logic_error(fmt::format(
        R"({} declares no stream of {} for the status {}: write .responses = {{{{"{}", fw::{}}}}})",
        route != nullptr ? name_of(*route) : "a request without a route",
        are_lines ? "lines" : "events", response.status, response.status,
        are_lines ? "lines(…)" : "events({…})"));
  }
  if (response.is_set()) {
    throw std::logic_error(fmt::format("{} has a response already", name_of(*route)));
  }
  auto channel = std::make_shared<detail::EventChannel>(declared->stream, route->stream_policy,
                                                        http::client_group(exchange.ip()));
  response.open(detail::OutgoingResponse::Kind::events, channel);
  response.set_valid_field("content-type", are_lines ? kNdjson : kEventStream);
  // Proxies such as nginx would collect events.
  response.set_valid_field(detail::EventChannel::kBuffering, "no");
  response.freshness.forbids_storing = true;
  response.finish_head();
  return channel;
}

}  // namespace

EventStream Response::events() {
  return EventStream(open_events(exchange_, StreamSchema::Format::events));
}

LineStream Response::lines() {
  return LineStream(open_events(exchange_, StreamSchema::Format::lines));
}

}  // namespace fw
