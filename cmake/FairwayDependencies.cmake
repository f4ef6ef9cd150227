# Everything comes through find_package, so that newer versions than Debian's serve too.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(simdjson REQUIRED)
include(${CMAKE_CURRENT_LIST_DIR}/FindHttplib.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/FindRe2.cmake)
