#!/usr/bin/env bash
# What takes too long for each change: nightly.sh [MINUTES [STEP...]], default 60, of fuzzing and of soak, and all steps;
# nightly.sh --list names them. Builds and tests everything with GCC, and with the oldest and the newest Clang, the newest
# without precompiled headers, so that each file includes what it uses; and the route compiler with sanitizers, and with
# LLVM 16, the oldest; and 100,000 bodies of random types, and 10,000 handlers with right and wrong responses; and
# runs clang-tidy over everything; and 10,000 edits in the language server; and 200 random documents; and triples
# of features, with Redis and over sockets; and the conformance suite of the Model Context Protocol; and every
# kind of project that `fairway new` writes; and the Debian packages on a system that has nothing else; and whether
# the programs of the benchmarks still respond correctly, without measuring them; and whether requests are lost while
# certificates, workers and processes are replaced; and testssl.sh and sslscan; and h2spec, where H2SPEC_SOURCE is the
# folder with its sources; and HttpArena's validation of our entry, where HTTPARENA_SOURCE is a checkout of it.
set -euo pipefail
cd "$(dirname "$0")/.."

# The last two are left out where the sources that they need are not given.
steps=(
  without_precompiled_headers with_gcc with_clang_14 sanitized_compiler fixtures_without_header oldest_llvm route_files random_types
  edits_in_editors documents_at_random pairs_of_features document_of_all_pairs agents_conformance benchmarks
  replaced_under_load tls_scanners tidy new_projects packages_on_a_new_system fuzz soak http_arena http2_specification
)
if [ "${1:-}" = --list ]; then
  printf '%s\n' "${steps[@]}"
  exit
fi
minutes=${1:-60}
case $minutes in
*[!0-9]* | '')
  echo "nightly: '$minutes' is not a number of minutes" >&2
  exit 2
  ;;
