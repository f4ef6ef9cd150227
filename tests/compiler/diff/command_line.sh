#!/usr/bin/env bash
# fairway diff: statuses, streams, formats, approvals, bad input. Usage: command_line.sh FAIRWAY
# GENERATED_DIR
source "$(dirname "$0")/../../support/cases.sh"
fairway=$1
orders=$2/orders
page=$(realpath "$(dirname "$0")/../../../docs/contract-changes.md")

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
shown=("$scratch/out" "$scratch/log")
cp "$orders/openapi.json" old.json
cp "$orders/routes.manifest.json" old.manifest.json

run() { # run STATUS OPTIONS...
  local expected=$1 status=0
  shift
  "$fairway" diff "$@" >out 2>log || status=$?
  [ "$status" -eq "$expected" ] || fail "diff $*: exit status $status"
}
says() { grep -q -- "$1" out || fail "not said: $1"; }
complains() {
  grep -q -- "$1" log || fail "no such complaint: $1"
  [ ! -s out ] || fail "output besides"
}

begin "equal inputs: a document, a manifest and a pipe"
run 0 old.json old.json
says '^no changes$'
run 0 old.manifest.json old.manifest.json
says '^no changes$'
run 0 <(cat old.json) old.json
says '^no changes$'

begin "statuses: a change that does not break, and one that does"
sed 's/"summary": "Place an order"/"summary": "Create an order"/' old.json >new.json
run 0 old.json new.json
says "^  documentation: summary 'Place an order' became 'Create an order' \[summary-changed\]$"
says '^1 change: 0 breaking, 0 non-breaking, 1 documentation$'
sed '/"NewProduct": {/,/"maximum"/s/"maximum": 100000000/"maximum": 1000/' old.json >new.json
run 1 old.json new.json
says '^  breaking: priceCents: maximum 100000000 became 1000 \[request-range-tightened\]$'
says '^2 changes: 2 breaking, 0 non-breaking, 0 documentation$'
[ ! -s log ] || fail "text on standard error"
run 0 new.json old.json
says '^2 changes: 0 breaking, 2 non-breaking, 0 documentation$'

begin "yaml: with an ending or without one, against JSON, and as people write it"
cp old.json old.yaml
run 0 old.json old.yaml
says '^no changes$'
cat >people.yaml <<'END_OF_FILE'
# A comment
openapi: 3.1.0
info: {title: People, version: "1"}
paths:
  /people:
    get:
      description: >-
        Folded
        lines
      responses:
        200: &found
          description: Found
          content:
            application/json:
              schema: {type: array, maxItems: 0x10, items: {type: string, enum: [yes, no, "1"]}}
        "404": *found
END_OF_FILE
cat >people.json <<'END_OF_FILE'
{"openapi": "3.1.0", "info": {"title": "People", "version": "1"}, "paths": {"/people": {"get": {
  "description": "Folded lines", "responses": {
    "200": {"description": "Found", "content": {"application/json": {"schema":
      {"type": "array", "maxItems": 16, "items": {"type": "string", "enum": ["yes", "no", "1"]}}}}},
    "404": {"description": "Found", "content": {"application/json": {"schema":
      {"type": "array", "maxItems": 16, "items": {"type": "string", "enum": ["yes", "no", "1"]}}}}}}}}}}
END_OF_FILE
run 0 people.json people.yaml
says '^no changes$'
run 0 <(cat people.yaml) people.json
says '^no changes$'
sed 's/0x10/17/' people.yaml >new.yaml
run 1 people.yaml new.yaml
says 'maxItems 16 became 17 \[response-item-count-loosened\]$'

begin "diff: manifests"
sed 's/"maximum": 100000000/"maximum": 1000/' old.manifest.json >new.manifest.json
run 1 old.manifest.json new.manifest.json
says 'maximum 100000000 became 1000'

begin "diff: lists of metrics"
cat >old.metrics.json <<'END_OF_FILE'
{"version": 1,
 "metrics": [
  {"name": "fairway_open_sockets", "type": "gauge", "labels": ["http_route"], "series": ["fairway_open_sockets"]},
  {"name": "request_seconds", "type": "histogram", "labels": ["method", "http_route"],
   "series": ["request_seconds_bucket", "request_seconds_sum", "request_seconds_count"], "buckets": [0.1, 1]}],
 "routes": [
  {"http_request_method": "GET", "http_route": "/a", "metrics": ["request_seconds"], "objective": {"p99": 200}},
  {"http_request_method": "GET", "http_route": "/b", "metrics": ["request_seconds"]}]}
END_OF_FILE
run 0 old.metrics.json old.metrics.json
says '^no changes$'
run 0 old.metrics.json <(cat old.metrics.json)
sed -e 's/"method"/"verb"/; s/0.1, 1/1/; s/"p99": 200/"p99": 500/; s|"/b"|"/c"|' old.metrics.json >new.metrics.json
run 1 old.metrics.json new.metrics.json
cat >expected <<'END_OF_FILE'
request_seconds
  breaking: label 'method': the label was removed; 'verb' was added [metric-label-removed]
  breaking: bucket 0.1: the bucket was removed [metric-bucket-removed]
  non-breaking: label 'verb': the label was added [metric-label-added]

GET /a
  breaking: objective: p99: 200 ms became 500 ms [objective-loosened]

GET /b
  breaking: the route was removed [route-removed]

GET /c
  non-breaking: the route was added [route-added]

