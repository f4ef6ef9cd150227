# shellcheck shell=bash
# A unity build with the precompiled header and the linker that Fairway chooses.
cp -r "$here/app" "$app"
settings=()
configure Ninja -DCMAKE_BUILD_TYPE=Debug -DCONSUMER_UNITY=ON
build
run
expect_precompiled cli.cpp
expect_precompiled_header fairway/routes.hpp
linker=$(cd "$scratch/build" && ninja -t commands consumer | tail -n 1 | sed -n 's/.*-fuse-ld=\([a-z]*\).*/\1/p')
expected=$(for linker in mold lld; do command -v "ld.$linker"; done | head -n 1 | sed 's/.*ld\.//' || true)
[ "$linker" = "$expected" ] || fail "linked with '$linker' instead of '$expected'"

step "the other header is precompiled when more route files include it"
sed -i 's|<fairway/routes.hpp>|<fairway/fairway.hpp>|' "$app/src/routes/archive.cpp"
configure Ninja
expect_precompiled_header fairway/fairway.hpp
