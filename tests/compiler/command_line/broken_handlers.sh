#!/usr/bin/env bash
# Handlers that do not compile: what commands still write, and what they say.
# Usage: broken_handlers.sh FAIRWAY INCLUDE_DIR
fairway=$1 include=$2
source "$(dirname "$0")/checks.sh"

mkdir -p src/routes
cat >src/routes/users.cpp <<'END_OF_FILE'
#include <fairway/fairway.hpp>
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", [](fw::Request&, fw::Response& res) { res.json({{"id", 1}}); });
});
END_OF_FILE
openapi() { "$fairway" openapi "$@" -- -std=c++20 -I"$include"; }
build() { "$fairway" build --out-dir out "$@" -- -std=c++20 -I"$include"; }

begin "a handler that does not compile: no document, no client, and a build keeps the copies"
build --openapi-file doc.yaml --client-ts api/app.ts --client-cpp api/app.hpp
mkdir before
cp -r api doc.yaml before
cat >src/routes/tickets.cpp <<'END_OF_FILE'
#include <fairway/fairway.hpp>
#include <vector>
#include "tickets.routes.hpp"
namespace {
struct Ticket { int id = 0; };
std::vector<Ticket> tickets() { return {}; }
}
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", [](fw::Request&, fw::Response& res) { res.json(tickts()); });
});
END_OF_FILE
place='src/routes/tickets.cpp:9:63: error: the handler does not compile: '
for command in openapi 'client ts' 'client cpp'; do
  # shellcheck disable=SC2086
  check_status "$command" 1 "$fairway" $command -o new -- -std=c++20 -I"$include"
  has stderr "$place"
  has stderr 'GET /tickets'
  [ ! -e new ] || fail "$command writes a file"
done
keeping() { build --openapi-file doc.yaml --client-ts api/app.ts --client-cpp api/app.hpp; }
check_status "a build" 0 keeping
has stderr "warning: the handler does not compile: "
has stderr "help: until it compiles, 'doc.yaml' and 'api/app.hpp' and 'api/app.ts' are not written; move code that \
only GCC compiles to a function of another file, or accept what they lack with NOLINT(handler-does-not-compile) or in \
.fairway.json"
has out/openapi.json '"/tickets"'
for file in doc.yaml api/app.ts api/app.hpp; do cmp "before/$file" "$file" || fail "$file was replaced"; done
check_status "a build without copies" 0 build
has stderr "help: until it compiles, the document and the clients may lack what it sends; move code that only GCC \
compiles to a function of another file, or accept what they lack with NOLINT(handler-does-not-compile) or in .fairway.json"
check_status "doctor" 0 "$fairway" doctor -- -std=c++20 -I"$include"
has stderr "src/routes/tickets.cpp:9:63: warning: the handler does not compile: "
asked() { # the tool 'openapi' of the server for agents
  printf '%s\n' \
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}' \
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"openapi","arguments":{}}}' |
    "$fairway" mcp -- -std=c++20 -I"$include"
}
check_status "the tool openapi" 0 asked
has stdout "the document may lack what 1 handler sends, because it does not compile"

begin "a handler that does not compile, and that is accepted: a document, clients, and a note"
note="note: the document and the clients may lack what the handler of 1 route sends, because"
accepted() {
  for command in openapi 'client ts' 'client cpp'; do
    # shellcheck disable=SC2086
    check_status "$command" 0 "$fairway" $command -o new -- -std=c++20 -I"$include"
    has stderr "$note 'handler-does-not-compile' is suppressed"
    [ "$(grep -c "$note" stderr)" = 1 ] || fail "$command repeats the note"
    [ -e new ] || fail "$command writes no file"
    rm -f new
  done
  check_status "a build" 0 keeping
  has stderr "$note"
  lacks stderr "warning: "
  has doc.yaml '/tickets'
  check_status "the tool openapi" 0 asked
  has stdout '/tickets'
}
echo '{"lints": {"handler-does-not-compile": "off"}}' >.fairway.json
accepted
check_status "a build without changes" 0 keeping
lacks stderr "$note"
cp before/doc.yaml doc.yaml
echo '{"lints": {"*": "off", "handler-does-not-compile": "error"}}' >.fairway.json
check_status "other settings" 0 keeping
has stderr "warning: the handler does not compile: "
check_status "openapi" 1 openapi
rm .fairway.json
sed -i 's|res.json(tickts()); });|& // NOLINT(handler-does-not-compile)|' src/routes/tickets.cpp
accepted
sed -i 's/tickts/tickets/; s| // NOLINT.*||' src/routes/tickets.cpp
cp before/doc.yaml doc.yaml
check_status "a build" 0 keeping
has doc.yaml '/tickets'
has api/app.ts 'Ticket'
