# cpp-httplib as the target httplib::httplib. Upstream installs a CMake package; Debian 12 ships a
# shared library with a pkg-config file only.
if(NOT TARGET httplib::httplib)
  find_package(httplib CONFIG QUIET)
endif()
if(NOT TARGET httplib::httplib)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(FAIRWAY_HTTPLIB REQUIRED IMPORTED_TARGET GLOBAL cpp-httplib)
  add_library(httplib::httplib ALIAS PkgConfig::FAIRWAY_HTTPLIB)
endif()
