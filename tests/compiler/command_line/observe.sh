#!/usr/bin/env bash
# `fairway observe`: promtool reads what it writes, and evaluates the alerts on series.
# Usage: observe.sh FAIRWAY INCLUDE_DIR DOCS_DIR
fairway=$1 include=$2 docs=$3
source "$(dirname "$0")/checks.sh"

mkdir -p src/routes
cat >src/routes/users.cpp <<'END_OF_FILE'
#include <fairway/fairway.hpp>
using namespace std::chrono_literals;
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/:id", {.objective = {.p99 = 200ms, .availability = 99.9}},
          [](fw::Request&, fw::Response& res) { res.json(1); });
  app.post("/", {.objective = {.availability = 90}},
           [](fw::Request&, fw::Response& res) { res.json(1); });
  app.get("/plain", [](fw::Request&, fw::Response& res) { res.json(1); });
  app.get("/events", {.responses = {{"200", fw::events({{"tick", {{"n", "integer"}}}})}}},
          [](fw::Request&, fw::Response& res) { res.events(); });
});
END_OF_FILE
mkdir -p bare/routes
cat >bare/routes/index.cpp <<'END_OF_FILE'
#include <fairway/fairway.hpp>
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/v1.0/*", {.cache = 1000}, [](fw::Request&, fw::Response& res) { res.json(1); });
});
END_OF_FILE
observe() { "$fairway" observe "$@" -- -std=c++20 -I"$include"; }

begin "observe: usage"
check_status "without WHAT" 2 observe
has stderr "WHAT is required: metrics, alerts or dashboard"
check_status "another word" 2 observe alert
has stderr "WHAT must be metrics, alerts or dashboard, not 'alert'"
check_status "alerts without a job" 2 observe alerts
has stderr "--job is required for alerts: the 'job_name' of the application"

begin "observe: what is written"
observe metrics >metrics.json
has metrics.json '"name": "fairway_rejected_requests_total"' '"http_server_request_duration_seconds_bucket"' \
  '"http_route": "/users/:id"' '"availability": 99.9'
sed -n 's/^ *"name": "\(.*\)",$/\1/p' metrics.json >names
[ "$(wc -l <names)" -gt 20 ] || fail "the list is short"
while read -r name; do
  check "$name is documented" grep -qF "\`$name\`" "$docs/metrics.md" "$docs/topics.md"
done <names
observe alerts --job shop -o rules.yml 2>note
check_empty "note of alerts" "$(cat note)"
check_equal "alerts by route" 5 "$(grep -c 'alert: Route' rules.yml)"
# A tenth of the requests is the whole budget, and no share of errors is 14.4 times that.
has rules.yml "6 * 0.1" "14.4 * 0.001"
lacks rules.yml "14.4 * 0.1"
observe dashboard --title Shop --job shop >dashboard.json
has dashboard.json '"title": "Shop"' '"title": "Objectives"' '"title": "users"' '"title": "Streams of events"' \
  'GET /users/:id: 99 % within 200 ms' 'GET /users/:id: 99.9 % available'
observe alerts --source-dir bare --job shop >none.yml 2>note
has none.yml "groups: []"
has note "note: there are no alerts, because no route has an 'objective'"
observe dashboard --source-dir bare >bare.json
has bare.json '"title": "Cache"' 'http_route=~\"/v1\\\\.0/\\\\*\"'
lacks bare.json "Objectives"
series_of() { # series_of ROUTE FILE: the metrics of a route of the list
  tr -d ' \n' <"$2" | grep -o "\"http_route\":\"$1\"[^]]*\][^]]*" | sed 's/.*\[//'
}
check_equal "metrics of a route" \
  '"http_server_request_duration_seconds","fairway_request_body_bytes_total","fairway_response_body_bytes_total"' \
  "$(series_of /users/plain metrics.json)"
series_of /users/events metrics.json >events.metrics
has events.metrics fairway_open_streams fairway_stream_events_total fairway_stream_events_dropped_total
lacks events.metrics fairway_open_sockets fairway_cache_responses_total
observe metrics --source-dir bare -o bare.metrics.json
has bare.metrics.json '"buckets": [' '0.075'
series_of '/v1.0/\*' bare.metrics.json >bare.metrics
has bare.metrics fairway_cache_responses_total

begin "observe: fairway diff compares the lists"
sed -e 's/, \.availability = 99.9//' -e 's/"\/plain"/"\/simple"/' src/routes/users.cpp >users.cpp
mkdir -p later/routes && mv users.cpp later/routes/
observe metrics --source-dir later -o later.json
check_status "the same" 0 "$fairway" diff metrics.json metrics.json
check_status "a route and a limit less" 1 "$fairway" diff metrics.json later.json
has stdout "breaking: the route was removed [route-removed]" "non-breaking: the route was added [route-added]" \
  "breaking: objective: availability: 99.9 % was removed [objective-removed]" \
  "3 changes: 2 breaking, 1 non-breaking, 0 documentation"

begin "observe: errors of routes"
mkdir -p bad/routes
sed 's/\.availability = 90/.availability = 0.9/' src/routes/users.cpp >bad/routes/users.cpp
check_status "a bad objective" 1 observe metrics --source-dir bad
has stderr "'objective.availability' must be at least 90 and below 100 percent, not 0.9" "[conflicting-options]"

begin "observe: promtool"
if ! command -v promtool >/dev/null; then
  skip "promtool is not installed (Debian package prometheus)"
  exit 0
fi
check "rules" promtool check rules rules.yml
check "no rules" promtool check rules none.yml
# Grafana replaces the variables.
for dashboard in dashboard bare; do
  {
    echo "groups: [{name: panels, rules: ["
    grep -o '"expr": ".*",$' $dashboard.json | sed 's/^"expr": \(.*\),$/{record: a, expr: \1},/' |
      sed 's/\$__rate_interval/5m/g; s/\$job/shop/g' | awk '{ sub(/record: a/, "record: a" NR); print }'
    echo "]}]"
  } >$dashboard.yml
  check "queries of $dashboard" promtool check rules $dashboard.yml
  [ "$(grep -c record: $dashboard.yml)" -gt 15 ] || fail "$dashboard has few queries"
done

series() { # series SUFFIX LABELS VALUES
  printf '      - {series: '\''http_server_request_duration_seconds_%s{job="shop",instance="a",%s}'\'', values: "%s"}\n' "$1" "$2" "$3"
}
user='http_request_method="GET",http_route="/users/:id"'
post='http_request_method="POST",http_route="/users"'
# GET: 2 of 100 requests fail, and 2 take longer than 250 ms. POST: 5 of 100 fail, of the 10 that may.
cat >tests.yml <<END_OF_FILE
rule_files: [rules.yml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
$(series count "$user,http_response_status_code=\"200\"" "0+98x200")
$(series count "$user,http_response_status_code=\"503\"" "0+2x200")
$(series count "$post,http_response_status_code=\"200\"" "0+95x200")
$(series count "$post,http_response_status_code=\"500\"" "0+5x200")
$(series count 'http_request_method="GET",http_response_status_code="500"' "0+9x200")
$(for le in 0.1 0.25; do series bucket "$user,http_response_status_code=\"200\",le=\"$le\"" "0+98x200"; done)
$(for le in 0.5 +Inf; do series bucket "$user,http_response_status_code=\"200\",le=\"$le\"" "0+100x200"; done)
      - {series: 'up{job="shop",instance="a"}', values: "0x200"}
      - {series: 'up{job="other",instance="b"}', values: "0x200"}
      - {series: 'fairway_rejected_requests_total{job="shop",instance="a",cause="overload"}', values: "0+60x200"}
      - {series: 'fairway_rejected_requests_total{job="shop",instance="b",cause="validation"}', values: "0+60x200"}
    promql_expr_test:
      - expr: round(route:http_server_request_errors:ratio_rate5m, 0.0001)
        eval_time: 90m
        exp_samples:
          - {labels: '{job="shop",$user}', value: 0.02}
          - {labels: '{job="shop",$post}', value: 0.05}
    alert_rule_test:
      - eval_time: 90m
        alertname: RouteErrorsFast
        exp_alerts:
          - exp_labels: {severity: page, job: shop, http_request_method: GET, http_route: "/users/:id"}
            exp_annotations:
              summary: "GET /users/:id fails for many requests"
              description: "2% of the requests got a 5xx; the objective of 99.9 % allows 0.1 %."
      - eval_time: 90m
        alertname: RouteErrorsSlow
        exp_alerts:
          - exp_labels: {severity: ticket, job: shop, http_request_method: GET, http_route: "/users/:id"}
            exp_annotations:
              summary: "GET /users/:id fails more often than its objective allows"
              description: "2% of the requests got a 5xx; the objective of 99.9 % allows 0.1 %."
      - eval_time: 90m
        alertname: RouteSlow
        exp_alerts:
          - exp_labels: {severity: ticket, job: shop, http_request_method: GET, http_route: "/users/:id"}
            exp_annotations:
              summary: "GET /users/:id is slower than its objective"
              description: "The 99th percentile of the last hour is 375ms; the objective is 200 ms."
      - eval_time: 90m
        alertname: ApplicationDown
        exp_alerts:
          - exp_labels: {severity: page, job: shop, instance: a}
            exp_annotations:
              summary: "a of shop does not respond"
              description: "Prometheus could not read its metrics for five minutes."
      - eval_time: 90m
        alertname: ApplicationOverloaded
        exp_alerts:
          - exp_labels: {severity: page, job: shop, instance: a}
            exp_annotations:
              summary: "a of shop rejects requests"
              description: "No thread, connection or memory is free for 1 requests per second, which get a 503. They do not count for the objectives of routes."
  # Within the objectives; an error of long ago, and a second job.
  - interval: 1m
    input_series:
$(series count "$user,http_response_status_code=\"200\"" "0+9999x400")
$(series count "$user,http_response_status_code=\"503\"" "0+5x60 300x340")
$(series bucket "$user,http_response_status_code=\"200\",le=\"0.1\"" "0+9999x400")
$(series bucket "$user,http_response_status_code=\"200\",le=\"+Inf\"" "0+9999x400")
      - {series: 'http_server_request_duration_seconds_count{job="other",$user,http_response_status_code="500"}', values: "0+9x400"}
    alert_rule_test:
      - {eval_time: 6h, alertname: RouteErrorsFast, exp_alerts: []}
      - {eval_time: 6h, alertname: RouteErrorsSlow, exp_alerts: []}
      - {eval_time: 6h, alertname: RouteSlow, exp_alerts: []}
      - {eval_time: 6h, alertname: ApplicationDown, exp_alerts: []}
END_OF_FILE
check "alerts" promtool test rules tests.yml
