# fairway_embed_docs_viewer(<target>): puts the files of the documentation viewer into a library:
# Swagger UI as its npm package has it, and what runtime/openapi/viewer adds. Without the package the
# library is still built, and applications serve the document only.
set(FAIRWAY_DOCS_VIEWER AUTO CACHE STRING
    "Embed the documentation viewer: ON, OFF, or AUTO (when Swagger UI is there)")
set_property(CACHE FAIRWAY_DOCS_VIEWER PROPERTY STRINGS AUTO ON OFF)
set(FAIRWAY_SWAGGER_UI_DIR ${PROJECT_SOURCE_DIR}/tools/npm/node_modules/swagger-ui-dist
    CACHE PATH "The npm package swagger-ui-dist")

# Why the viewer cannot be embedded, or nothing.
function(fairway_docs_viewer_problem result)
  find_program(GZIP_PROGRAM gzip)
  set(problem "")
  if(NOT EXISTS ${FAIRWAY_SWAGGER_UI_DIR}/swagger-ui-bundle.js)
    set(install "npm ci --prefix ${PROJECT_SOURCE_DIR}/tools/npm")
    set(problem "${FAIRWAY_SWAGGER_UI_DIR} has no swagger-ui-bundle.js; '${install}' installs it")
  elseif(NOT GZIP_PROGRAM)
    set(problem "the program gzip is missing")
  endif()
  set(${result} "${problem}" PARENT_SCOPE)
endfunction()

function(fairway_embed_docs_viewer target)
  set(own ${PROJECT_SOURCE_DIR}/runtime/openapi/viewer)
  set(problem "FAIRWAY_DOCS_VIEWER is OFF")
  if(FAIRWAY_DOCS_VIEWER)
    fairway_docs_viewer_problem(problem)
    if(problem AND NOT FAIRWAY_DOCS_VIEWER STREQUAL "AUTO")
      message(FATAL_ERROR "FAIRWAY_DOCS_VIEWER is ${FAIRWAY_DOCS_VIEWER}, but ${problem}")
    endif()
  endif()
  if(problem)
    message(STATUS "Fairway without the documentation viewer: ${problem}")
    target_sources(${target} PRIVATE ${own}/no_viewer_assets.cpp)
    set(FAIRWAY_HAS_DOCS_VIEWER OFF CACHE INTERNAL "Whether the library has the viewer")
    return()
  endif()
  set(FAIRWAY_HAS_DOCS_VIEWER ON CACHE INTERNAL "Whether the library has the viewer")
  set(ui ${FAIRWAY_SWAGGER_UI_DIR})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/docs_viewer)
  set(script ${PROJECT_SOURCE_DIR}/cmake/EmbedDocsViewer.cmake)
  add_custom_command(
    OUTPUT ${output}/viewer_assets.cpp
    COMMAND ${CMAKE_COMMAND} -DUI=${ui} -DOWN=${own} -DOUTPUT=${output} -DGZIP=${GZIP_PROGRAM}
            -DCAN_DECOMPRESS=$<BOOL:${FAIRWAY_GZIP}> -P ${script}
    DEPENDS ${script} ${ui}/swagger-ui-bundle.js ${ui}/swagger-ui.css ${ui}/LICENSE ${ui}/NOTICE
            ${ui}/swagger-ui-bundle.js.LICENSE.txt ${own}/viewer.css ${own}/push.js
            ${own}/viewer.js ${own}/icon.svg
    COMMENT "Embedding the documentation viewer"
    VERBATIM)
  set_source_files_properties(${output}/viewer_assets.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE ${output}/viewer_assets.cpp)
endfunction()
