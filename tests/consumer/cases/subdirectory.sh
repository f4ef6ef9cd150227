# shellcheck shell=bash
# Fairway as a subdirectory of a project.
# With a route compiler that is there already. The runtime would be compiled as in every build of
# Fairway: the program's own link command is run with the archives of this one.
cp -r "$here/app" "$app"
configure Ninja -DFAIRWAY_DIR="$source" -DFAIRWAY_COMPILER_EXECUTABLE="$fairway" -DCMAKE_BUILD_TYPE=Debug \
  -DFAIRWAY_DOCS_VIEWER=OFF
ninja -C "$scratch/build" -t targets all >"$scratch/targets"
! grep -qE '(^|/)fairway:|fairway_compiler|_tests|samples/' "$scratch/targets" ||
  fail "a subdirectory brings the compiler, tests or samples"
build_objects 'CMakeFiles\/consumer\.dir' consumer.dir
link_with_archives fairway consumer
run
