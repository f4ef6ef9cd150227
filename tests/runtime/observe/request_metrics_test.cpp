#include "observe/request_metrics.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include "observe/counter_memory.hpp"
#include "support/allocation_count.hpp"
#include "support/listed_metrics.hpp"

namespace request_metrics_test {

using fw::detail::Exposition;
using fw::detail::Rejection;
using fw::detail::RequestMetrics;
using Routes = std::vector<RequestMetrics::Route>;
using namespace std::chrono_literals;

namespace {

std::string text_of(const RequestMetrics& metrics) {
  Exposition text(Exposition::Format::prometheus);
  metrics.write(text);
  const std::string written = text.finish();
  CHECK(fw::support::unlisted_metrics(written) == "");
  return "\n" + written;
}

bool has(const RequestMetrics& metrics, const std::string& line) {
  return text_of(metrics).find("\n" + line + "\n") != std::string::npos;
}

std::string series(const std::string& suffix, const std::string& labels) {
  return "http_server_request_duration_seconds" + suffix + "{" + labels + "}";
}

/// Of this thread, since its beginning.
std::size_t page_faults() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::size_t>(usage.ru_minflt);
}

}  // namespace

TEST_CASE("request metrics: a duration is in its bucket, up to its bound") {
  RequestMetrics metrics(Routes{{"GET", "/a"}});
  for (const auto duration : {1ms, 5ms, 6ms, 20'000ms}) {
    metrics.end(metrics.begin(), {.route = 0, .method = "GET", .status = 200}, duration);
  }
  const std::string labels =
      R"(http_request_method="GET",http_route="/a",http_response_status_code="200")";
  CHECK(has(metrics, series("_bucket", labels + R"(,le="0.005")") + " 2"));
  CHECK(has(metrics, series("_bucket", labels + R"(,le="0.01")") + " 3"));
  CHECK(has(metrics, series("_bucket", labels + R"(,le="10.0")") + " 3"));
  CHECK(has(metrics, series("_bucket", labels + R"(,le="+Inf")") + " 4"));
  CHECK(has(metrics, series("_sum", labels) + " 20.012"));
  CHECK(has(metrics, "http_server_active_requests 0"));
}

TEST_CASE(
    "request metrics: statuses without a series of their own share the series of their class") {
  RequestMetrics metrics(Routes{{"GET", "/a"}});
  for (int status = 200; status < 600; ++status) {
    metrics.end(metrics.begin(), {.route = 0, .method = "GET", .status = status}, 1ms);
  }
  const auto count = [&](const std::string& status, int number) {
    return has(metrics, series("_count", R"(http_request_method="GET",http_route="/a",)"
                                         R"(http_response_status_code=")" +
                                             status + "\"") +
                            " " + std::to_string(number));
  };
  CHECK(count("200", 1));
  CHECK(count("422", 1));
  CHECK(count("511", 1));
  CHECK(count("2xx", 90));
  CHECK(count("3xx", 92));
  CHECK(count("4xx", 71));
  CHECK(count("5xx", 89));
}

