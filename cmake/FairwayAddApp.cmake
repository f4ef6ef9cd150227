# fairway_add_app(<target>
#   [SOURCE_DIR <dir>]      folder with routes/, middlewares/ and plugins/; default: src
#   [NAME <name>]           for several applications in one program: the table is `<name>_app()` in
#                           <fairway/<name>/app_table.hpp>; default: `fairway_app()` in
#                           <fairway/app_table.hpp>
#   [API_TITLE <text>]      `info.title` of the OpenAPI document; default: that of the application's
#                           configuration, else the target's name
#   [API_VERSION <text>]    `info.version`; default: that of the application's configuration, else
#                           the project's version, or 0.0.0
#   [OPENAPI <file>]        also writes the OpenAPI document to this file, relative to the binary
#                           directory, as YAML when it ends in .yaml or .yml; it is replaced only
#                           when the document has changed
#   [CLIENT_NAME <name>]    name of the typed clients; default: the target's name
#   [CLIENT_CPP <file>]     also writes the C++ client to this file, relative to the binary directory
#   [CLIENT_TS <file>]      the same for the TypeScript client
#   [OPTIONS <flag>...]     further flags of `fairway build`
# )
#
# Compiles the route files below SOURCE_DIR into <target>: runs the route compiler whenever a route
# file, or a header it reads, has changed; adds the generated table, the typed request structs and
# the route, middleware and plugin files themselves; links fairway::runtime. Everything generated
# stands in the binary directory. New files are noticed at the next build. When the folder that holds
# SOURCE_DIR has a config/default.json, the OpenAPI document takes the envelope, `openapi.info`,
# `openapi.servers`, `openapi.guardSecurityMap` and `openapi.securitySchemes` from it.
function(fairway_add_app target)
  cmake_parse_arguments(PARSE_ARGV 1 arg ""
    "SOURCE_DIR;NAME;API_TITLE;API_VERSION;OPENAPI;CLIENT_NAME;CLIENT_CPP;CLIENT_TS" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "fairway_add_app(${target}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "fairway_add_app(${target}): no value for: ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "fairway_add_app(${target}): there is no such target; call add_executable or "
                        "add_library before it")
  endif()
  if(NOT TARGET fairway::fairway)
    message(FATAL_ERROR "fairway_add_app(${target}): this build of Fairway has no route compiler; "
                        "set FAIRWAY_BUILD_COMPILER=ON")
  endif()
  if(NOT arg_SOURCE_DIR)
    set(arg_SOURCE_DIR src)
  endif()
  get_filename_component(source_dir ${arg_SOURCE_DIR} ABSOLUTE)
  if(NOT IS_DIRECTORY ${source_dir}/routes)
    message(FATAL_ERROR "fairway_add_app(${target}): no folder ${source_dir}/routes; give the folder "
                        "that holds routes/ as SOURCE_DIR")
  endif()

  set(output_dir ${CMAKE_CURRENT_BINARY_DIR}/fairway/${target})
  set(table_header fairway/app_table.hpp)
  set(export_prefix fairway_export_)
  set(name_flags "")
  if(arg_NAME)
    string(APPEND output_dir /${arg_NAME})
    set(table_header fairway/${arg_NAME}/app_table.hpp)
    string(APPEND export_prefix ${arg_NAME}_)
    set(name_flags --name ${arg_NAME})
  endif()
  set(document_flags --default-title ${target})
  if(arg_API_TITLE)
    list(APPEND document_flags --title ${arg_API_TITLE})
  endif()
  if(arg_API_VERSION)
    list(APPEND document_flags --api-version ${arg_API_VERSION})
  elseif(PROJECT_VERSION)
    list(APPEND document_flags --default-api-version ${PROJECT_VERSION})
  endif()
  # By a pattern, so that a file that comes or goes is noticed.
  get_filename_component(app_dir ${source_dir} DIRECTORY)
  file(GLOB app_config CONFIGURE_DEPENDS ${app_dir}/config/default.json)
  if(app_config)
    list(APPEND document_flags --app-config ${app_config})
  endif()
  if(NOT arg_CLIENT_NAME)
    string(MAKE_C_IDENTIFIER ${target} arg_CLIENT_NAME)
  endif()
  list(APPEND document_flags --client-name ${arg_CLIENT_NAME})

  file(GLOB_RECURSE files RELATIVE ${source_dir} CONFIGURE_DEPENDS
       ${source_dir}/routes/*.cpp ${source_dir}/middlewares/*.cpp ${source_dir}/plugins/*.cpp)
  list(SORT files)
  list(TRANSFORM files PREPEND ${source_dir}/ OUTPUT_VARIABLE sources)
  set(units "")
  set(outputs ${output_dir}/app_table.cpp ${output_dir}/include/${table_header}
              ${output_dir}/openapi.json ${output_dir}/routes.manifest.json
              ${output_dir}/client/${arg_CLIENT_NAME}_client.hpp
              ${output_dir}/client/${arg_CLIENT_NAME}.ts)
  set(copies --openapi-file OPENAPI --client-cpp CLIENT_CPP --client-ts CLIENT_TS)
  while(copies)
    list(POP_FRONT copies flag keyword)
    if(arg_${keyword})
      get_filename_component(file ${arg_${keyword}} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_BINARY_DIR})
      list(APPEND document_flags ${flag} ${file})
      list(APPEND outputs ${file})
    endif()
  endwhile()
  foreach(file IN LISTS files)
    _fairway_write_unit(unit ${output_dir} ${source_dir} ${file} ${export_prefix})
    list(APPEND units ${unit})
    if(file MATCHES "^routes/(.*)\\.cpp$")
      list(APPEND outputs ${output_dir}/include/fairway/routes/${CMAKE_MATCH_1}.routes.hpp)
    endif()
  endforeach()

  set(flags_file ${output_dir}/$<CONFIG>.flags)
  _fairway_write_flags(${target} ${flags_file})

  set(stamp ${output_dir}/routes.stamp)
  add_custom_command(
    OUTPUT ${stamp}
    BYPRODUCTS ${outputs}
    COMMAND fairway::fairway build
      --source-dir ${source_dir}
      --out-dir ${output_dir}
      --flags-file ${flags_file}
      --cache-dir ${CMAKE_BINARY_DIR}/fairway-cache
      --depfile ${output_dir}/routes.d
      --stamp ${stamp}
      ${document_flags} ${name_flags} ${arg_OPTIONS}
    DEPENDS fairway::fairway ${sources} ${flags_file} ${app_config}
    DEPFILE ${output_dir}/routes.d
    COMMENT "Compiling the routes of ${target}"
    VERBATIM)
  # The stamp alone is an output, so that unchanged generated files keep their time and nothing
  # downstream is rebuilt; a target of its own makes every generator run it before any compilation.
  set(routes_target ${target}_routes)
  if(arg_NAME)
    set(routes_target ${target}_${arg_NAME}_routes)
  endif()
  add_custom_target(${routes_target} DEPENDS ${stamp})
  add_dependencies(${target} ${routes_target})

  set_source_files_properties(${outputs} PROPERTIES GENERATED ON)
  # Route files may reuse the names of their anonymous namespaces: unity builds keep them apart.
  set_source_files_properties(${units} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  # Compiled through their units only, also when the target lists them itself; IDEs still show them.
  set_source_files_properties(${sources} PROPERTIES HEADER_FILE_ONLY ON)
  target_sources(${target} PRIVATE ${units} ${sources} ${output_dir}/app_table.cpp)
  target_link_libraries(${target} PRIVATE fairway::runtime)
  target_compile_features(${target} PRIVATE cxx_std_20)
  if(arg_NAME)
    set_property(SOURCE ${units} APPEND PROPERTY
                 INCLUDE_DIRECTORIES ${output_dir}/include/fairway/routes)
  else()
    target_include_directories(${target} PRIVATE ${output_dir}/include/fairway/routes)
  endif()
  target_include_directories(${target} PRIVATE ${output_dir}/include)
endfunction()

# A translation unit of one line that matters: it names the file's export and includes the file. A
# definition on the command line would make GCC drop precompiled headers.
function(_fairway_write_unit result output_dir source_dir file export_prefix)
  set(mangled "")
  string(LENGTH ${file} length)
  math(EXPR last "${length} - 1")
  foreach(index RANGE ${last})
    string(SUBSTRING ${file} ${index} 1 character)
    if(NOT character MATCHES "[A-Za-z0-9]")
      string(HEX "${character}" character)
      string(PREPEND character _)
    endif()
    string(APPEND mangled ${character})
  endforeach()
  set(unit ${output_dir}/units/${file})
  set(text "// Compiles ${file} with an export name of its own.
#include <fairway/define_routes.hpp>
#undef FAIRWAY_EXPORT_NAME
#define FAIRWAY_EXPORT_NAME ${export_prefix}${mangled}
#include \"${source_dir}/${file}\"
")
  file(CONFIGURE OUTPUT ${unit} CONTENT "${text}" @ONLY)
  set(${result} ${unit} PARENT_SCOPE)
endfunction()

# The flags that the target's files are compiled with, one a line, for the route compiler.
function(_fairway_write_flags target flags_file)
  set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  set(options "$<TARGET_PROPERTY:${target},COMPILE_OPTIONS>")
  set(standard "$<TARGET_PROPERTY:${target},CXX_STANDARD>")
  separate_arguments(global_flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS}")
  list(JOIN global_flags "\n" global_flags)
  file(GENERATE OUTPUT ${flags_file} CONTENT
"-std=c++$<IF:$<BOOL:${standard}>,${standard},20>
$<$<BOOL:${includes}>:-I$<JOIN:${includes},\n-I>>
$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},\n-D>>
$<$<BOOL:${options}>:$<JOIN:${options},\n>>
${global_flags}
" TARGET ${target})
endfunction()
