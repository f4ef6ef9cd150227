# How programs get libcurl, on which the outbound client is built. It needs about twenty other shared
# libraries, which cost each start of a program milliseconds and memory whether it makes calls or not.
# So programs load it when they first need it, if it is in a folder where the system's loader finds it
# by its name. Other copies, and static libraries, are linked. Sets
#   FAIRWAY_LOAD_LIBCURL, FAIRWAY_LINK_LIBCURL  at most one of them is on
#   FAIRWAY_LIBCURL                             the name that programs load, such as libcurl.so.4

set(FAIRWAY_LINK_LIBCURL OFF)
if(NOT FAIRWAY_FETCH)
  set(FAIRWAY_LOAD_LIBCURL OFF)
  message(STATUS "Outbound client: left out, app.fetch throws; libcurl 7.87 or newer brings it")
  return()
endif()
fairway_find_soname(FAIRWAY_LIBCURL reason CURL::libcurl)
set(can_load OFF)
if(FAIRWAY_LIBCURL)
  set(can_load ON)
endif()
fairway_decide_loading(FAIRWAY_LOAD_LIBCURL "libcurl" ${can_load} reason)
if(FAIRWAY_LOAD_LIBCURL)
  message(STATUS "Outbound client: loads ${FAIRWAY_LIBCURL}, of libcurl ${CURL_VERSION_STRING}, when it is first used")
else()
  set(FAIRWAY_LINK_LIBCURL ON)
  message(STATUS "Outbound client: links libcurl ${CURL_VERSION_STRING}: ${reason}")
endif()
