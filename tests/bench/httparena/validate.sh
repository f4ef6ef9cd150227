#!/usr/bin/env bash
# Runs HttpArena's validation of this entry, scripts/validate.sh of github.com/MDA2AV/HttpArena, without Docker:
#   tests/bench/httparena/validate.sh SOURCES BUILD
# SOURCES is a checkout of HttpArena, whose scripts and data are copied; BUILD has the target bench_httparena. A command
# `docker` that runs this program replaces the container. The port 8080 must be free; python3 and curl are
# needed.
set -euo pipefail
if [ $# -ne 2 ]; then
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "$2")/tests/bench/httparena/bench_httparena
work=$(mktemp -d)
trap '[ ! -f "$work/pid" ] || kill "$(cat "$work/pid")" 2>/dev/null || true; rm -rf "$work"' EXIT

mkdir -p "$work/arena/frameworks/fairway" "$work/bin"
cp -r "$1/scripts" "$1/certs" "$1/data" "$work/arena"
cp -r "$here/meta.json" "$here/config" "$work/arena/frameworks/fairway"

cat >"$work/bin/docker" <<DOCKER
#!/usr/bin/env bash
case \$1 in
run)
  cd "$work/arena/frameworks/fairway"
  DATA_DIR="$work/arena/data" FAIRWAY_ENV=production nohup "$program" >"$work/log" 2>&1 &
  echo \$! >"$work/pid"
  ;;
ps | inspect) # the container exists while the program runs
  [ -f "$work/pid" ] || exit 0
  kill -0 "\$(cat "$work/pid")" && echo fairway
  ;;
logs) cat "$work/log" ;;
esac
DOCKER
chmod +x "$work/bin/docker"

cd "$work/arena"
PATH=$work/bin:$PATH scripts/validate.sh fairway || {
  status=$?
  cat "$work/log" >&2
  exit $status
}
