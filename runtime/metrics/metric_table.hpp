// The metrics of the framework: a row for each. The runtime writes `/metrics` with these names, and
// the route compiler writes the catalogue, alert rules and dashboards from them (docs/metrics.md).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fw::metrics {

enum class MetricType : std::uint8_t { counter, gauge, histogram };

/// How the processes of a cluster become one series. Counters and histograms are always summed.
enum class Merge : std::uint8_t { sum, smallest };

/// "counter"
std::string_view name_of(MetricType type);

/// The upper bounds of buckets for durations that OpenTelemetry recommends, in seconds.
inline constexpr std::array kDurationBounds = {0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25,
                                               0.5,   0.75, 1.0,   2.5,  5.0,   7.5, 10.0};

struct Metric {
  std::string_view name;  ///< as OpenMetrics has it: of a counter, without `_total`
  MetricType type = MetricType::gauge;
  std::string_view help;  ///< a sentence
  /// Of its series; each may be absent. A histogram has `le`, too.
  std::array<std::string_view, 5> labels = {};
  /// What an application needs for it; empty: the admin listener.
  std::string_view needs = {};
  Merge merge = Merge::sum;

  /// The name of its series in PromQL: of a histogram, without `_bucket`, `_sum` or `_count`.
  std::string series() const {
    return std::string(name) + (type == MetricType::counter ? "_total" : "");
  }
};

inline constexpr std::string_view kMethodLabel = "http_request_method";
inline constexpr std::string_view kRouteLabel = "http_route";
inline constexpr std::string_view kStatusLabel = "http_response_status_code";

inline constexpr Metric kRequestDuration{"http_server_request_duration_seconds",
                                         MetricType::histogram,
                                         "Duration of requests.",
                                         {kMethodLabel, kRouteLabel, kStatusLabel}};
inline constexpr Metric kActiveRequests{"http_server_active_requests", MetricType::gauge,
                                        "Requests in progress."};
inline constexpr Metric kRequestBytes{
    "fairway_request_body_bytes",
    MetricType::counter,
    "Bytes of request bodies that were read, without transfer codings.",
    {kMethodLabel, kRouteLabel}};
inline constexpr Metric kResponseBytes{
    "fairway_response_body_bytes",
    MetricType::counter,
    "Bytes of response bodies, as they were given to the connection.",
    {kMethodLabel, kRouteLabel}};
inline constexpr Metric kCallDuration{
    "http_client_request_duration_seconds",
    MetricType::histogram,
    "Duration of calls to other services, up to the head of the response.",
    {kMethodLabel, "server_address", "server_port", kStatusLabel, "error_type"},
    "outbound calls"};
inline constexpr Metric kQueueDuration{"fairway_queue_duration_seconds", MetricType::histogram,
                                       "Time that requests waited for a thread."};
inline constexpr Metric kRejectedRequests{
    "fairway_rejected_requests",
    MetricType::counter,
    "Requests that were rejected before their handler, by cause.",
    {"cause"}};
inline constexpr Metric kCacheResponses{"fairway_cache_responses",
                                        MetricType::counter,
                                        "Responses of routes with a cache, by what the cache did.",
                                        {kMethodLabel, kRouteLabel, "result"},
                                        "routes with a cache"};
inline constexpr Metric kStoreDuration{
    "fairway_store_duration_seconds",
    MetricType::histogram,
    "Duration of operations on a store, and whether they failed.",
    {"store", "operation", "error_type"},
    "a store that processes share, such as Redis"};
inline constexpr Metric kWorkers{"fairway_workers",
                                 MetricType::gauge,
                                 "Threads that handle requests.",
                                 {},
                                 "the engine 'epoll'"};
inline constexpr Metric kBusyWorkers{"fairway_busy_workers",
                                     MetricType::gauge,
                                     "Threads that are handling a request or another event.",
                                     {},
                                     "the engine 'epoll'"};
