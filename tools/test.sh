#!/usr/bin/env bash
# Sets everything up, builds a preset and runs all its tests. The default, `ci`, is `dev` arranged for
# one build of everything.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-ci}
tools/setup.sh
cmake --preset "$preset"
cmake --build --preset "$preset"
ctest --preset "$preset" --parallel "$(nproc)"
