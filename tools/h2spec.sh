#!/usr/bin/env bash
# Runs h2spec, the public conformance test of HTTP/2, against the server of tests/wire, in cleartext with prior
# knowledge and over TLS, and prints the result of each section as the table of docs/http2.md. Fails
# unless all cases pass, and none is skipped.
# Usage: h2spec.sh SOURCE [BUILD]. SOURCE is a checkout of https://github.com/summerwind/h2spec, commit af83a65f
# (version 2.6.0); nothing is downloaded. BUILD, default build/ci, has the wire server; h2spec is built in it, too.
# Needs the Debian packages golang-go golang-golang-x-net-dev golang-github-fatih-color-dev
# golang-github-spf13-cobra-dev.
set -euo pipefail
if [ $# -lt 1 ] || [ ! -f "$1/cmd/h2spec/h2spec.go" ]; then
  echo "usage: tools/h2spec.sh SOURCE [BUILD], where SOURCE has the sources of h2spec" >&2
  exit 2
fi
source=$(realpath "$1")
cd "$(dirname "$0")/.."
build=$(realpath "${2:-build/ci}")
cases=147 # with the one that only --strict runs
server=$build/tests/wire/wire_server
[ -x "$server" ] || {
  echo "h2spec: $server is missing: build the target wire_server" >&2
  exit 2
}

scratch=$(mktemp -d)
pid=
stop() {
  [ -z "$pid" ] || { kill "$pid" && wait "$pid"; } 2>/dev/null || true
  pid=
}
trap 'stop; rm -rf "$scratch"' EXIT

folder=$build/h2spec
mkdir -p "$folder/path/src/github.com/summerwind"
ln -sfn "$source" "$folder/path/src/github.com/summerwind/h2spec"
version=$(sed -n 's/^VERSION=//p' "$source/Makefile")
commit=$(git -C "$source" rev-parse HEAD)
(cd "$folder/path/src/github.com/summerwind/h2spec" &&
  GO111MODULE=off GOPATH=$folder/path:/usr/share/gocode GOCACHE=$folder/cache go build -o "$folder/h2spec" \
    -ldflags "-X main.VERSION=$version -X main.COMMIT=$commit" ./cmd/h2spec)

mkdir "$scratch/config"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost -keyout "$scratch/key.pem" -out "$scratch/certificate.pem" 2>/dev/null

failed=
run() { # run NAME CONFIG [FLAG...]: leaves NAME.xml and NAME.txt in the folder
  local name=$1 port
  echo "$2" >"$scratch/config/default.json"
  shift 2
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  (cd "$scratch" && exec "$server" --port "$port" >"$scratch/log" 2>&1) &
  pid=$!
  until (: >"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
    kill -0 "$pid" || {
      cat "$scratch/log" >&2
      exit 1
    }
    sleep 0.1
  done
  "$folder/h2spec" --port "$port" --strict --junit-report "$folder/$name.xml" "$@" >"$folder/$name.txt" || true
  stop
  local total
  total=$(tail -n 1 "$folder/$name.txt")
  if [ "$total" != "$cases tests, $cases passed, 0 skipped, 0 failed" ]; then
    failed=yes
    echo "h2spec: $name: $total; see $folder/$name.txt" >&2
  fi
}
run cleartext '{"server": {"http2": {"cleartext": true}}}'
run TLS '{"server": {"tls": {"certificate": "certificate.pem", "key": "key.pem"}}}' --tls --insecure

"$folder/h2spec" --version
python3 - "$folder/cleartext.xml" "$folder/TLS.xml" <<'END'
import re, sys
from xml.etree import ElementTree

titles = {"generic": "general", "http2": "RFC 7540", "hpack": "RFC 7541"}

def sections(file):
    """[cases, passed] by specification and number of the section."""
    result = {}
    for case in ElementTree.parse(file).iter("testcase"):
        specification, number = case.get("package").split("/")
        count = result.setdefault((specification, int(number.split(".")[0])), [0, 0])
        count[0] += 1
        count[1] += len(case) == 0  # neither failed nor skipped
    return result

cleartext, tls = (sections(file) for file in sys.argv[1:])
print("| section | cases | passed in cleartext | passed over TLS |\n|---|--:|--:|--:|")
for key in sorted(cleartext, key=lambda key: (list(titles).index(key[0]), key[1])):
    print(f"| {titles[key[0]]}, {key[1]} | {cleartext[key][0]} | {cleartext[key][1]} | {tls[key][1]} |")
sums = [sum(column) for column in zip(*(cleartext[key] + tls[key][1:] for key in cleartext))]
print("| all |", " | ".join(map(str, sums)), "|")
END
[ -z "$failed" ]
