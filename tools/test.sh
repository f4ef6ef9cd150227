#!/usr/bin/env bash
# Sets everything up, builds a preset and runs all its tests. The default, `ci`, is `dev` arranged for
# one build of everything. Tells how long setup and build took; ctest tells it of the tests.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-ci}
tools/setup.sh
setup_seconds=$SECONDS
cmake --preset "$preset"
cmake --build --preset "$preset"
echo "test.sh: setup ${setup_seconds} s, build $((SECONDS - setup_seconds)) s"
# Three times as many as processors: some tests wait most of their time.
ctest --preset "$preset" --parallel $((3 * $(nproc)))
