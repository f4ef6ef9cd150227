# Finds Fairway: the sources that FAIRWAY_SOURCE names, or else the installed package.
set(FAIRWAY_SOURCE "@fairway_source@" CACHE STRING
    "Fairway's sources: a folder, the URL of an archive, or of a Git repository (URL.git or URL.git#TAG)")

if(FAIRWAY_SOURCE)
  include(FetchContent)
  if(IS_DIRECTORY "${FAIRWAY_SOURCE}")
    FetchContent_Declare(Fairway SOURCE_DIR "${FAIRWAY_SOURCE}")
  elseif(FAIRWAY_SOURCE MATCHES "^(.*\\.git)(#(.+))?$")
    set(repository "${CMAKE_MATCH_1}")
    set(tag "${CMAKE_MATCH_3}")
    if(NOT tag)
      set(tag origin/HEAD)
    endif()
    FetchContent_Declare(Fairway GIT_REPOSITORY "${repository}" GIT_TAG "${tag}")
  else()
    FetchContent_Declare(Fairway URL "${FAIRWAY_SOURCE}" DOWNLOAD_EXTRACT_TIMESTAMP OFF)
  endif()
  FetchContent_MakeAvailable(Fairway)
else()
  find_package(Fairway @fairway_version@ CONFIG QUIET)
  if(NOT Fairway_FOUND)
    message(FATAL_ERROR
      "Fairway @fairway_version@ is not installed where CMake looks for it. ${Fairway_NOT_FOUND_MESSAGE}\n"
      "If it is installed, name its folder: -DCMAKE_PREFIX_PATH=<folder>\n"
      "Otherwise, name its sources: -DFAIRWAY_SOURCE=<folder or URL>")
  endif()
endif()
