#!/usr/bin/env bash
# Copies what the compiler emits for the samples to generated/; with --check only says where the
# copies differ. Usage: generated.sh [--check] FAIRWAY BUILD_DIR
set -euo pipefail
cd "$(dirname "$0")/.."

check=
if [ "${1:-}" = --check ]; then
  check=yes
  shift
fi
if [ $# -ne 2 ]; then
  echo "usage: tools/generated.sh [--check] FAIRWAY BUILD_DIR" >&2
  exit 2
fi
fairway=$1
build=$2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
declare -A title=([hello]=hello [orders]=Orders)
declare -A version=([hello]=0.1.0 [orders]=1.0.0)
for sample in hello orders; do
  document=(--title "${title[$sample]}" --api-version "${version[$sample]}")
  if [ -e samples/$sample/config/default.json ]; then
    document+=(--app-config samples/$sample/config/default.json)
  fi
  "$fairway" build --source-dir samples/$sample/src --out-dir "$scratch/$sample" \
    --cache-dir "$build/samples/$sample/fairway/cache" \
    -p "$build" "${document[@]}"
done

if [ -n "$check" ]; then
  if ! diff -r "$scratch" generated; then
    echo "generated/ is not what the compiler emits: run tools/generated.sh $fairway $build" >&2
    exit 1
  fi
else
  rm -rf generated
  cp -r "$scratch" generated
fi
