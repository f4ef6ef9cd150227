# RE2 as the target re2::re2. Upstream installs a CMake package; Debian 12 has a pkg-config file only.
if(NOT TARGET re2::re2)
  find_package(re2 CONFIG QUIET)
endif()
if(NOT TARGET re2::re2)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(FAIRWAY_RE2 REQUIRED IMPORTED_TARGET GLOBAL re2)
  add_library(re2::re2 ALIAS PkgConfig::FAIRWAY_RE2)
endif()
