#!/usr/bin/env bash
# Compiles the route files of the samples that include <fairway/routes.hpp>, without a precompiled header. Fails if one
# does not compile, or includes the header of fw::Json. Usage: light_route_files.sh COMPILER PROJECT_DIR
set -euo pipefail
compiler=$1
cd "$2"

count=0
for sample in hello orders; do
  flags=(-std=c++20 -Wall -Wextra -Werror -Iruntime/include -Isamples "-Isamples/$sample/src"
    "-Igenerated/$sample/include" "-Igenerated/$sample/include/fairway/routes")
  while read -r file; do
    "$compiler" "${flags[@]}" -fsyntax-only -MD -MF - "$file" | grep 'nlohmann/json\.hpp' &&
      {
        echo "$file includes the header of fw::Json"
        exit 1
      }
    count=$((count + 1))
  done < <(grep -rl '<fairway/routes.hpp>' "samples/$sample/src/routes")
done
echo "$count route files"
[ "$count" -ge 6 ]
