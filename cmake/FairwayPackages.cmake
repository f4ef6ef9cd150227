# Debian packages: `cpack` in the build directory writes fairway_*.deb, the command, and
# libfairway-dev_*.deb, the headers, libraries and CMake files.
if(NOT TARGET fairway)
  return()  # a package of the libraries needs one of the command
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fairway)
set(CPACK_PACKAGE_VENDOR Fairway)
set(CPACK_PACKAGE_CONTACT "The Fairway authors" CACHE STRING "Maintainer of the packages")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL command development)
set(package_names fairway libfairway-dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME fairway)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION
    "The command fairway checks the routes of web APIs in C++ before the program is\nlinked, and writes code, documents and clients.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
# The headers of the Clang that the command contains.
get_directory_property(llvm_version DIRECTORY ${PROJECT_SOURCE_DIR}/compiler DEFINITION LLVM_VERSION_MAJOR)
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS libclang-common-${llvm_version}-dev)
# Clang is the compiler of `fairway dev`; Clang of the same version needs no other libraries.
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS
    "libfairway-dev, cmake, ninja-build, clang-${llvm_version} | clang (>= 1:14)")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libfairway-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "Headers, libraries and CMake files, with which programs are compiled and linked.")
# Projects of `fairway new` have tests, which use doctest. `c++-compiler` is not enough: clang-19 provides it
# without `c++` or `clang++`, which CMake looks for.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "g++ | clang (>= 1:14), doctest-dev")
set(dependencies "fairway (= ${PROJECT_VERSION}-1)" pkg-config libfmt-dev "nlohmann-json3-dev (>= 3.11)"
    libssl-dev libsimdjson-dev libre2-dev libcpp-httplib-dev)
foreach(row IN ITEMS "REDIS libhiredis-dev" "LINK_LIBCURL libcurl4-openssl-dev" "LOAD_LIBCURL libcurl4" "GZIP zlib1g-dev"
                     "BROTLI libbrotli-dev" "ZSTD libzstd-dev" "HTTP2 libnghttp2-dev")
  separate_arguments(row)
  list(POP_FRONT row option package)
  if(FAIRWAY_${option})
    list(APPEND dependencies ${package})
  endif()
endforeach()
list(JOIN dependencies ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)

# The licence in the form of Debian: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
file(READ ${PROJECT_SOURCE_DIR}/LICENSE license)
string(REGEX REPLACE "^.*\nCopyright \\(c\\) ([^\n]*)\n+" "" license "${license}")
set(copyright "${CMAKE_MATCH_1}")
string(STRIP "${license}" license)
string(REPLACE "\n\n" "\n.\n" license "${license}")
string(REPLACE "\n" "\n " license "${license}")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/copyright @ONLY CONTENT [[
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Fairway
Comment: libfairway-dev contains the notices of Swagger UI (Apache-2.0), if the library contains its files.

Files: *
Copyright: @copyright@
License: Expat
 @license@
]])
foreach(component package IN ZIP_LISTS CPACK_COMPONENTS_ALL package_names)
  install(FILES ${PROJECT_BINARY_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
          COMPONENT ${component})
endforeach()
include(CPack)
