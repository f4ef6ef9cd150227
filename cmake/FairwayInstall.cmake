include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Fairway)
set(targets fairway_client fairway_httplib_engine fairway_runtime fairway_schema fairway_testing)
if(TARGET fairway)
  list(APPEND targets fairway)
endif()
# Two components, which are two packages: the command `fairway`, and everything else.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(TARGETS ${targets} EXPORT FairwayTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
if(FAIRWAY_DESCRIPTIONS)
  install(DIRECTORY ${FAIRWAY_DESCRIPTIONS}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR}
          COMPONENT command)
  set(data ${CMAKE_INSTALL_DATADIR})
  install(FILES ${FAIRWAY_DESCRIPTIONS}/fairway.bash RENAME fairway
          DESTINATION ${data}/bash-completion/completions COMPONENT command)
  install(FILES ${FAIRWAY_DESCRIPTIONS}/fairway.zsh RENAME _fairway
          DESTINATION ${data}/zsh/site-functions COMPONENT command)
  install(FILES ${FAIRWAY_DESCRIPTIONS}/fairway.fish
          DESTINATION ${data}/fish/vendor_completions.d COMPONENT command)
endif()
install(EXPORT FairwayTargets NAMESPACE fairway:: DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/runtime/include/fairway
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

if(FAIRWAY_HAS_DOCS_VIEWER)
  install(FILES ${PROJECT_BINARY_DIR}/runtime/docs_viewer/files/licenses.txt
          DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME swagger-ui-licenses.txt)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/FairwayConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/FairwayConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/FairwayConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/FairwayConfig.cmake
              ${PROJECT_BINARY_DIR}/FairwayConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FairwayAddApp.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindCompression.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindHiredis.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindHttplib.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindNghttp2.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindRe2.cmake
        DESTINATION ${package_dir})

# For builds without CMake: pkg-config.
set(FAIRWAY_PKG_CONFIG_REQUIRES "fmt nlohmann_json simdjson re2")
if(FAIRWAY_HTTPLIB_FOUND AND NOT FAIRWAY_EPOLL)  # by pkg-config; upstream's has only headers
  string(APPEND FAIRWAY_PKG_CONFIG_REQUIRES " cpp-httplib")
endif()
foreach(row IN ITEMS "LINK_OPENSSL openssl" "REDIS hiredis" "LINK_LIBCURL libcurl" "GZIP zlib" "BROTLI libbrotlienc libbrotlidec"
             "ZSTD libzstd" "HTTP2 libnghttp2")
  separate_arguments(row)
  list(POP_FRONT row option)
  if(FAIRWAY_${option})
    list(JOIN row " " libraries)
    string(APPEND FAIRWAY_PKG_CONFIG_REQUIRES " ${libraries}")
  endif()
endforeach()
set(FAIRWAY_PKG_CONFIG_LIBS "")
if(FAIRWAY_LOAD_LIBCURL OR FAIRWAY_LOAD_OPENSSL)
  list(TRANSFORM CMAKE_DL_LIBS PREPEND " -l" OUTPUT_VARIABLE FAIRWAY_PKG_CONFIG_LIBS)
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/fairway.pc.in ${PROJECT_BINARY_DIR}/fairway.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/fairway.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/docs/CHANGELOG.md
              ${PROJECT_SOURCE_DIR}/docs/diagnostics.md ${PROJECT_SOURCE_DIR}/docs/third-party.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(PROJECT_IS_TOP_LEVEL)
  include(FairwayPackages)
endif()