inline constexpr Metric kConnections{"fairway_connections",
                                     MetricType::gauge,
                                     "Open connections of clients.",
                                     {},
                                     "the engine 'epoll'"};
inline constexpr Metric kHttp2Floods{"fairway_http2_floods",
                                     MetricType::counter,
                                     "HTTP/2 connections that were closed because of a flood.",
                                     {"kind"},
                                     "HTTP/2"};
inline constexpr Metric kOpenStreams{"fairway_open_streams",
                                     MetricType::gauge,
                                     "Streams of events that are open.",
                                     {kRouteLabel},
                                     "streams of events"};
inline constexpr Metric kStreamEvents{
    "fairway_stream_events",
    MetricType::counter,
    "Events that were queued for a client, for each of its streams.",
    {kRouteLabel},
    "streams of events"};
inline constexpr Metric kStreamEventsDropped{
    "fairway_stream_events_dropped",
    MetricType::counter,
    "Events that were dropped because their client was too slow.",
    {kRouteLabel},
    "streams of events"};
inline constexpr Metric kOpenSockets{
    "fairway_open_sockets", MetricType::gauge, "Sockets that are open.", {kRouteLabel}, "sockets"};
inline constexpr Metric kSocketMessages{
    "fairway_socket_messages",
    MetricType::counter,
    "Messages of sockets, by direction; those sent were queued for a client.",
    {kRouteLabel, "direction"},
    "sockets"};
inline constexpr Metric kSocketMessagesDropped{
    "fairway_socket_messages_dropped",
    MetricType::counter,
    "Messages that were dropped because their client was too slow.",
    {kRouteLabel},
    "sockets"};
inline constexpr Metric kTopicEventsPublished{"fairway_topic_events_published",
                                              MetricType::counter,
                                              "Events that this process has published to topics.",
                                              {},
                                              "topics"};
inline constexpr Metric kTopicEventsDelivered{
    "fairway_topic_events_delivered",
    MetricType::counter,
    "Events of topics, for each stream or socket that got them.",
    {},
    "topics"};
inline constexpr Metric kTopicEventsLost{
    "fairway_topic_events_lost",
    MetricType::counter,
    "Events of topics that were lost between this process and others, at least.",
    {},
    "topics"};
inline constexpr Metric kTopicEventsUnreadable{
    "fairway_topic_events_unreadable",
    MetricType::counter,
    "Events of topics from other processes that could not be read.",
    {},
    "topics"};
inline constexpr Metric kSentSpans{"fairway_sent_spans",
                                   MetricType::counter,
                                   "Spans that the collector has accepted.",
                                   {},
                                   "traces"};
inline constexpr Metric kLostSpans{"fairway_lost_spans",
                                   MetricType::counter,
                                   "Spans that were not sent, or not accepted, by cause.",
                                   {"cause"},
                                   "traces"};
inline constexpr Metric kProcessorTime{"process_cpu_seconds", MetricType::counter,
                                       "Processor time of the process in seconds."};
inline constexpr Metric kVirtualMemory{"process_virtual_memory_bytes", MetricType::gauge,
                                       "Size of the address space."};
inline constexpr Metric kResidentMemory{"process_resident_memory_bytes", MetricType::gauge,
                                        "Memory that the process occupies."};
inline constexpr Metric kOpenDescriptors{"process_open_fds", MetricType::gauge,
                                         "Open file descriptors."};
inline constexpr Metric kMaxDescriptors{
    "process_max_fds", MetricType::gauge, "Limit of open file descriptors.", {}, {},
    Merge::smallest};
inline constexpr Metric kStartTime{"process_start_time_seconds",
                                   MetricType::gauge,
                                   "Time of the start of the process, in seconds since 1970.",
                                   {},
                                   {},
                                   Merge::smallest};

/// All of them, in the order of the documentation.
std::span<const Metric> all();

/// The metric with a name, or null.
const Metric* find(std::string_view name);

}  // namespace fw::metrics
