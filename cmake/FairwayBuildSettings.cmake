# Settings for Fairway's own targets; never imposed on users' targets.
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
  endif()
  find_program(CCACHE_PROGRAM ccache)
  if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_CURRENT_LIST_DIR}/ccache_launcher.sh)
  endif()
endif()

# Newer versions of Clang report what libstdc++ 12 does inside std::stable_sort, a deprecated call of
# its own, where that is used.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS "-std=c++20 -Werror=deprecated-declarations")
  check_cxx_source_compiles(
    "#include <algorithm>
     int main() { int list[2] = {2, 1}; std::stable_sort(list, list + 2); }"
    FAIRWAY_STABLE_SORT_IS_QUIET)
  unset(CMAKE_REQUIRED_FLAGS)
endif()

# fairway_own_target(<target>): language level, warnings and sanitizers of our own code.
function(fairway_own_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  # The last is part of -Wconversion with Clang only.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                                           -Wsign-conversion)
  if(CCACHE_PROGRAM AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
  # Optimised, GCC 12 warns of what std::string itself does (its bugs 105329 and 105651).
  set(old_gcc "$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>")
  foreach(warning IN ITEMS restrict array-bounds stringop-overread stringop-overflow)
    target_compile_options(${target} PRIVATE
      $<$<AND:${old_gcc},$<NOT:$<CONFIG:Debug>>>:-Wno-${warning}>)
  endforeach()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT FAIRWAY_STABLE_SORT_IS_QUIET)
    target_compile_options(${target} PRIVATE -Wno-deprecated-declarations)
  endif()
  if(FAIRWAY_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(FAIRWAY_SANITIZER)
    target_compile_options(${target} PUBLIC -fsanitize=${FAIRWAY_SANITIZER}
                                            -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${FAIRWAY_SANITIZER})
  endif()
endfunction()

option(FAIRWAY_UNITY_BUILD "Compile the sources of each target together; for builds that start from nothing" OFF)

# fairway_unity_build(<target> <file>...): with FAIRWAY_UNITY_BUILD, compiles the sources of <target>
# together. The files that are named are compiled alone, because they repeat a name of another file's
# anonymous namespace. A file of tests has a namespace of its own, named after it.
function(fairway_unity_build target)
  if(FAIRWAY_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()
