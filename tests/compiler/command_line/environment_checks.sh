# shellcheck shell=bash
# A small project, and checks of errors of the environment: each ends with exit status 2, a message that
# names the thing, and a remedy. `$fairway` and `$include` are set.
source "$(dirname "${BASH_SOURCE[0]}")/checks.sh"

chmod 755 "$scratch"

mkdir -p src/routes
cat >src/routes/users.cpp <<'EOF'
#include <fairway/fairway.hpp>
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/a", [](fw::Request&, fw::Response& res) { res.json("hello"); });
});
EOF
flags=(-- -std=c++20 -I"$include")

# expect_error TEXT... -- COMMAND...: exit status 2, and one message that contains all the texts.
expect_error() {
  local texts=()
  while [ "$1" != -- ]; do
    texts+=("$1")
    shift
  done
  shift
  check_status "error '${texts[0]}'" 2 "$@"
  has stderr "${texts[@]}"
  check_equal "number of messages" 1 "$(wc -l <stderr)"
}

# nobody ARGUMENTS...: the program as a user without permissions, because root can read and write
# everything.
as_nobody=()
if [ "$(id -u)" -eq 0 ]; then
  as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
mkdir nobody
chmod 777 nobody
nobody() { env HOME=/nonexistent XDG_CACHE_HOME="$scratch/nobody" "${as_nobody[@]}" "$fairway" "$@" "${flags[@]}"; }

# Ends the test if that user cannot run the program.
require_nobody() {
  if ! "${as_nobody[@]}" test -x "$fairway" 2>/dev/null || ! "${as_nobody[@]}" test -r "$include/fairway/fairway.hpp"; then
    skip "nobody cannot run the compiler"
    exit
  fi
}
