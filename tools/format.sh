#!/usr/bin/env bash
# Formats C++, shell scripts and JavaScript modules; with --check only says what is not formatted.
# .clang-format and .editorconfig have the rules.
set -euo pipefail
cd "$(dirname "$0")/.."

# Of the index, and new files that are not ignored.
files() { git ls-files --cached --others --exclude-standard "$@"; }

# Fixtures keep their layout: their expectations count lines. Goldens are as they are emitted.
mapfile -t sources < <(files '*.cpp' '*.hpp' ':!generated' ':!docs/diagnostics/*/routes/*' ':!tests/compiler/*/fixtures/*' ':!tests/compiler/core/golden/*' ':!tests/e2e/api_page/src/routes/*' ':!tests/e2e/broken/*')
mapfile -t scripts < <(files '*.sh' .ci/run)
mapfile -t modules < <(files '*.mjs')
prettier=(tools/npm/node_modules/.bin/prettier --single-quote --log-level warn)
if [ "${1:-}" = --check ]; then
  clang-format-19 --dry-run --Werror "${sources[@]}"
  shfmt -d "${scripts[@]}"
  "${prettier[@]}" --check "${modules[@]}"
else
  clang-format-19 -i "${sources[@]}"
  shfmt -w "${scripts[@]}"
  "${prettier[@]}" --write "${modules[@]}"
fi