esac
minutes=$((10#$minutes))
shift || true
for step; do
  if [[ " ${steps[*]} " != *" $step "* ]]; then
    echo "nightly: there is no step '$step'" >&2
    exit 2
  fi
done
packages=(
  clang-14 debootstrap prometheus libboost-dev libmicrohttpd-dev testssl.sh sslscan
  clang-16 llvm-16-dev libclang-16-dev libclang-cpp16-dev libclang-common-16-dev
)
if [ -n "${H2SPEC_SOURCE:-}" ]; then
  packages+=(golang-go golang-golang-x-net-dev golang-github-fatih-color-dev golang-github-spf13-cobra-dev)
fi
tools/setup.sh "${packages[@]}"

run() { # run STEP: continues after a step that fails, and reports at the end
  echo "nightly: $1"
  "$1" || failed+=("$1")
}
failed=()

without_precompiled_headers() {
  cmake --preset clang -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON &&
    cmake --build --preset clang && ctest --preset clang --parallel "$(nproc)"
}
route_files() {
  cmake --preset ci && cmake --build --preset ci --target fuzz_route_files &&
    build/ci/tests/compiler/fuzz/fuzz_route_files --seconds $((minutes * 60)) --differential yes \
      --seed "$(date +%j)"
}
with_gcc() { tools/test.sh gcc; }
with_clang_14() { tools/test.sh clang-14; }
sanitized_compiler() { tools/sanitize.sh compiler; }
fuzz() { tools/fuzz.sh $((minutes * 60)); }
soak() { tools/soak.sh "$minutes"; }
fixtures_without_header() {
  cmake --preset ci && cmake --build --preset ci --target frontend_tests &&
    FRONTEND_WITHOUT_HEADER=1 ctest --preset ci -L fixture --parallel "$(nproc)"
}
random_types() {
  cmake --preset ci -DFAIRWAY_RANDOM_TYPES="$(date +%-j);60;100000" &&
    cmake --build --preset ci --target random_types check_handlers &&
    ctest --preset ci -R '^random_types' &&
    build/ci/tests/compiler/fuzz/check_handlers --handlers 10000 --seed "$(date +%j)"
  local status=$?
  cmake --preset ci -UFAIRWAY_RANDOM_TYPES
  return $status
}
edits_in_editors() {
  cmake --preset ci && cmake --build --preset ci --target fairway &&
    node tests/e2e/lsp/random_edits.mjs build/ci/compiler/fairway runtime/include 10000 "$(date +%j)" 40
}
documents_at_random() {
  local folder
  folder=$(mktemp -d)
  cmake --preset ci && cmake --build --preset ci --target generate_documents &&
    build/ci/tests/compiler/openapi/generate_documents "$folder" 200 &&
    node tools/npm/validate-openapi.mjs "$folder" && node tools/npm/validate-asyncapi.mjs "$folder/asyncapi" &&
    node tools/npm/types-of-documents.mjs "$folder/types" "$folder" "$folder/clients" &&
    bash tests/compiler/openapi/compile_clients.sh clang++-19 "$folder/clients"
  local status=$?
  rm -rf "$folder"
  return $status
}
pairs_of_features() {
  cmake --preset ci && cmake --build --preset ci --target pairs_test &&
    build/ci/tests/pairs/pairs_test --triples 1000 --seed "$(date +%j)" --sockets 1 --redis
}
document_of_all_pairs() {
  cmake --preset ci -DFAIRWAY_DOCUMENT_PAIRS_STRIDE=1 && cmake --build --preset ci --target document_pairs &&
    ctest --preset ci -R document_of_pairs
  local status=$?
  cmake --preset ci -UFAIRWAY_DOCUMENT_PAIRS_STRIDE
  return $status
}
agents_conformance() {
  cmake --preset ci && cmake --build --preset ci --target mcp_endpoint_server fairway &&
    bash tests/e2e/mcp_endpoint/conformance.sh build/ci/tests/e2e/mcp_endpoint_server build/ci/compiler/fairway
}
# Three fixtures expect what Clang 16 does not tell: about braces without their type, the members of loops that have an
# error, and one condition of the preprocessor.
oldest_llvm() {
  cmake --preset ci -B build/llvm-16 -DFAIRWAY_LLVM_VERSION=16 &&
    cmake --build build/llvm-16 --target fairway compiler_core_tests frontend_tests &&
    build/llvm-16/tests/compiler/core/compiler_core_tests &&
    ctest --test-dir build/llvm-16 -L fixture --output-on-failure --parallel "$(nproc)" \
      -E 'fixture/(hostile/compiler_conditions|registrations/bad|types/lost_loops)\.cpp'
}
benchmarks() {
  cmake --preset bench && cmake --build --preset bench --target bench_http_servers bench_httparena \
    bench_outbound_programs bench_pipelining bench_slow_loris bench_waiting bench_push bench_renewals \
    bench_renewals_server bench_client bench_compiler wire_server && node tests/bench/check_programs.mjs build/bench
}
http_arena() {
  cmake --preset bench && cmake --build --preset bench --target bench_httparena &&
    tests/bench/httparena/validate.sh "$HTTPARENA_SOURCE" build/bench
}
tls_scanners() {
  cmake --preset ci && cmake --build --preset ci --target orders && tools/tls_scan.sh build/ci
}
replaced_under_load() { # not a measurement: it fails if a request is lost
  cmake --preset bench && cmake --build --preset bench --target bench_http_servers &&
    node tests/bench/http/restarts.mjs --build build/bench
}
http2_specification() {
  cmake --preset ci && cmake --build --preset ci --target wire_server && tools/h2spec.sh "$H2SPEC_SOURCE" build/ci
}
new_projects() {
  cmake --preset ci && cmake --build --preset ci && ctest --preset ci -R consumer_install &&
    bash tests/consumer/run.sh new-everything "$PWD" "$PWD/build/ci" c++
}
tidy() {
  cmake --preset ci && cmake --build --preset ci && tools/tidy.sh build/ci
}
packages_on_a_new_system() {
  cmake --preset ci && cmake --build --preset ci &&
    bash tests/consumer/run.sh debian-root "$PWD" "$PWD/build/ci" c++
}
if [ $# -gt 0 ]; then steps=("$@"); fi
for step in "${steps[@]}"; do
  case $step in
  http_arena) [ -n "${HTTPARENA_SOURCE:-}" ] || continue ;;
  http2_specification) [ -n "${H2SPEC_SOURCE:-}" ] || continue ;;
  esac
  run "$step"
done

if [ ${#failed[@]} -gt 0 ]; then
  printf 'nightly: failed: %s\n' "${failed[@]}" >&2
  exit 1
fi
