include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Fairway)
set(targets fairway_client fairway_runtime fairway_schema fairway_testing)
if(TARGET fairway)
  list(APPEND targets fairway)
endif()
install(TARGETS ${targets} EXPORT FairwayTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
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
              ${CMAKE_CURRENT_LIST_DIR}/FindRe2.cmake
        DESTINATION ${package_dir})
