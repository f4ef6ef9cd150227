# shellcheck shell=bash
# Installs the package that the other cases use.
rm -rf "$prefix"
cmake --install "$binary" --prefix "$prefix" >"$scratch/log" || {
  cat "$scratch/log"
  fail "install"
}
"$fairway" --version