6 changes: 4 breaking, 2 non-breaking, 0 documentation
END_OF_FILE
diff expected out || fail "another report"
run 1 old.metrics.json new.metrics.json --write-approvals approved.json
run 0 old.metrics.json new.metrics.json --approve approved.json
says '^6 changes: 4 breaking (approved), 2 non-breaking, 0 documentation$'
run 1 old.metrics.json new.metrics.json --format json
says '"metric": "request_seconds"'
run 2 old.json old.metrics.json
complains '^fairway: old.json is an OpenAPI document and old.metrics.json is a list of metrics: compare two of a kind$'
echo '{"version": 1, "metrics": [{"name": "a"}], "routes": []}' >bad.json
run 2 old.metrics.json bad.json
complains "^fairway: bad.json: /metrics/0: 'type' is missing$"
{
  printf '{"version": 1, "metrics": '
  head -c 300000 /dev/zero | tr '\0' '['
} >deep.json
run 2 old.metrics.json deep.json
complains '^fairway: deep.json: nested more than 400 levels deep$'

begin "contract: a list of metrics is no OpenAPI document"
status=0
"$fairway" contract old.metrics.json --url http://127.0.0.1:1 >out 2>log || status=$?
[ "$status" -eq 2 ] || fail "exit status $status"
complains '^fairway: old.metrics.json: is a list of metrics, not an OpenAPI document$'

begin "diff: formats and colours"
run 1 old.json new.json --format json
says '^  "ok": false,$'
says '"pointer": "/components/schemas/NewProduct/properties/priceCents/maximum"'
run 1 --color always old.json new.json
grep -q $'\033\[' out || fail "no colour"
run 1 old.json new.json
! grep -q $'\033\[' out || fail "colour in a file"

begin "approvals: written, used, left over"
run 1 old.json new.json --write-approvals approved.json
run 0 old.json new.json --approve approved.json
says '^  approved breaking: priceCents: .*\[request-range-tightened\]$'
says '^2 changes: 2 breaking (approved), 0 non-breaking, 0 documentation$'
run 0 old.json old.json --approve approved.json
says '^unused approval: POST /admin/products: request body: priceCents \[request-range-tightened\]$'
says '^no changes$'
echo '{"version": 1, "approvals": [{"id": "request-range-tightened", "operation": "POST /admin/products", "location": "request body: priceCents", "reason": "no product costs more"}]}' >one.json
run 1 old.json new.json --approve one.json
says '^    reason: no product costs more$'
says '^2 changes: 2 breaking (1 approved), '
run 0 old.json new.json --approve one.json --approve approved.json
run 2 old.json new.json --approve nowhere.json
complains "^fairway: --approve: cannot read 'nowhere.json'$"
echo '{"version": 1, "approvals": [{"id": "range", "operation": "API"}]}' >bad.json
run 2 old.json new.json --approve bad.json
complains "^fairway: bad.json: /approvals/0/id: there is no change 'range'"

begin "catalogue: each change has a section of the page"
changes=$(grep -c '^### ' "$page")
run 0 --list-changes
[ "$(wc -l <out)" -eq "$changes" ] || fail "not $changes changes"
says '^operation-removed  *breaking  *an operation was removed$'
run 0 --explain request-enum-value-removed
says '^request-enum-value-removed (breaking)$'
says '^  after   {"enum": \["open", "paid"\]}$'
run 0 --explain request-enum-value-removed --format json
says '"level": "breaking"'
run 0 --list-changes --format json
[ "$(grep -c '^      "report": "' <out)" -eq "$changes" ] || fail "not $changes descriptions"
says '"report": "GET /orders\\n  breaking: the operation was removed \[operation-removed\]"'
run 2 --explain no-such-change
complains "^fairway: --explain must be the id of a change, not 'no-such-change': 'fairway diff --list-changes' lists them$"

begin "errors: wrong usage, and input that cannot be compared"
run 2
complains "^fairway: two documents are required: write 'fairway diff OLD NEW'$"
run 2 old.json
run 2 old.json new.json old.json
complains "^fairway: unexpected operand 'old.json': write 'fairway diff \[options\] OLD NEW'$"
run 2 old.json new.json --format sarif
complains "^fairway: --format must be text or json, not 'sarif'$"
run 2 old.json nowhere.json
complains "^fairway: cannot read 'nowhere.json'$"
run 2 old.json .
complains "^fairway: cannot read '.'$"
run 2 old.json old.manifest.json
complains '^fairway: old.json is an OpenAPI document and old.manifest.json is a routes manifest: compare two of a kind$'
printf 'openapi: 3.1.0\npaths: {}\npaths: {}\n' >twice.yaml
run 2 old.json twice.yaml
complains "^fairway: twice.yaml: at line 3, column 1: duplicate key 'paths'; the first one is at line 2$"
echo '{"openapi": "3.1.0", ' >cut.json
run 2 old.json cut.json
complains '^fairway: cut.json:2:1: is not JSON: unexpected end of input'
echo '{"name": "package"}' >package.json
run 2 old.json package.json
complains "^fairway: package.json: is neither an OpenAPI document (no 'openapi' member) nor a routes.manifest.json nor a list of metrics$"
{
  printf '{"openapi":"3.1.0","x-a":'
  head -c 300000 /dev/zero | tr '\0' '['
} >deep.json
run 2 old.json deep.json
complains '^fairway: deep.json: nested more than 400 levels deep$'
echo '{"openapi": "3.1.0", "paths": {"/a": {"$ref": "#/paths/~1a"}}}' >circle.json
run 2 circle.json circle.json
complains '^fairway: circle.json: /paths/~1a: the reference is circular$'
echo "passed"
