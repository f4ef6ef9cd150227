#!/usr/bin/env bash
# Builds the site of docs/ with the reference of the public headers: site.sh FOLDER. tools/setup.sh
# installs what it needs.
set -euo pipefail
if [ $# -ne 1 ]; then
  echo "usage: tools/site.sh FOLDER" >&2
  exit 2
fi
mkdir -p "$1"
folder=$(realpath "$1")
cd "$(dirname "$0")/.."

cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
FAIRWAY_SITE_OUT=$folder FAIRWAY_SITE_CACHE=$cache npm run --silent --prefix tools/site build
node tools/site/markdown.mjs docs "$folder"
tools/api-reference.sh "$folder/api"
