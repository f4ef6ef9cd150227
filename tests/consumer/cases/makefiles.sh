# shellcheck shell=bash
# A project with Makefiles.
cp -r "$here/app" "$app"
configure 'Unix Makefiles' -DCMAKE_BUILD_TYPE=Debug
build
run
