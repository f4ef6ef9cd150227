#!/usr/bin/env bash
# Every planted violation is found, and the report says what was sent, received and expected:
# check.sh FAIRWAY PROGRAM OPENAPI [--update]
source "$(dirname "$0")/../../support/cases.sh"
fairway=$(realpath "$1") program=$(realpath "$2") document=$(realpath "$3")
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$here"

run() { # run STATUS ARGUMENTS...: the output without what differs from run to run
  local status=0
  "$fairway" contract "${@:2}" >"$scratch/out" 2>&1 || status=$?
  [ "$status" -eq "$1" ] || {
    cat "$scratch/out"
    fail "exit status $status instead of $1: ${*:2}"
  }
  sed -E '/^ {12}(Date|Content-Length|vary|x-request-id|content-type: (application|text)[^ ]* charset=.*):?/d
          s/("requestId":)"[-0-9a-f]{36}"/\1"…"/
          s|^repeat them with: cd .* (--seed .*)|repeat them with: … \1|' "$scratch/out"
}

begin "report: every planted violation is found"
run 1 "$document" --program "$program" --settings settings.json --requests 3 >"$scratch/report.txt"
if [ "${4:-}" = --update ]; then cp "$scratch/report.txt" "$here/report.txt"; fi
diff -u "$here/report.txt" "$scratch/report.txt" || fail "the report is not the expected one"

begin "report: an operation without violations"
run 0 "$document" --program "$program" --settings settings.json --operation good | tee "$scratch/good"
grep -q 'of 1 operation: all responses are as declared' "$scratch/good" || fail "a good operation fails"

begin "sockets: openings, messages in both directions, and closes"
sockets=(--program "$program" --requests 3 --operation goodSocket --operation strictSocket)
run 0 "$document" "${sockets[@]}" >"$scratch/sockets"
grep -q 'of 2 operations: all responses are as declared' "$scratch/sockets" || fail "a good socket fails"
documented() { # documented STATEMENT: the document after a change of the sockets `good` and `strict`
  node -e 'const [from, to, statement] = process.argv.slice(1);
           const fs = require("node:fs");
           const document = JSON.parse(fs.readFileSync(from, "utf8"));
           const of = (path) => document.paths[`/sockets/${path}`].get["x-fw-socket"];
           const text = (schema) => ({ type: "object", properties: { text: schema }, required: ["text"] });
           new Function("good", "strict", "text", statement)(of("good"), of("closes-on-invalid"), text);
           fs.writeFileSync(to, JSON.stringify(document));' "$document" "$scratch/document.json" "$1"
}
expect_failures() { # expect_failures LINE...: each begins a failure, and there are no others
  run 1 "$scratch/document.json" "${sockets[@]}" >"$scratch/sockets"
  printf '%s\n' "$@" | diff - <(grep -E '^[a-zA-Z]+Socket: ' "$scratch/sockets") || fail "other failures"
}
documented 'good.receive.say = text({ type: "string", minLength: 1, maxLength: 3 });
            strict.receive.say = text({ type: "string", minLength: 1, maxLength: 3 });'
expect_failures "goodSocket: an invalid message is accepted, 'say', in which /text is longer than its maximum length" \
  "strictSocket: an invalid message is accepted, 'say', in which /text is longer than its maximum length"
documented 'good.receive.say = text({ type: "boolean" }); strict.receive.say = text({ type: "boolean" });'
expect_failures "goodSocket: a valid message is rejected" "strictSocket: the socket is closed with 1007"
documented 'good.receive.shout = text({ type: "string" }); strict.receive.shout = text({ type: "string" });'
expect_failures "goodSocket: a valid message is rejected" "strictSocket: the socket is closed with 1007"
documented 'good.send.said = text({ type: "integer" });'
expect_failures "goodSocket: the message 'said' does not match its schema at /text"
run 1 "$document" --program "$program" --requests 3 --operation throwingSocket >"$scratch/sockets"
grep -q '^throwingSocket: the socket is closed with 1011' "$scratch/sockets" || fail "a function that throws"
documented 'good.send = {};'
expect_failures "goodSocket: undeclared message 'said'"

begin "streams: their events and lines, while they are open and at their end"
streams=(--program "$program" --requests 2)
every_stream=(--operation goodEvents --operation openEvents --operation goodLines)
run 0 "$document" "${streams[@]}" "${every_stream[@]}" >"$scratch/streams"
grep -q 'of 3 operations: all responses are as declared' "$scratch/streams" || fail "a good stream fails"
node -e 'const [from, to] = process.argv.slice(1);
         const document = JSON.parse(fs.readFileSync(from, "utf8"));
         const of = (path, type) => document.paths[`/streams/${path}`].get.responses[200].content[type];
         of("events", "text/event-stream")["x-fw-events"].count = { type: "string" };
         of("live", "text/event-stream")["x-fw-events"] = { deleted: { type: "integer" } };
         of("lines", "application/x-ndjson")["x-fw-lines"] = {
           type: "object", properties: { id: { type: "string" } } };
         fs.writeFileSync(to, JSON.stringify(document));' "$document" "$scratch/document.json"
