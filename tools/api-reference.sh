#!/usr/bin/env bash
# Writes the reference of the public headers as HTML: api-reference.sh FOLDER. Fails if Doxygen has a
# warning, as it has for a public name without a comment.
set -euo pipefail
if [ $# -ne 1 ]; then
  echo "usage: tools/api-reference.sh FOLDER" >&2
  exit 2
fi
folder=$(realpath -m "$1")
cd "$(dirname "$0")/.."
mkdir -p "$folder"

# Specialisations of other libraries' templates are no part of the interface, and `<name>` is not a tag.
headers=$(mktemp -d)
trap 'rm -rf "$headers"' EXIT
cp -r runtime/include/fairway "$headers/"
perl -0pi -e 's/^template <[^\n]*\nstruct nlohmann::.*?^\};$//msg; s{^(\s*///.*)<(\w+)>(?!`)}{$1\\<$2\\>}mg' \
  "$headers"/fairway/*.hpp

# The comment of the namespace fw::hooks documents these members of all events.
perl -pi -e 's{^  (static constexpr std::string_view kName = .*|Request& req|Response& res|App& app);$}{  $1;  ///< see fw::hooks};
  s{^  (static constexpr bool kPropagates = .*;)$}{  $1  ///< see fw::hooks}' "$headers/fairway/hooks.hpp"

version=$(sed -n 's/^project(.* VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
{
  cat tools/doxygen.conf
  echo "PROJECT_NUMBER = $version"
  echo "INPUT = \"$headers/fairway\""
  echo "STRIP_FROM_PATH = \"$headers\""
  echo "STRIP_FROM_INC_PATH = \"$headers\""
  echo "OUTPUT_DIRECTORY = \"$folder\""
  echo "HTML_OUTPUT = ."
} | doxygen -
