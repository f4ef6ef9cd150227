# Settings for Fairway's own targets; never imposed on users' targets.
option(FAIRWAY_UNITY_BUILD "Compile the sources of each target together; for builds that start from nothing" OFF)
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
  endif()
  find_program(CCACHE_PROGRAM ccache)
  if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_CURRENT_LIST_DIR}/ccache_launcher.sh)
    if(FAIRWAY_UNITY_BUILD)  # for builds from scratch, as in a new clone
      list(APPEND CMAKE_CXX_COMPILER_LAUNCHER --any-folder)
    endif()
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

# Tests replace operator new, which Clang's sanitizers allow as shared libraries only; GCC's are that.
set(FAIRWAY_SHARED_SANITIZER "")
if(FAIRWAY_SANITIZER AND NOT FAIRWAY_SANITIZER MATCHES fuzzer AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-resource-dir
                  OUTPUT_VARIABLE resources OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(FAIRWAY_SHARED_SANITIZER -shared-libsan LINKER:-rpath,${resources}/lib/linux)
endif()

# Calls instead of inline code for each access: a third less time to compile without optimisation.
set(FAIRWAY_OUTLINED_SANITIZER "")
if(FAIRWAY_SANITIZER MATCHES address AND NOT FAIRWAY_SANITIZER MATCHES fuzzer
   AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(FAIRWAY_OUTLINED_SANITIZER -fsanitize-address-outline-instrumentation)
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
    target_compile_options(${target} PUBLIC -fsanitize=${FAIRWAY_SANITIZER} ${FAIRWAY_OUTLINED_SANITIZER}
                                            -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_compile_definitions(${target} PUBLIC FAIRWAY_SANITIZED)
    target_link_options(${target} PUBLIC -fsanitize=${FAIRWAY_SANITIZER} ${FAIRWAY_SHARED_SANITIZER})
  endif()
endfunction()

# fairway_shared_header(<name> <library>... HEADERS <header>...): a target whose precompiled headers others
# reuse. They have the settings of fairway_own_target.
function(fairway_shared_header name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS")
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/units/${name}.cpp)
  file(CONFIGURE OUTPUT ${unit} CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${unit})
  target_link_libraries(${name} PRIVATE ${arg_UNPARSED_ARGUMENTS})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
  fairway_own_target(${name})
endfunction()

# fairway_share_header(<name> <target>...): with FAIRWAY_UNITY_BUILD, the targets reuse this header, unless
# they have their own. Other builds show that each file includes what it needs.
function(fairway_share_header name)
  if(FAIRWAY_UNITY_BUILD)
    foreach(target IN LISTS ARGN)
      get_target_property(own ${target} PRECOMPILE_HEADERS)
      if(NOT own)
        target_precompile_headers(${target} REUSE_FROM ${name})
      endif()
    endforeach()
  endif()
endfunction()

# fairway_unity_build(<target> <file>...): with FAIRWAY_UNITY_BUILD, compiles the sources of <target>
# together, up to 25 at a time: what files share is compiled once for each unit. The files that are named
# are compiled alone, because they repeat a name of another file's anonymous namespace. A file of tests has
# a namespace of its own, named after it. CMake's own unity builds name files by absolute paths, so that a
# compiler cache would know them in one folder only.
function(fairway_unity_build target)
  if(FAIRWAY_UNITY_BUILD)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    # Once: at the end of the folder, when all sources and their properties are known.
    get_target_property(is_known ${target} FAIRWAY_UNITY)
    if(NOT is_known)
      set_target_properties(${target} PROPERTIES FAIRWAY_UNITY ON)
      cmake_language(EVAL CODE "cmake_language(DEFER CALL _fairway_join_sources [[${target}]])")
    endif()
  endif()
endfunction()

function(_fairway_join_sources target)
  get_target_property(sources ${target} SOURCES)
  set(alone "")
  set(joined "")
  foreach(source IN LISTS sources)
    get_filename_component(file "${source}" ABSOLUTE)
    set(differs NO)  # from the other files of the target
    foreach(property IN ITEMS GENERATED SKIP_UNITY_BUILD_INCLUSION SKIP_PRECOMPILE_HEADERS
                              COMPILE_DEFINITIONS COMPILE_OPTIONS INCLUDE_DIRECTORIES)
      get_source_file_property(value "${source}" ${property})
      if(value)
        set(differs YES)
      endif()
    endforeach()
    file(RELATIVE_PATH file ${PROJECT_SOURCE_DIR} "${file}")
    if(differs OR NOT file MATCHES "^[^.$].*\\.cpp$")
      list(APPEND alone "${source}")
    else()
      list(APPEND joined "${file}")
    endif()
  endforeach()

  list(LENGTH joined count)
  math(EXPR units "(${count} + 24) / 25")
  if(units)
    math(EXPR files_per_unit "(${count} + ${units} - 1) / ${units}")
  endif()
  set(index 0)
  while(joined)
    list(SUBLIST joined 0 ${files_per_unit} batch)
    list(REMOVE_ITEM joined ${batch})
    list(TRANSFORM batch REPLACE "(.+)" "#include \"\\1\"\n")
    list(JOIN batch "" text)
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/units/${target}_${index}.cpp)
    file(CONFIGURE OUTPUT ${unit} CONTENT "${text}" @ONLY)
    list(APPEND alone ${unit})
    math(EXPR index "${index} + 1")
  endwhile()
  set_property(TARGET ${target} PROPERTY SOURCES ${alone})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
endfunction()
