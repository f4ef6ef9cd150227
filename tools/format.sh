#!/usr/bin/env bash
# Formats all C++ files; with --check only says which are not formatted.
set -euo pipefail
cd "$(dirname "$0")/.."

# Fixtures keep their layout: their expectations count lines. Goldens are as they are emitted.
mapfile -t files < <(git ls-files '*.cpp' '*.hpp' ':!generated' ':!docs/diagnostics/*/routes/*' ':!tests/compiler/*/fixtures/*' ':!tests/compiler/core/golden/*' ':!tests/e2e/api_page/src/routes/*' ':!tests/e2e/broken/*')
if [ "${1:-}" = --check ]; then
  clang-format-19 --dry-run --Werror "${files[@]}"
else
  clang-format-19 -i "${files[@]}"
fi
