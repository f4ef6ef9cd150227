#!/usr/bin/env bash
# Sets everything up, builds a preset (default: dev) and runs all its tests.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-dev}
tools/setup.sh
cmake --preset "$preset"
cmake --build --preset "$preset"
ctest --preset "$preset" --parallel "$(nproc)"
