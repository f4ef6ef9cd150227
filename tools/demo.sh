#!/usr/bin/env bash
# Installs what it needs (Debian 12; as root, or with sudo), builds the orders sample, starts it in a folder of its own
# and talks to it.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/setup.sh --demo
setup_seconds=$SECONDS
echo "demo: building the route compiler, the runtime and samples/orders; about five minutes on two cores"
cmake --preset demo >/dev/null
cmake --build --preset demo --target fairway orders
build_seconds=$((SECONDS - setup_seconds))
build=$PWD/build/demo

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }

say "The routes of samples/orders, as the compiler resolved them"
"$build/compiler/fairway" routes --source-dir samples/orders/src -p "$build"

folder=$(mktemp -d)
cp -r samples/orders/config samples/orders/locales "$folder"
export ORDERS_ADMIN_TOKEN
ORDERS_ADMIN_TOKEN=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
(cd "$folder" && exec "$build/samples/orders/orders" --host 127.0.0.1 --port 0 >server.log 2>&1) &
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
until url=$(grep --no-messages --only-matching --max-count=1 'http://127.0.0.1:[0-9]*' "$folder/server.log"); do
  kill -0 "$server" || {
    cat "$folder/server.log" >&2
    exit 1
  }
  sleep 0.1
done

say "The sample listens on $url"
token=
request() { # request METHOD PATH [BODY]
  say "$1 $2${3:+  $3}"
  curl --silent --show-error --include --request "$1" "$url$2" \
    ${token:+--header "Authorization: Bearer $token"} \
    ${3:+--header 'Content-Type: application/json' --data "$3"} | tr -d '\r'
  echo
}
request GET '/products?category=books'
request POST /customers '{"name": "Ada", "email": "ada@example.com", "address": {"street": "St James Square 12", "city": "London"}}'
request POST /orders '{"customerId": 1, "items": [{"productId": 1, "quantity": 2}]}'
request POST /orders '{"customerId": 1, "items": [{"quantity": 1000}]}'
request DELETE /admin/products/1
say "The same with the administrator's token, which the server has from its environment"
token=$ORDERS_ADMIN_TOKEN
request GET /orders/4711
request PATCH /orders/1 '{"status": "paid"}'
request DELETE /admin/products/1

say "The access log"
kill -TERM "$server"
wait "$server"
grep '"msg":"[A-Z]* /' "$folder/server.log"

say "demo.sh: setup $setup_seconds s, build $build_seconds s, in all $SECONDS s"
