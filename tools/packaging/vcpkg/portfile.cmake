# The sources are taken from this repository: use the folder as an overlay port,
#   vcpkg install fairway --overlay-ports=tools/packaging/vcpkg
# The route compiler links LLVM and Clang of the system: vcpkg's port has no libclang-cpp.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS
  FEATURES
    compiler FAIRWAY_BUILD_COMPILER
    compression FAIRWAY_GZIP
    compression FAIRWAY_BROTLI
    compression FAIRWAY_ZSTD
    fetch FAIRWAY_FETCH
    redis FAIRWAY_REDIS)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${FEATURE_OPTIONS}
    -DFAIRWAY_BUILD_SAMPLES=OFF
    -DFAIRWAY_BUILD_TESTS=OFF
    -DFAIRWAY_DOCS_VIEWER=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME Fairway CONFIG_PATH lib/cmake/Fairway)
vcpkg_fixup_pkgconfig()
if("compiler" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES fairway AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
