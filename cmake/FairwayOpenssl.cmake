# How programs get OpenSSL, which only TLS and digests need, but whose relocations and symbols cost each start of a
# program. As with libcurl, programs load it when they first need it if they can find it by its name. Sets
#   FAIRWAY_LINK_OPENSSL                  whether it is linked
#   FAIRWAY_LIBCRYPTO, FAIRWAY_LIBSSL     otherwise, the names that programs load, such as libssl.so.3
fairway_find_soname(FAIRWAY_LIBCRYPTO reason OpenSSL::Crypto)
if(FAIRWAY_LIBCRYPTO)
  fairway_find_soname(FAIRWAY_LIBSSL reason OpenSSL::SSL)
endif()
set(can_load OFF)
if(FAIRWAY_LIBCRYPTO AND FAIRWAY_LIBSSL)
  set(can_load ON)
endif()
fairway_decide_loading(FAIRWAY_LOAD_OPENSSL "OpenSSL" ${can_load} reason)
if(FAIRWAY_LOAD_OPENSSL)
  set(FAIRWAY_LINK_OPENSSL OFF)
  message(STATUS "OpenSSL: loads ${FAIRWAY_LIBSSL} and ${FAIRWAY_LIBCRYPTO} when they are first used")
else()
  set(FAIRWAY_LINK_OPENSSL ON)
  message(STATUS "OpenSSL: linked, ${reason}")
endif()