run 1 "$scratch/document.json" "${streams[@]}" "${every_stream[@]}" >"$scratch/streams"
printf '%s\n' "goodEvents: the event 'count' does not match its schema" \
  "goodLines: a line does not match its schema at /id" "openEvents: undeclared event 'created'" |
  diff - <(grep -E '^[a-zA-Z]+(Events|Lines): ' "$scratch/streams" | sort) || fail "other failures"

begin "seeds: the same one sends the same requests, another one others"
run 1 "$document" --program "$program" --operation rejectsAnything >"$scratch/first"
run 1 "$document" --program "$program" --operation rejectsAnything >"$scratch/second"
cmp "$scratch/first" "$scratch/second" || fail "the same seed sends other requests"
run 1 "$document" --program "$program" --operation rejectsAnything --seed 2 >"$scratch/third"
! cmp -s "$scratch/first" "$scratch/third" || fail "another seed sends the same requests"

begin "errors: of settings and of the program"
expect_error() { # expect_error TEXT SETTINGS [ARGUMENTS...]
  echo "$2" >"$scratch/settings.json"
  run 2 "$document" --program "$program" --settings "$scratch/settings.json" "${@:3}" >"$scratch/error"
  grep -qF -- "$1" "$scratch/error" || {
    cat "$scratch/error"
    fail "nothing about: $1"
  }
}
expect_error "/operations/good/params: unknown member" '{"operations": {"good": {"params": {}}}}'
expect_error "there is no operation 'god'; did you mean 'good'?" '{"operations": {"god": {}}}'
expect_error "/credentials: must be an object" '{"credentials": "a"}'
expect_error "/operations/crash/exclude: must give the reason" '{"operations": {"crash": {"exclude": ""}}}'
expect_error "no step of 'before' saves the variable '\${token}'" '{"credentials": {"authorization": "Bearer ${token}"}}'
expect_error "the step GET /nowhere got status 404" '{"before": [{"method": "GET", "target": "/nowhere"}]}'
expect_error "the step GET /faults/good?limit=1: the response has nothing at '/data/token'" \
  '{"before": [{"method": "GET", "target": "/faults/good?limit=1", "save": {"token": "/data/token"}}]}'
begin "steps: what they save is known in the headers of operations and of later steps"
echo '{"headers": {"x-saved": "${name}"},
       "before": [{"method": "GET", "target": "/faults/good?limit=1", "save": {"name": "/data/name"}},
                  {"method": "GET", "target": "/faults/good?limit=2"}]}' >"$scratch/settings.json"
run 0 "$document" --program "$program" --settings "$scratch/settings.json" --operation good >"$scratch/good"
run 2 "$document" --program /bin/false >"$scratch/error"
grep -q "'/bin/false' ended with exit status 1" "$scratch/error" || {
  cat "$scratch/error"
  fail "a program that ends at once"
}
run 2 "$document" >"$scratch/error"
grep -q 'exactly one of --program and --url is required' "$scratch/error" || fail "neither a program nor a URL"

run 1 "$document" --url http://127.0.0.1:1 --operation good >"$scratch/report"
grep -q '^good: no response' "$scratch/report" || {
  cat "$scratch/report"
  fail "no server"
}

begin "default: an error that only it declares is a warning"
run 0 "$document" --program "$program" --operation gone >"$scratch/report"
grep -q '^gone: warning: every valid request got status 404' "$scratch/report" || fail "no warning"
run 1 "$document" --program "$program" --operation gone --strict >"$scratch/report"
grep -q '^gone: undeclared status 404' "$scratch/report" || fail "--strict accepts an undeclared 404"
echo '{"operations": {"gone": {"exclude": "no longer there"}}}' >"$scratch/settings.json"
run 0 "$document" --program "$program" --settings "$scratch/settings.json" --operation gone >"$scratch/report"
grep -q '^gone: excluded: no longer there' "$scratch/report" || fail "not excluded"

begin "settings: a body that cannot be made from its schema"
node -e '
  const [from, to] = process.argv.slice(1);
  const document = JSON.parse(fs.readFileSync(from));
  for (const methods of Object.values(document.paths)) for (const operation of Object.values(methods)) {
    if (operation.operationId !== "rejectsAnything") continue;
    const schema = {type: "object", required: ["code"], properties: {code: {type: "string", pattern: "^[A-F]{3}7[x-z]{9}$"}}};
    operation.requestBody.content = {"application/json": {schema}};
  }
  fs.writeFileSync(to, JSON.stringify(document));' "$document" "$scratch/pattern.json"
document=$scratch/pattern.json
expect_error "rejectsAnything: no valid body was found for application/json: give one in the settings, as /operations/rejectsAnything/body" \
  '{}' --operation rejectsAnything
echo '{"operations": {"rejectsAnything": {"body": {"code": "ABC7xyzxyzxyz"}}}}' >"$scratch/settings.json"
run 1 "$document" --program "$program" --settings "$scratch/settings.json" --operation rejectsAnything >"$scratch/report"
grep -qF '{"code":"ABC7xyzxyzxyz"}' "$scratch/report" || {
  cat "$scratch/report"
  fail "the body of the settings is not sent"
}
