# shellcheck shell=bash
# Errors in the use of the CMake functions.
cp -r "$here/app" "$app"
expect_error() { # expect_error TEXT LINES-OF-CMAKE [ARGUMENTS-OF-CMAKE...]
  printf 'cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES CXX)\nfind_package(Fairway CONFIG REQUIRED)\n%s\n' "$2" >"$app/CMakeLists.txt"
  if configure Ninja "${@:3}" >"$scratch/log" 2>&1; then fail "accepted: $2"; fi
  tr -s ' \n' ' ' <"$scratch/log" | grep -F "$1" >/dev/null || {
    cat "$scratch/log"
    fail "nothing about: $1"
  }
}
expect_error 'there is no such target' 'fairway_add_app(nobody)'
expect_error 'unknown arguments: SOURCES' 'add_executable(p src/main.cpp)
fairway_add_app(p SOURCES src)'
expect_error 'no folder' 'add_executable(p src/main.cpp)
fairway_add_app(p SOURCE_DIR elsewhere)'
expect_error 'no value for: SOURCE_DIR' 'add_executable(p src/main.cpp)
fairway_add_app(p SOURCE_DIR)'
expect_error 'already has an application in' 'add_executable(p src/main.cpp)
fairway_add_app(p NAME a)
fairway_add_app(p NAME b)'
expect_error 'RELEASED must be the document of the last release' 'add_executable(p src/main.cpp)
fairway_add_app(p)
fairway_add_diff_test(t p)'
expect_error 'there is no file' 'add_executable(p src/main.cpp)
fairway_add_app(p)
fairway_add_diff_test(t p RELEASED released.json)'
expect_error 'there is no such application' 'fairway_add_diff_test(t p RELEASED released.json)'
expect_error "'/bin/echo --version' gives" '' -DFAIRWAY_COMPILER_EXECUTABLE=/bin/echo
expect_error "'/nowhere --version' gives" '' -DFAIRWAY_COMPILER_EXECUTABLE=/nowhere