TEST_CASE("request metrics: usual responses are counted as any other") {
  RequestMetrics usual(Routes{{"GET", "/a"}, {"POST", "/b"}});
  RequestMetrics any(Routes{{"GET", "/a"}, {"POST", "/b"}});
  int count = 0;
  for (int status = 0; status < 1'000; ++status) {
    if (!RequestMetrics::is_usual(status)) continue;
    ++count;
    CHECK(status != 204);
    CHECK(status != 304);
    CHECK(status < 400);
    const auto duration = status * 10us;
    usual.end_usual(usual.begin(), 1, status, duration, 1'000, 20);
    any.end(any.begin(),
            {.route = 1,
             .method = "POST",
             .status = status,
             .request_bytes = 1'000,
             .response_bytes = 20},
            duration);
  }
  CHECK(count == 9);
  CHECK(text_of(usual) == text_of(any));
  CHECK(has(usual, series("_count", R"(http_request_method="POST",http_route="/b",)"
                                    R"(http_response_status_code="201")") +
                       " 1"));
}

TEST_CASE("request metrics: series with the same labels are one") {
  RequestMetrics metrics(Routes{{"GET", "/a"}, {"HEAD", "/a"}, {"OPTIONS", "/b"}});
  metrics.end(metrics.begin(), {.route = 0, .method = "HEAD", .status = 200}, 1ms);
  metrics.end(metrics.begin(), {.route = 1, .method = "HEAD", .status = 200}, 1ms);
  metrics.end(metrics.begin(), {.route = 0, .method = "OPTIONS", .status = 204},
              1ms);  // a preflight
  metrics.end(metrics.begin(), {.route = 2, .method = "OPTIONS", .status = 200}, 1ms);
  metrics.end(metrics.begin(), {.method = "BREW", .status = 404}, 1ms);
  metrics.end(metrics.begin(), {.method = "get", .status = 404}, 1ms);
  const auto count = [&](const std::string& labels, int number) {
    return has(metrics, series("_count", labels) + " " + std::to_string(number));
  };
  CHECK(count(R"(http_request_method="HEAD",http_route="/a",http_response_status_code="200")", 2));
  CHECK(count(R"(http_request_method="OPTIONS",http_response_status_code="204")", 1));
  CHECK(
      count(R"(http_request_method="OPTIONS",http_route="/b",http_response_status_code="200")", 1));
  CHECK(count(R"(http_request_method="_OTHER",http_response_status_code="404")", 2));
}

TEST_CASE("request metrics: the bytes of bodies are counted by route") {
  RequestMetrics metrics(Routes{{"POST", "/a"}});
  const auto upload = [&](std::size_t route) {
    metrics.end(metrics.begin(),
                {.route = route,
                 .method = "POST",
                 .status = 200,
                 .request_bytes = 1'000,
                 .response_bytes = 20},
                1ms);
  };
  upload(0);
  upload(0);
  upload(RequestMetrics::kNoRoute);
  metrics.count_sent(0, "POST", 3);
  const std::string labels = R"({http_request_method="POST",http_route="/a"})";
  CHECK(has(metrics, "fairway_request_body_bytes_total" + labels + " 2000"));
  CHECK(has(metrics, "fairway_response_body_bytes_total" + labels + " 43"));
  CHECK(has(metrics, R"(fairway_request_body_bytes_total{http_request_method="POST"} 1000)"));
}

TEST_CASE("request metrics: a bucket has the last request whose trace is sent as its exemplar") {
  RequestMetrics metrics(Routes{{"GET", "/a"}}, /*has_exemplars=*/true);
  fw::base::TraceId trace;
  trace.bytes.fill(0xab);
  const auto end = [&](std::chrono::milliseconds duration, const fw::base::TraceId* its_trace) {
    metrics.end(metrics.begin(), {.route = 0, .method = "GET", .status = 200, .trace = its_trace},
                duration);
  };
  end(20ms, nullptr);
  end(30ms, &trace);
  end(40ms, nullptr);
  Exposition text(Exposition::Format::openmetrics);
  metrics.write(text);
  const std::string page = text.finish();
  const std::string labels =
      R"(http_request_method="GET",http_route="/a",http_response_status_code="200")";
  CHECK(page.find(series("_bucket", labels + R"(,le="0.025")") + " 1\n") != std::string::npos);
  CHECK(page.find(series("_bucket", labels + R"(,le="0.05")") +
                  " 3 # {trace_id=\"abababababababababababababababab\"} 0.03 ") !=
        std::string::npos);
  CHECK(text_of(metrics).find("trace_id") == std::string::npos);
}

TEST_CASE("request metrics: threads lose no request, and counting allocates nothing") {
  RequestMetrics metrics(Routes{{"GET", "/a"}, {"GET", "/b"}});
  constexpr int kThreads = 40;
  constexpr int kRequests = 2'000;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int request = 0; request < kRequests; ++request) {
        metrics.end(
            metrics.begin(),
            {.route = 1, .method = "GET", .status = 429, .rejection = Rejection::rate_limit}, 1ms);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(has(metrics,
            series("_count",
                   R"(http_request_method="GET",http_route="/b",http_response_status_code="429")") +
                " 80000"));
  CHECK(has(metrics, R"(fairway_rejected_requests_total{cause="rate_limit"} 80000)"));
  const std::size_t before = fw::support::allocation_count();
  metrics.end(metrics.begin(), {.route = 0, .method = "GET", .status = 200}, 1ms);
  CHECK(fw::support::allocation_count() == before);
}

TEST_CASE("request metrics: waits for a thread are a histogram of all requests") {
  RequestMetrics metrics(Routes{{"GET", "/a"}});
  for (const auto wait : {0ms, 0ms, 3ms, 30ms, 20'000ms}) {
    metrics.end(metrics.begin(),
                {.route = 0, .method = "GET", .status = 200, .cache = {}, .queued = wait}, 1ms);
  }
  CHECK(has(metrics, R"(fairway_queue_duration_seconds_bucket{le="0.005"} 3)"));
  CHECK(has(metrics, R"(fairway_queue_duration_seconds_bucket{le="0.05"} 4)"));
  CHECK(has(metrics, R"(fairway_queue_duration_seconds_bucket{le="+Inf"} 5)"));
  CHECK(has(metrics, "fairway_queue_duration_seconds_count 5"));
  CHECK(has(metrics, "fairway_queue_duration_seconds_sum 20.033"));
}

TEST_CASE("request metrics: routes with the same statuses share pages of memory") {
  // A page for each route would be 4 KB, or 2 MB where the system prefers huge pages.
  constexpr std::size_t kRoutes = 2'000;
  RequestMetrics metrics(Routes(kRoutes, {"GET", "/a"}));
  const auto before = page_faults();
  for (std::size_t i = 0; i < kRoutes; ++i) {
    metrics.end(metrics.begin(), {.route = i, .method = "GET", .status = 200}, 1ms);
  }
  CHECK(page_faults() - before < kRoutes / 2);
}

TEST_CASE("request metrics: a scrape reads the statuses that were counted") {
  constexpr std::size_t kRoutes = 2'000;  // which have 16 MB of counters in each part
  RequestMetrics metrics(Routes(kRoutes, {"GET", "/a"}));
  metrics.end(metrics.begin(), {.route = 7, .method = "GET", .status = 200}, 1ms);
  const auto before = page_faults();
  CHECK(has(metrics, series("_count", R"(http_request_method="GET",http_route="/a",)"
                                      R"(http_response_status_code="200")") +
                         " 1"));
  // Each part has 4,000 pages, of which the statuses of one slot take some hundred.
  const auto threads = std::max(1U, std::thread::hardware_concurrency());
  const auto parts = std::min<std::size_t>(32, std::bit_ceil(std::size_t{2} * threads));
  CHECK(page_faults() - before < parts * 700 + 1'000);
}

TEST_CASE("request metrics: the memory of counters is never in huge pages") {
  const fw::detail::CounterMemory memory(std::size_t{1} << 20);
  std::ifstream mappings("/proc/self/smaps");
  std::string flags;
  bool is_inside = false;
  for (std::string line; std::getline(mappings, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &begin, &end) == 2) {
      const auto address = reinterpret_cast<std::uintptr_t>(memory.words());
      is_inside = begin <= address && address < end;
    } else if (is_inside && line.starts_with("VmFlags:")) {
      flags = line + " ";
    }
  }
  if (flags.empty() || !std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) {
    MESSAGE("this system has no huge pages, or does not show them");
  } else {
    CHECK(flags.find(" nh ") != std::string::npos);
  }
}

TEST_CASE("request metrics: errors of the engine have a cause") {
  RequestMetrics metrics(Routes{});
  for (const int status : {400, 431, 408, 503, 503, 500}) metrics.count_engine_error(status);
  CHECK(has(metrics, R"(fairway_rejected_requests_total{cause="malformed"} 2)"));
  CHECK(has(metrics, R"(fairway_rejected_requests_total{cause="slow"} 1)"));
  CHECK(has(metrics, R"(fairway_rejected_requests_total{cause="overload"} 2)"));
}

}  // namespace request_metrics_test
