# shellcheck shell=bash
# Projects of `fairway new`.
settings=()
# Each template in another way; new-everything tests all of them in all ways. The first one is built and
# changed by project_pages_can_be_followed.
create shop
create front --template gateway
check_project 'Unix Makefiles' -DFAIRWAY_PRECOMPILE_HEADER=OFF -DCMAKE_CXX_FLAGS="-O2 -Wall -Wextra -Werror $flags"
create site --template pages
check_project Ninja
expect_precompiled src/main.cpp tests/main.cpp src/routes/index.cpp
expect_precompiled_header fairway/routes.hpp

create tiny --template minimal --fairway-source "$source"
configure Ninja -DFAIRWAY_COMPILER_EXECUTABLE="$fairway" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= \
  -DFAIRWAY_DOCS_VIEWER=OFF
build_objects '\(tests\/\)\?CMakeFiles\/tiny[-a-z]*\.dir' tiny-app.dir tiny.dir tiny-tests.dir
link_with_archives _deps/fairway-build libtiny-app.a tiny tests/tiny-tests
(cd "$app" && FAIRWAY_ENV=test "$scratch/build/tests/tiny-tests")
build --target doctor

step "without Fairway, the error says what to do"
create alone --template minimal
if cmake -S "$app" -B "$scratch/alone-build" -G Ninja -DCMAKE_CXX_COMPILER="$cxx" >"$scratch/log" 2>&1; then
  fail "configured without Fairway"
fi
grep -q 'DFAIRWAY_SOURCE=<folder or URL>' "$scratch/log" || {
  cat "$scratch/log"
  fail "no remedy"
}
