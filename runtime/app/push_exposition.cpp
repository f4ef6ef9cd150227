#include <algorithm>
#include <string>

#include "app/admin_pages.hpp"
#include "exchange/route.hpp"
#include "features/events/event_channel.hpp"
#include "features/events/push_figures.hpp"
#include "features/sockets/socket_policy.hpp"
#include "observe/exposition.hpp"

namespace fw::detail {
namespace {

const PushFigures* of_stream(const Route& route) {
  return route.stream_policy ? &route.stream_policy->figures : nullptr;
}
const PushFigures* of_socket(const Route& route) {
  return route.socket_policy ? &route.socket_policy->figures : nullptr;
}

/// Writes the routes that have such figures as one metric, or nothing.
class Writer {
 public:
  Writer(Exposition& text, std::span<const Route* const> routes,
         const PushFigures* (*figures_of)(const Route&))
      : text_(text), routes_(routes), figures_of_(figures_of) {}

  bool has_routes() const {
    return std::ranges::any_of(routes_, [&](const Route* route) { return figures_of_(*route); });
  }
  void begin(const metrics::Metric& metric) { text_.begin(metric); }
  template <typename Number>
  void samples(std::atomic<Number> PushFigures::* figure, const Labels& more = {}) {
    for (const Route* const route : routes_) {
      const PushFigures* const figures = figures_of_(*route);
      if (figures == nullptr) continue;
      Labels labels = {{std::string(metrics::kRouteLabel), route->path}};
      labels.insert(labels.end(), more.begin(), more.end());
      text_.sample(labels, static_cast<double>((figures->*figure).load(std::memory_order_relaxed)));
    }
  }

 private:
  Exposition& text_;
  std::span<const Route* const> routes_;
  const PushFigures* (*figures_of_)(const Route&);
};

}  // namespace

void write_push_figures(Exposition& text, std::span<const Route* const> routes) {
  if (Writer streams(text, routes, of_stream); streams.has_routes()) {
    streams.begin(metrics::kOpenStreams);
    streams.samples(&PushFigures::open);
    streams.begin(metrics::kStreamEvents);
    streams.samples(&PushFigures::sent);
    streams.begin(metrics::kStreamEventsDropped);
    streams.samples(&PushFigures::dropped);
  }
  if (Writer sockets(text, routes, of_socket); sockets.has_routes()) {
    sockets.begin(metrics::kOpenSockets);
    sockets.samples(&PushFigures::open);
    sockets.begin(metrics::kSocketMessages);
    sockets.samples(&PushFigures::received, {{"direction", "received"}});
    sockets.samples(&PushFigures::sent, {{"direction", "sent"}});
    sockets.begin(metrics::kSocketMessagesDropped);
    sockets.samples(&PushFigures::dropped);
  }
}

}  // namespace fw::detail
