# hiredis as the target hiredis::hiredis. Upstream installs a CMake package since 1.0; Debian 12 ships
# a version before it. Sets FAIRWAY_HIREDIS_FOUND.
if(NOT TARGET hiredis::hiredis)
  find_package(hiredis 1.0 CONFIG QUIET)
endif()
if(NOT TARGET hiredis::hiredis)
  # Not by pkg-config, which also defines _FILE_OFFSET_BITS for whoever includes it.
  find_path(FAIRWAY_HIREDIS_INCLUDE_DIR hiredis/hiredis.h)
  find_library(FAIRWAY_HIREDIS_LIBRARY hiredis)
  mark_as_advanced(FAIRWAY_HIREDIS_INCLUDE_DIR FAIRWAY_HIREDIS_LIBRARY)
  if(FAIRWAY_HIREDIS_INCLUDE_DIR AND FAIRWAY_HIREDIS_LIBRARY)
    add_library(hiredis::hiredis UNKNOWN IMPORTED)
    set_target_properties(hiredis::hiredis PROPERTIES
      IMPORTED_GLOBAL TRUE
      IMPORTED_LOCATION ${FAIRWAY_HIREDIS_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${FAIRWAY_HIREDIS_INCLUDE_DIR})
  endif()
endif()
if(TARGET hiredis::hiredis)
  set(FAIRWAY_HIREDIS_FOUND TRUE)
else()
  set(FAIRWAY_HIREDIS_FOUND FALSE)
endif()
