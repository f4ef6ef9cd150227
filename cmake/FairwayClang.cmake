# Clang's libraries, version 16 or newer: the target `fairway_clang`, and FAIRWAY_CLANG_RESOURCE_DIR,
# the folder of the compiler's own headers that belong to them. The newest version is taken, unless
#   -DFAIRWAY_LLVM_VERSION=16   names another one, or
#   -DLLVM_DIR=...              the folder of an LLVMConfig.cmake.
# Clang is expected beside LLVM. Its own CMake package is not used: Debian has none for version 16.
set(FAIRWAY_LLVM_VERSION "" CACHE STRING "Major version of LLVM to build with; empty: the newest")
set(oldest_llvm 16)

file(GLOB llvm_hints /usr/lib/llvm-*/lib/cmake/llvm)
list(SORT llvm_hints COMPARE NATURAL ORDER DESCENDING)
if(FAIRWAY_LLVM_VERSION)
  list(FILTER llvm_hints INCLUDE REGEX "llvm-${FAIRWAY_LLVM_VERSION}/")
endif()
include(CMakeDependentOption)
enable_language(C)  # LLVM's package looks for libraries with it
find_package(LLVM ${FAIRWAY_LLVM_VERSION} QUIET CONFIG HINTS ${llvm_hints})
find_library(clang_library clang-cpp NO_CACHE NO_DEFAULT_PATH PATHS ${LLVM_LIBRARY_DIR})
find_path(clang_headers clang/Tooling/Tooling.h NO_CACHE NO_DEFAULT_PATH PATHS ${LLVM_INCLUDE_DIRS})
if(NOT LLVM_FOUND OR LLVM_VERSION_MAJOR LESS oldest_llvm)
  set(missing "LLVM ${FAIRWAY_LLVM_VERSION}")
  if(NOT FAIRWAY_LLVM_VERSION GREATER_EQUAL oldest_llvm)
    set(missing "LLVM ${oldest_llvm} or newer")
  endif()
elseif(NOT clang_library OR NOT clang_headers)
  set(missing "Clang beside LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_INSTALL_PREFIX}")
endif()
if(missing)
  if(NOT FAIRWAY_LLVM_VERSION)
    set(FAIRWAY_LLVM_VERSION 19)
  endif()
  string(REPLACE NN ${FAIRWAY_LLVM_VERSION} packages
         "llvm-NN-dev libclang-NN-dev libclang-cppNN-dev libclang-common-NN-dev")
  message(FATAL_ERROR
    "the route compiler needs ${missing}. Install it (Debian: ${packages}), name another version "
    "with -DFAIRWAY_LLVM_VERSION=... or another place with -DLLVM_DIR=..., or leave the route "
    "compiler out with -DFAIRWAY_BUILD_COMPILER=OFF")
endif()

# A program that loads the shared libraries needs 20 ms more to start, most of them for relocations.
# In a build without optimisation, unoptimised copies of inline functions would replace the optimised
# ones in the static libraries, and parsing would take half as long again.
set(is_static_useful ON)
if(CMAKE_BUILD_TYPE STREQUAL Debug OR FAIRWAY_SANITIZER)
  set(is_static_useful OFF)
endif()
file(GLOB static_clang ${LLVM_LIBRARY_DIR}/libclang*.a)
file(GLOB static_llvm ${LLVM_LIBRARY_DIR}/libLLVMSupport.a)
cmake_dependent_option(FAIRWAY_STATIC_CLANG
  "Link the route compiler with Clang's static libraries: it starts faster" ${is_static_useful}
  "static_clang;static_llvm" OFF)

add_library(fairway_clang INTERFACE)
target_include_directories(fairway_clang SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
if(FAIRWAY_STATIC_CLANG)
  set(linking "linked statically")
  list(JOIN static_clang "," static_clang)
  target_link_libraries(fairway_clang INTERFACE "$<LINK_GROUP:RESCAN,${static_clang}>")
  foreach(part IN ITEMS FrontendOpenMP FrontendDriver WindowsDriver Option ProfileData BitReader
                        ScalarOpts MCParser MC TargetParser Support)
    if(TARGET LLVM${part})
      target_link_libraries(fairway_clang INTERFACE LLVM${part})
    endif()
  endforeach()
  target_link_options(fairway_clang INTERFACE -Wl,--gc-sections)
else()
  set(linking "shared")
  target_link_libraries(fairway_clang INTERFACE ${clang_library} LLVM)
endif()
message(STATUS
  "Route compiler with Clang ${LLVM_PACKAGE_VERSION} from ${LLVM_INSTALL_PREFIX}, ${linking}")
set(FAIRWAY_CLANG_RESOURCE_DIR ${LLVM_LIBRARY_DIR}/clang/${LLVM_VERSION_MAJOR})
