// Lists of metrics: what `fairway diff` reports of series, and which errors other lists get.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "diff/comparison.hpp"
#include "emit/observability.hpp"
#include "support/compared.hpp"

namespace metrics_test {

using namespace fairway::diff;
using namespace fairway::testing;

namespace {

using Ids = std::vector<std::string>;

fairway::model::Route route(const std::string& method, const std::string& path,
                            const std::string& operation_id, const Json& options) {
  fairway::model::Route result;
  result.method = method;
  result.path = path;
  result.operation_id = operation_id;
  result.options = options;
  return result;
}

/// What `fairway observe metrics` writes.
Json written(const std::vector<fairway::model::Route>& routes) {
  fairway::model::Application application;
  application.files.emplace_back();
  application.files.back().routes = routes;
  return Json::parse(fairway::emit::metric_catalogue(application).dump());
}

Json written_orders() {
  return written({route("GET", "/orders/:id", "getOrder",
                        {{"cache", 1000}, {"objective", {{"p99", 200}, {"availability", 99.9}}}}),
                  route("POST", "/orders", "createOrder", Json::object())});
}

Changes compared_lists(const Json& before, const Json& after) {
  Changes changes = compare_documents(parse_document("old.json", before.dump()),
                                      parse_document("new.json", after.dump()));
  sort_changes(changes);
  return changes;
}

Json& metric(Json& list, const std::string& name) {
  return *std::ranges::find_if(list["metrics"],
                               [&](const Json& each) { return each["name"] == name; });
}

std::string text_of(const Json& before, const Json& after) {
  return render_text({.old_name = "old.json",
                      .new_name = "new.json",
                      .changes = compared_lists(before, after),
                      .unused = {}},
                     false);
}

std::string error_of(const std::string& text) {
  try {
    const Document document = parse_document("a.json", text);
    compare_documents(document, document);
  } catch (const BadDocument& error) {
    return error.what();
  }
  return "accepted";
}

/// The error of a list in which the member that `pointer` names has another value.
std::string error_with(const char* pointer, const Json& value) {
  Json list = written_orders();
  list[Json::json_pointer(pointer)] = value;
  return error_of(list.dump());
}

std::string error_without(const char* parent, const char* member) {
  Json list = written_orders();
  list[Json::json_pointer(parent)].erase(member);
  return error_of(list.dump());
}

}  // namespace

TEST_CASE("diff metrics: the list that 'fairway observe' writes is read, and equals itself") {
  CHECK(compared_lists(written_orders(), written_orders()).empty());
  CHECK(written({}) == written({}));
}

TEST_CASE("diff metrics: a route that is removed, renamed or no longer cached") {
  const Json before = written_orders();
  CHECK(text_of(before, written({route("GET", "/orders/:id", "getOrder", Json::object())})) ==
        "GET /orders/:id\n"
        "  breaking: metric 'fairway_cache_responses_total': the metric has no series of the route "
        "any more [route-series-removed]\n"
        "  breaking: objective: p99: 200 ms was removed [objective-removed]\n"
        "  breaking: objective: availability: 99.9 % was removed [objective-removed]\n"
        "\n"
        "POST /orders\n"
        "  breaking: the route was removed [route-removed]\n"
        "\n"
        "4 changes: 4 breaking, 0 non-breaking, 0 documentation\n");
  // The label is the path as it is registered.
  const Json after = written({route("GET", "/orders/:order", "getOrder", before["routes"][0]),
                              route("POST", "/orders", "createOrder", Json::object())});
  CHECK(text_of(before, after) ==
        "GET /orders/:id\n"
        "  breaking: the route was removed; the operation id 'getOrder' now belongs to GET "
        "/orders/:order [route-removed]\n"
        "\n"
        "GET /orders/:order\n"
        "  non-breaking: the route was added [route-added]\n"
        "\n"
        "2 changes: 1 breaking, 1 non-breaking, 0 documentation\n");
}

TEST_CASE("diff metrics: a route that becomes a stream or a socket has more series") {
  auto stream = route("GET", "/events", "events", Json::object());
  stream.responses.emplace_back().stream.emplace();
  auto socket = route("SOCKET", "/chat", "chat", Json::object());
  socket.socket.emplace();
  const Json before = written({route("GET", "/events", "events", Json::object()),
                               route("GET", "/chat", "chat", Json::object())});
  CHECK(ids(compared_lists(before, written({stream, socket}))) == Ids(6, "route-series-added"));
  CHECK(ids(compared_lists(written({stream, socket}), before)) == Ids(6, "route-series-removed"));
}

TEST_CASE("diff metrics: a socket and a route of GET with one path share their series") {
  auto socket = route("SOCKET", "/chat", "chat", Json::object());
  socket.socket.emplace();
  const auto page = route("GET", "/chat", "page", {{"objective", {{"p99", 200}}}});
  const auto both = written({socket, page});
  CHECK(ids(compared_lists(both, written({page, socket}))).size() <= 1);  // the operation id
  CHECK(ids(compared_lists(written({socket}), both)) == Ids{"objective-added"});
  CHECK(ids(compared_lists(both, written({socket}))) == Ids{"objective-removed"});
}

TEST_CASE("diff metrics: labels, buckets, types and units of a metric") {
  const Json before = written_orders();
  Json after = before;
  metric(after, "http_server_request_duration_seconds")["labels"][1] = "route";
  metric(after, "fairway_queue_duration_seconds")["buckets"].erase(4);
  metric(after, "fairway_connections")["type"] = "counter";
  metric(after, "fairway_store_duration_seconds")["name"] = "fairway_store_duration_milliseconds";
  metric(after, "fairway_rejected_requests_total")["name"] = "fairway_rejected_requests";
  CHECK(text_of(before, after) ==
        "fairway_connections\n"
        "  breaking: type 'gauge' became 'counter' [metric-type-changed]\n"
        "\n"
        "fairway_queue_duration_seconds\n"
        "  breaking: bucket 0.075: the bucket was removed [metric-bucket-removed]\n"
        "\n"
        "http_server_request_duration_seconds\n"
        "  breaking: label 'http_route': the label was removed; 'route' was added "
        "[metric-label-removed]\n"
        "  non-breaking: label 'route': the label was added [metric-label-added]\n"
        "\n"
        "fairway_rejected_requests_total\n"
        "  breaking: the counter was removed; 'fairway_rejected_requests' was added "
        "[metric-removed]\n"
        "\n"
        "fairway_store_duration_seconds\n"
        "  breaking: the histogram was removed; 'fairway_store_duration_milliseconds' was added "
        "[metric-removed]\n"
        "\n"
        "fairway_rejected_requests\n"
        "  non-breaking: the counter was added [metric-added]\n"
        "\n"
        "fairway_store_duration_milliseconds\n"
        "  non-breaking: the histogram was added [metric-added]\n"
        "\n"
        "8 changes: 5 breaking, 3 non-breaking, 0 documentation\n");
}

TEST_CASE("diff metrics: a metric that is removed is not reported for each route") {
  const Json before = written_orders();
  Json after = before;
  std::erase_if(after["metrics"].get_ref<Json::array_t&>(),
                [](const Json& each) { return each["name"] == "fairway_cache_responses_total"; });
  after["routes"][0]["metrics"].erase(3);
  CHECK(ids(compared_lists(before, after)) == Ids{"metric-removed"});
  CHECK(ids(compared_lists(after, before)) == Ids{"metric-added"});
  // Nor is its label.
  after = before;
  metric(after, "fairway_cache_responses_total")["labels"].erase(1);
  after["routes"][0]["metrics"].erase(3);
  CHECK(ids(compared_lists(before, after)) == Ids{"metric-label-removed"});
  CHECK(ids(compared_lists(after, before)) == Ids{"metric-label-added"});
}

TEST_CASE("diff metrics: an objective that becomes less strict, and one that becomes stricter") {
  const Json before = written_orders();
  Json after = before;
  after["routes"][0]["objective"] = {{"p99", 250.5}, {"availability", 99}};
  CHECK(text_of(before, after) ==
        "GET /orders/:id\n"
        "  breaking: objective: p99: 200 ms became 250.5 ms [objective-loosened]\n"
        "  breaking: objective: availability: 99.9 % became 99 % [objective-loosened]\n"
        "\n"
        "2 changes: 2 breaking, 0 non-breaking, 0 documentation\n");
  CHECK(ids(compared_lists(after, before)) == Ids{"objective-tightened", "objective-tightened"});
}

TEST_CASE("diff metrics: operation ids and tags are not part of series") {
  Json after = written_orders();
  after["routes"][0]["operationId"] = "readOrder";
  after["routes"][0]["tags"] = {"orders"};
  CHECK(ids(compared_lists(written_orders(), after)) ==
        Ids{"operation-id-changed", "tags-changed"});
}

TEST_CASE("diff metrics: the JSON report names the metric or the route, and approvals match") {
  const Json before = written_orders();
  Json after = before;
  metric(after, "fairway_connections")["type"] = "counter";
  after["routes"].erase(1);
  Comparison comparison{.old_name = "old.json",
                        .new_name = "new.json",
                        .changes = compared_lists(before, after),
                        .unused = {}};
  const Json report = Json::parse(render_json(comparison));
  CHECK(report["changes"][0]["operation"] == "fairway_connections");
  CHECK(report["changes"][0]["metric"] == "fairway_connections");
  CHECK_FALSE(report["changes"][0].contains("method"));
  CHECK(report["changes"][1]["operation"] == "POST /orders");
  CHECK(report["changes"][1]["method"] == "POST");
  CHECK(report["changes"][1]["document"] == "old");
  CHECK(report["changes"][1]["pointer"] == "/routes/1");
  const Approvals all = parse_approvals("a.json", write_approvals(comparison.changes));
  CHECK(all.size() == 2);
  CHECK(apply_approvals(all, comparison.changes).empty());
  CHECK(comparison.ok());
}

TEST_CASE("diff metrics: a list of another version, or one that lacks members, is rejected") {
  CHECK(error_of(written_orders().dump()) == "accepted");
  CHECK(error_of(R"({"metrics": 1})") == "a.json: the document: 'version' is missing");
  CHECK(error_of(R"({"version": 2, "metrics": []})") ==
        "a.json: /version: is 2: this fairway reads lists of metrics of version 1");
  CHECK(error_of(R"({"version": {"a": "1"}, "metrics": []})") ==
        "a.json: /version: is {\"a\":\"1\"}: this fairway reads lists of metrics of version 1");
  CHECK(error_of(R"({"version": 1, "metrics": {}})") == "a.json: /metrics: must be an array");
  CHECK(error_of(R"({"version": 1, "metrics": []})") ==
        "a.json: the document: 'routes' is missing");
  for (const char* member : {"name", "type", "labels", "series", "buckets"}) {
    CAPTURE(member);
    CHECK(error_without("/metrics/0", member) ==
          std::string("a.json: /metrics/0: '") + member + "' is missing");
  }
  for (const char* member : {"http_request_method", "http_route", "metrics"}) {
    CAPTURE(member);
    CHECK(error_without("/routes/0", member) ==
          std::string("a.json: /routes/0: '") + member + "' is missing");
  }
}

TEST_CASE("diff metrics: a list with values of other types is rejected") {
  const Json odd_values[] = {nullptr, true, 1, -1.5, Json::array({Json::array()}), Json::object()};
  const char* const strings[] = {"/metrics/0/name",       "/metrics/0/type",
                                 "/metrics/0/help",       "/metrics/7/needs",
                                 "/metrics/0/labels/0",   "/metrics/0/series/0",
                                 "/routes/0/http_route",  "/routes/0/http_request_method",
                                 "/routes/0/operationId", "/routes/0/metrics/0"};
  for (const char* pointer : strings) {
    CAPTURE(pointer);
    for (const Json& value : odd_values) {
      CAPTURE(value.dump());
      CHECK(error_with(pointer, value) == "a.json: " + std::string(pointer) + ": must be a string");
    }
    CHECK(error_with(pointer, "").find("must not be empty") != std::string::npos);
    CHECK(error_with(pointer, "a\033[2J").find("control characters") != std::string::npos);
  }
  for (const char* pointer : {"/metrics", "/routes", "/metrics/0/labels", "/metrics/0/series",
                              "/metrics/0/buckets", "/routes/0/metrics", "/routes/0/tags"}) {
    CHECK(error_with(pointer, "x") == "a.json: " + std::string(pointer) + ": must be an array");
    CHECK(error_with(pointer, Json::object()) ==
          "a.json: " + std::string(pointer) + ": must be an array");
  }
  for (const char* pointer : {"/metrics/0", "/routes/0", "/routes/0/objective"}) {
    for (const Json& value : {Json(nullptr), Json(1), Json("x"), Json::array()}) {
      CHECK(error_with(pointer, value) ==
            "a.json: " + std::string(pointer) + ": must be an object");
    }
  }
  for (const char* pointer :
       {"/metrics/0/buckets/0", "/routes/0/objective/p99", "/routes/0/objective/availability"}) {
    CHECK(error_with(pointer, "1") == "a.json: " + std::string(pointer) + ": must be a number");
  }
}

TEST_CASE("diff metrics: names that are no names, known twice or unknown are rejected") {
  CHECK(error_with("/metrics/0/name", "a b") ==
        "a.json: /metrics/0/name: 'a b' must consist of letters, digits, '_' and ':', and must not "
        "begin with a digit");
  CHECK(error_with("/metrics/0/labels/0", "0a").find("must not begin with a digit") !=
        std::string::npos);
  CHECK(
      error_with("/metrics/1/name", "http_server_request_duration_seconds") ==
      "a.json: /metrics/1/name: 'http_server_request_duration_seconds' is the name of two metrics");
  CHECK(error_with("/routes/1/metrics/0", "x") ==
        "a.json: /routes/1/metrics/0: there is no metric 'x' in the list");
}

TEST_CASE("diff metrics: numbers beyond the range are rejected, and very long lists are compared") {
  CHECK(error_of(R"({"version": 1, "metrics": [{"buckets": [1e999]}]})").find("is not JSON") !=
        std::string::npos);
  Json before = written({});
  Json after = before;
  constexpr int kMany = 2'000;
  for (int i = 0; i < kMany; ++i) {
    Json each = {{"http_request_method", "GET"}, {"operationId", std::to_string(i)}};
    each["metrics"] = Json::array();
    each["http_route"] = "/old/" + std::to_string(i);
    before["routes"].push_back(each);
    each["http_route"] = "/new/" + std::to_string(i);
    after["routes"].push_back(each);
  }
  const std::string text = text_of(before, after);
  CHECK(text.ends_with("4000 changes: 2000 breaking, 2000 non-breaking, 0 documentation\n"));
}

}  // namespace metrics_test
