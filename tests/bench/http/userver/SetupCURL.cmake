# Instead of userver's file of this name, which rejects Debian's libcurl 7.88.1: versions of that time could crash in a
# client's HTTP/2. The server of the benchmark makes no requests.
find_package(CURL 7.68 REQUIRED)
