# fairway_add_app(<target>
#   [SOURCE_DIR <dir>]      folder with routes/, middlewares/, plugins/ and pages/; default: src
#   [NAME <name>]           for several applications in one program: the table is `<name>_app()` in
#                           <fairway/<name>/app_table.hpp>; default: `fairway_app()` in
#                           <fairway/app_table.hpp>
#   [API_TITLE <text>]      `info.title` of the OpenAPI document; default: from the application's
#                           configuration, else the target's name
#   [API_VERSION <text>]    `info.version`; default: from the application's configuration, else
#                           the project's version, or 0.0.0
#   [OPENAPI <file>]        also writes the OpenAPI document to this file, relative to the binary
#                           directory, as YAML when it ends in .yaml or .yml; it is replaced only
#                           when the document has changed
#   [CLIENT_NAME <name>]    name of the typed clients; default: the target's name
#   [CLIENT_CPP <file>]     also writes the C++ client to this file, relative to the binary directory,
#                           and fairway_client_support.hpp, which it includes, beside it
#   [CLIENT_TS <file>]      the same for the TypeScript client
#   [JSON_NAMES <style>]    names in JSON of the members of C++ types: camelCase turns customer_id
#                           into customerId; default: asWritten. FW_JSON gives single members names
#   [OPTIONS <flag>...]     further flags of `fairway build`
# )
#
# Compiles the route files below SOURCE_DIR into <target>: runs the route compiler whenever a route
# file, a header it reads, or the flags it is compiled with have changed; adds the generated table, the
# typed request structs and the route, middleware and plugin files; links fairway::runtime. When
# <target> is a library, its users get the generated headers and the runtime too. Generated files are
# in the binary directory. New files are picked up by the next build. When the folder that contains
# SOURCE_DIR has a config/default.json, the OpenAPI document takes the envelope, `openapi.info`,
# `openapi.servers`, `openapi.guardSecurityMap` and `openapi.securitySchemes` from it, and the codes of
# errors that handlers raise by a key from the locale files.
#
# FAIRWAY_PRECOMPILE_HEADER (ON) compiles <target> with a precompiled header, <fairway/routes.hpp> if at least
# half of the route files include it, otherwise <fairway/fairway.hpp>, which saves a second or more for each
# file; see fairway_share_precompiled_header. FAIRWAY_LINKER (AUTO) is the linker of debug builds: AUTO takes
# mold or lld if one is installed, DEFAULT leaves the choice to the compiler, and another name is passed to
# -fuse-ld.
#
# Also defines the interface library <target>_client, or <target>_<NAME>_client: the generated C++
# client with everything that its users need.
#
# The route compiler takes the flags of each file from compile_commands.json, which is written for
# <target> whether CMAKE_EXPORT_COMPILE_COMMANDS is set or not. It is the `fairway` command of this
# build or package, or the program that FAIRWAY_COMPILER_EXECUTABLE names.
option(FAIRWAY_PRECOMPILE_HEADER "Compile applications with a precompiled header of Fairway" ON)
set(FAIRWAY_LINKER AUTO CACHE STRING
    "Linker of debug builds of applications: AUTO, DEFAULT, or the name of one, such as mold or lld")

function(fairway_add_app target)
  cmake_parse_arguments(PARSE_ARGV 1 arg ""
    "SOURCE_DIR;NAME;API_TITLE;API_VERSION;OPENAPI;CLIENT_NAME;CLIENT_CPP;CLIENT_TS;JSON_NAMES"
    "OPTIONS")
  set(call "fairway_add_app(${target})")
  _fairway_check_arguments("${call}")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${call}: there is no such target; call add_executable or add_library before it")
  endif()
  _fairway_set_json_names(${target} "${arg_JSON_NAMES}" "${call}")
  _fairway_compiler(compiler "${call}")
  if(NOT CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
    message(FATAL_ERROR "${call}: the generator '${CMAKE_GENERATOR}' writes no compile_commands.json; use "
                        "Ninja or Makefiles")
  endif()
  _fairway_source_dir(source_dir "${arg_SOURCE_DIR}" "${call}")

  set(app ${target})
  set(output_dir ${CMAKE_CURRENT_BINARY_DIR}/fairway/${target})
  set(table_header fairway/app_table.hpp)
  set(export_prefix fairway_export_)
  set(name_flags "")
  if(arg_NAME)
    string(APPEND app _${arg_NAME})
    string(APPEND output_dir /${arg_NAME})
    set(table_header fairway/${arg_NAME}/app_table.hpp)
    string(APPEND export_prefix ${arg_NAME}_)
    set(name_flags --name ${arg_NAME})
  endif()
  if(NOT arg_CLIENT_NAME)
    string(MAKE_C_IDENTIFIER ${target} arg_CLIENT_NAME)
  endif()
  get_filename_component(app_dir ${source_dir} DIRECTORY)
  set_target_properties(${target} PROPERTIES
    FAIRWAY_OUTPUT_DIR_${arg_NAME} ${output_dir} FAIRWAY_APP_DIR_${arg_NAME} ${app_dir})

  # Globs, so that added and removed files trigger a reconfigure.
  file(GLOB app_config CONFIGURE_DEPENDS ${app_dir}/config/default.json)
  file(GLOB config_layers CONFIGURE_DEPENDS
       ${app_dir}/config/*.json ${app_dir}/config/*.yaml ${app_dir}/config/*.yml)
  set(locales "")
  if(app_config)
    file(GLOB locales CONFIGURE_DEPENDS ${app_dir}/locales/*.json)
  endif()
  file(GLOB_RECURSE files FOLLOW_SYMLINKS RELATIVE ${source_dir} CONFIGURE_DEPENDS
       ${source_dir}/routes/*.cpp ${source_dir}/middlewares/*.cpp ${source_dir}/plugins/*.cpp)
  list(FILTER files EXCLUDE REGEX "(^|/)\\.")  # locks and copies of editors
  list(SORT files)
  list(TRANSFORM files PREPEND ${source_dir}/ OUTPUT_VARIABLE sources)
  file(GLOB_RECURSE pages FOLLOW_SYMLINKS CONFIGURE_DEPENDS
       ${source_dir}/pages/*.html ${source_dir}/pages/*.js ${source_dir}/pages/*.css)
  _fairway_find_lint_settings(lint_settings ${source_dir})
  # Changes when a file comes or goes: one that was moved here may be older than what was built.
  set(globs ${output_dir}/globs.txt)
  file(CONFIGURE OUTPUT ${globs} CONTENT "${pages};${config_layers};${locales};${lint_settings}\n" @ONLY)

  _fairway_document_flags(document_flags ${target} "${app_config}")
  _fairway_store_arguments(${output_dir} ${source_dir} "${document_flags}")
  _fairway_copies(copies copy_flags)
  _fairway_types_sources(types_headers types_sources ${output_dir} "${files}")
  set(outputs ${output_dir}/app_table.cpp ${output_dir}/include/${table_header}
              ${output_dir}/openapi.json ${output_dir}/routes.manifest.json
              ${output_dir}/client/${arg_CLIENT_NAME}_client.hpp
              ${output_dir}/client/fairway_client_support.hpp
              ${output_dir}/client/${arg_CLIENT_NAME}.ts
              ${copies} ${types_headers} ${types_sources})
  set(inputs ${sources} ${pages} ${config_layers} ${locales} ${lint_settings} ${globs})
  set(flags ${document_flags} ${copy_flags})
  if(CMAKE_COLOR_DIAGNOSTICS)
    list(APPEND flags --color always)
  endif()
  list(APPEND flags ${name_flags})
  _fairway_add_routes_target(${app}_routes ${target} ${compiler} ${source_dir} ${output_dir}
                             "${inputs}" "${outputs}" "${flags}")

  _fairway_name_exports(${target} ${source_dir} ${export_prefix} "${files}")
  target_sources(${target} PRIVATE ${sources} ${output_dir}/app_table.cpp ${types_sources})
  _fairway_use_runtime(${target} ${source_dir} ${output_dir} "${arg_NAME}")
  if(FAIRWAY_PRECOMPILE_HEADER)
    _fairway_common_header(header ${source_dir} "${files}")
    target_precompile_headers(${target} PRIVATE ${header})
  endif()

  add_library(${app}_client INTERFACE)
  target_include_directories(${app}_client INTERFACE ${output_dir}/client)
  target_link_libraries(${app}_client INTERFACE fairway::client)
  add_dependencies(${app}_client ${app}_routes)
endfunction()

# Rejects arguments that cmake_parse_arguments(… arg …) does not know; `call` begins the error.
function(_fairway_check_arguments call)
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${call}: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${call}: no value for: ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
endfunction()

# The style of the names in JSON, which may be empty.
function(_fairway_set_json_names target style call)
  if(style STREQUAL camelCase)
    target_compile_definitions(${target} PRIVATE FAIRWAY_JSON_NAMES_CAMEL_CASE)
  elseif(style AND NOT style STREQUAL asWritten)
    message(FATAL_ERROR "${call}: JSON_NAMES is camelCase or asWritten, not '${style}'")
  endif()
endfunction()

# The absolute path of SOURCE_DIR.
function(_fairway_source_dir result source_dir call)
  if(NOT source_dir)
    set(source_dir src)
  endif()
  get_filename_component(source_dir ${source_dir} ABSOLUTE)
  if(NOT IS_DIRECTORY ${source_dir}/routes)
    message(FATAL_ERROR "${call}: no folder ${source_dir}/routes; pass SOURCE_DIR, the directory that "
                        "contains routes/")
  endif()
  set(${result} ${source_dir} PARENT_SCOPE)
endfunction()

# The files .fairway.json in and above the folder; the nearest of them counts.
function(_fairway_find_lint_settings result folder)
  set(candidates "")
  set(previous_folder "")
  while(NOT folder STREQUAL previous_folder)
    list(APPEND candidates ${folder}/.fairway.json)
    set(previous_folder ${folder})
    get_filename_component(folder ${folder} DIRECTORY)
  endwhile()
  file(GLOB lint_settings CONFIGURE_DEPENDS ${candidates})
  set(${result} "${lint_settings}" PARENT_SCOPE)
endfunction()

# The flags for what is in the OpenAPI document and the clients, from the arguments of fairway_add_app.
function(_fairway_document_flags result target app_config)
  set(flags --default-title ${target})
  if(arg_API_TITLE)
    list(APPEND flags --title ${arg_API_TITLE})
  endif()
  if(arg_API_VERSION)
    list(APPEND flags --api-version ${arg_API_VERSION})
  elseif(PROJECT_VERSION)
    list(APPEND flags --default-api-version ${PROJECT_VERSION})
  endif()
  if(app_config)
    list(APPEND flags --app-config ${app_config})
  endif()
  list(APPEND flags --client-name ${arg_CLIENT_NAME})
  set(${result} "${flags}" PARENT_SCOPE)
endfunction()

# Stores the flags, and OPTIONS of fairway_add_app, for the other commands, which find them by the
# compile commands.
function(_fairway_store_arguments output_dir source_dir flags)
  string(REGEX REPLACE "([\\\"])" "\\\\\\1" directory "${CMAKE_CURRENT_BINARY_DIR}")
  string(REGEX REPLACE "([\\\"])" "\\\\\\1" source_dir "${source_dir}")
  set(stored "{\"directory\": \"${directory}\", \"source_dir\": \"${source_dir}\", \"arguments\": []}")
  set(index 0)
  foreach(argument IN ITEMS ${flags} ${arg_OPTIONS})
    string(REGEX REPLACE "([\\\"])" "\\\\\\1" argument "${argument}")
    string(JSON stored SET "${stored}" arguments ${index} "\"${argument}\"")
    math(EXPR index "${index} + 1")
  endforeach()
  # Evaluates generator expressions; if they depend on the configuration, for the first one.
  get_property(is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  set(condition "")
  if(is_multi_config)
    list(GET CMAKE_CONFIGURATION_TYPES 0 configuration)
    set(condition CONDITION $<CONFIG:${configuration}>)
  endif()
  file(GENERATE OUTPUT ${output_dir}/add_app.json CONTENT "${stored}\n" ${condition})
endfunction()

# The files that OPENAPI, CLIENT_CPP and CLIENT_TS of fairway_add_app name, and the flags for them.
function(_fairway_copies result flags_result)
  set(files "")
  set(flags "")
  set(copies --openapi-file OPENAPI --client-cpp CLIENT_CPP --client-ts CLIENT_TS)
  while(copies)
    list(POP_FRONT copies flag keyword)
    if(arg_${keyword})
      get_filename_component(file ${arg_${keyword}} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_BINARY_DIR})
      list(APPEND flags ${flag} ${file})
      list(APPEND files ${file})
    endif()
  endwhile()
  set(${result} "${files}" PARENT_SCOPE)
  set(${flags_result} "${flags}" PARENT_SCOPE)
endfunction()

# The generated files with the types of the routes, and with those that `types.cpp` has for all.
function(_fairway_types_sources headers_result sources_result output_dir files)
  set(headers "")
  set(sources "")
  foreach(file IN LISTS files)
    if(file MATCHES "^routes/(.*)\\.cpp$")
      list(APPEND headers ${output_dir}/include/fairway/routes/${CMAKE_MATCH_1}.routes.hpp)
      list(APPEND sources ${output_dir}/routes/${CMAKE_MATCH_1}.routes.cpp)
    endif()
  endforeach()
  set(${headers_result} "${headers}" PARENT_SCOPE)
  list(APPEND sources ${output_dir}/types.cpp)
  set(${sources_result} "${sources}" PARENT_SCOPE)
endfunction()

# Adds the target `routes`, which runs the route compiler for <target> when one of the inputs has changed.
function(_fairway_add_routes_target routes target compiler source_dir output_dir inputs outputs flags)
  # Where this target's objects are, in each configuration: that tells its commands from others'.
  get_target_property(objects ${target} BINARY_DIR)
  string(APPEND objects /CMakeFiles/${target}.dir)
  get_property(is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(is_multi_config)
    string(APPEND objects /$<CONFIG>)
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_COMPILE_COMMANDS ON)

  # Errors are stored first and shown by a second command, because a build system begins its report of
  # a command that failed with all of its outputs and arguments.
  set(errors ${output_dir}/routes.errors)
  set(stamp ${output_dir}/routes.stamp)
  add_custom_command(
    OUTPUT ${errors}
    BYPRODUCTS ${outputs}
    COMMAND ${compiler} build
      --source-dir ${source_dir}
      --out-dir ${output_dir}
      -p ${CMAKE_BINARY_DIR}
      --objects ${objects}
      --cache-dir ${CMAKE_BINARY_DIR}/fairway-cache
      --depfile ${output_dir}/routes.d
      --errors ${errors}
      ${flags} ${arg_OPTIONS}
    DEPENDS ${compiler} ${inputs} ${CMAKE_BINARY_DIR}/compile_commands.json
    DEPFILE ${output_dir}/routes.d
    COMMENT "Compiling the routes of ${target}"
    VERBATIM)
  # The stamp alone is an output, so that unchanged generated files keep their time and nothing
  # downstream is rebuilt; a target of its own makes every generator run it before any compilation.
  add_custom_command(
    OUTPUT ${stamp}
    COMMAND cat routes.errors 1>&2
    COMMAND test ! -s routes.errors
    COMMAND ${CMAKE_COMMAND} -E touch routes.stamp
    DEPENDS ${errors}
    WORKING_DIRECTORY ${output_dir}
    COMMENT "Checking the routes of ${target}"
    VERBATIM)
  add_custom_target(${routes} DEPENDS ${stamp})
  add_dependencies(${target} ${routes})
  set_property(SOURCE ${outputs} TARGET_DIRECTORY ${target} PROPERTY GENERATED ON)
  # The headers of types are included by their paths from the source directory.
  set_property(SOURCE ${output_dir}/types.cpp TARGET_DIRECTORY ${target} APPEND PROPERTY
               COMPILE_OPTIONS -iquote${source_dir})
endfunction()

# Gives the export of each file a name of its own, by which the table refers to it. A file may be in
# applications of several targets: properties of the target, under a name for the folder, say which one
# it is for.
function(_fairway_name_exports target source_dir prefix files)
  string(MD5 id ${source_dir})
  get_target_property(taken ${target} FAIRWAY_EXPORTS_${id})
  if(taken)
    message(FATAL_ERROR "fairway_add_app(${target}): this target already has an application in "
                        "${source_dir}; give each one a SOURCE_DIR of its own")
  endif()
  set_target_properties(${target} PROPERTIES FAIRWAY_EXPORTS_${id} ${prefix})
  # At the end of the folder, so that what the user sets for these files is kept, not replaced.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL _fairway_set_source_properties
                                           [[${target}]] [[${source_dir}]] [[${id}]] [[${files}]])")
endfunction()

# The header of Fairway that at least half of the route files include, as they are when CMake runs.
function(_fairway_common_header result source_dir files)
  list(FILTER files INCLUDE REGEX "^routes/")
  list(LENGTH files all)
  set(light 0)
  foreach(file IN LISTS files)
    file(STRINGS ${source_dir}/${file} found REGEX "^#include [<\"]fairway/routes\\.hpp[>\"]" LIMIT_COUNT 1)
    if(found)
      math(EXPR light "${light} + 2")
    endif()
  endforeach()
  set(${result} <fairway/fairway.hpp> PARENT_SCOPE)
  if(light AND light GREATER_EQUAL all)
    set(${result} <fairway/routes.hpp> PARENT_SCOPE)
  endif()
endfunction()

# How <target> is compiled and linked: with the runtime and the generated headers. `name` is NAME of
# fairway_add_app.
function(_fairway_use_runtime target source_dir output_dir name)
  get_target_property(type ${target} TYPE)
  set(scope PUBLIC)
  if(type STREQUAL "EXECUTABLE")
    set(scope PRIVATE)
  endif()
  target_link_libraries(${target} ${scope} fairway::runtime)
  target_compile_features(${target} ${scope} cxx_std_20)
  set(types ${output_dir}/include/fairway/routes)
  if(name)
    # For the files of this application only: another one may have files of the same names.
    string(MD5 id ${source_dir})
    set_target_properties(${target} PROPERTIES FAIRWAY_TYPES_${id} ${types})
  else()
    target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${types}>)
  endif()
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${output_dir}/include>)

  _fairway_linker(linker)
  if(linker)
    set(link_scope PRIVATE)
    if(type STREQUAL "STATIC_LIBRARY" OR type STREQUAL "OBJECT_LIBRARY")
      set(link_scope INTERFACE)  # of the programs that link it
    endif()
    target_link_options(${target} ${link_scope} $<$<CONFIG:Debug>:-fuse-ld=${linker}>)
  endif()
endfunction()

# fairway_share_precompiled_header(<target> <application>)
#
# Compiles <target>, for example a program or its tests, with the precompiled header of <application>, a
# target of fairway_add_app. Their flags must be alike, except for warnings and include directories. Does
# nothing if FAIRWAY_PRECOMPILE_HEADER is off.
function(fairway_share_precompiled_header target application)
  if(FAIRWAY_PRECOMPILE_HEADER)
    target_precompile_headers(${target} REUSE_FROM ${application})
  endif()
endfunction()

# fairway_add_contract_test(<test> <target>
#   [PROGRAM <target>]       the program to start; default: <target>, if it is a program
#   [NAME <name>]            NAME of fairway_add_app
#   [SETTINGS <file>]        JSON or YAML file with credentials, values and excluded operations
#   [SEED <number>]          seed of the random requests; default: 1
#   [REQUESTS <number>]      valid requests for each operation; default: 20
#   [STRICT]                 also fail on errors that only `default` declares, and on operations for
#                            which no valid request succeeds
#   [WORKING_DIRECTORY <dir>]  where the program runs; default: the folder that contains SOURCE_DIR
# )
#
# Adds a test of CTest that starts the program of an application, sends requests to all operations of
# its OpenAPI document, valid and invalid ones, and compares the responses with the document
# (`fairway contract`). The program runs with FAIRWAY_ENV=test, unless the property ENVIRONMENT of
# the test sets another value.
function(fairway_add_contract_test test target)
  cmake_parse_arguments(PARSE_ARGV 2 arg "STRICT"
    "PROGRAM;NAME;SETTINGS;SEED;REQUESTS;WORKING_DIRECTORY" "")
  set(call "fairway_add_contract_test(${test} ${target})")
  _fairway_check_arguments("${call}")
  _fairway_output_dir(output_dir ${target} "${arg_NAME}" "${call}")
  if(NOT arg_PROGRAM)
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "EXECUTABLE")
      message(FATAL_ERROR "${call}: '${target}' is a library; give the program that serves it as "
                          "PROGRAM")
    endif()
    set(arg_PROGRAM ${target})
  endif()
  if(NOT arg_WORKING_DIRECTORY)
    get_target_property(arg_WORKING_DIRECTORY ${target} FAIRWAY_APP_DIR_${arg_NAME})
  endif()
  set(flags "")
  foreach(keyword IN ITEMS SEED REQUESTS)
    if(arg_${keyword})
      string(TOLOWER ${keyword} flag)
      list(APPEND flags --${flag} ${arg_${keyword}})
    endif()
  endforeach()
  if(arg_SETTINGS)
    get_filename_component(settings ${arg_SETTINGS} ABSOLUTE)
    list(APPEND flags --settings ${settings})
  endif()
  if(arg_STRICT)
    list(APPEND flags --strict)
  endif()
  _fairway_compiler(compiler "${call}")
  add_test(NAME ${test}
    COMMAND ${compiler} contract ${output_dir}/openapi.json --program $<TARGET_FILE:${arg_PROGRAM}>
            ${flags}
    WORKING_DIRECTORY ${arg_WORKING_DIRECTORY})
endfunction()

# fairway_add_diff_test(<test> <target>
#   RELEASED <file>          the OpenAPI document of the last release, JSON or YAML: a copy of what its
#                            build wrote
#   [APPROVALS <file>...]    intended changes, as `fairway diff --write-approvals` writes them
#   [NAME <name>]            NAME of fairway_add_app
# )
#
# Adds a test of CTest that compares the OpenAPI document of this build with the released one and fails
# if a change breaks clients and is not approved (`fairway diff`).
function(fairway_add_diff_test test target)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "RELEASED;NAME" "APPROVALS")
  set(call "fairway_add_diff_test(${test} ${target})")
  _fairway_check_arguments("${call}")
  _fairway_output_dir(output_dir ${target} "${arg_NAME}" "${call}")
  if(NOT arg_RELEASED)
    message(FATAL_ERROR "${call}: RELEASED must be the document of the last release; without one, copy "
                        "${output_dir}/openapi.json, which the build writes")
  endif()
  get_filename_component(released ${arg_RELEASED} ABSOLUTE)
  set(files ${released})
  set(flags "")
  foreach(file IN LISTS arg_APPROVALS)
    get_filename_component(file ${file} ABSOLUTE)
    list(APPEND files ${file})
    list(APPEND flags --approve ${file})
  endforeach()
  foreach(file IN LISTS files)
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "${call}: there is no file ${file}")
    endif()
  endforeach()
  _fairway_compiler(compiler "${call}")
  add_test(NAME ${test} COMMAND ${compiler} diff ${released} ${output_dir}/openapi.json ${flags})
endfunction()

# Where the generated files of an application are. `call` begins the error if there is none.
function(_fairway_output_dir result target name call)
  set(output_dir "")
  if(TARGET ${target})
    get_target_property(output_dir ${target} FAIRWAY_OUTPUT_DIR_${name})
  endif()
  if(NOT output_dir)
    message(FATAL_ERROR "${call}: there is no such application; call fairway_add_app before it, and "
                        "give its NAME if it has one")
  endif()
  set(${result} ${output_dir} PARENT_SCOPE)
endfunction()

# The `fairway` command: a program or a target. `call` begins the error if there is none.
function(_fairway_compiler result call)
  if(FAIRWAY_COMPILER_EXECUTABLE)
    set(${result} ${FAIRWAY_COMPILER_EXECUTABLE} PARENT_SCOPE)
  elseif(TARGET fairway::fairway)
    set(${result} fairway::fairway PARENT_SCOPE)
  else()
    message(FATAL_ERROR "${call}: this build of Fairway has no route compiler; set "
                        "FAIRWAY_BUILD_COMPILER=ON, or FAIRWAY_COMPILER_EXECUTABLE to the path of a "
                        "`fairway` command")
  endif()
endfunction()

# The linker of debug builds; empty for the compiler's default. A linker that the project chooses by its
# flags is respected.
function(_fairway_linker result)
  set(linker "")
  if(FAIRWAY_LINKER STREQUAL AUTO)
    if(NOT "${CMAKE_EXE_LINKER_FLAGS} ${CMAKE_CXX_FLAGS}" MATCHES "-fuse-ld" AND NOT CMAKE_LINKER_TYPE)
      include(CheckLinkerFlag)
      foreach(candidate IN ITEMS mold lld)
        find_program(FAIRWAY_${candidate}_PROGRAM NAMES ld.${candidate})
        mark_as_advanced(FAIRWAY_${candidate}_PROGRAM)
        if(FAIRWAY_${candidate}_PROGRAM AND NOT linker)
          check_linker_flag(CXX -fuse-ld=${candidate} FAIRWAY_CAN_USE_${candidate})
          if(FAIRWAY_CAN_USE_${candidate})
            set(linker ${candidate})
          endif()
        endif()
      endforeach()
    endif()
  elseif(NOT FAIRWAY_LINKER STREQUAL DEFAULT)
    set(linker ${FAIRWAY_LINKER})
  endif()
  set(${result} "${linker}" PARENT_SCOPE)
endfunction()

# How the files of an application are compiled; `id` identifies `source_dir` in target properties.
function(_fairway_set_source_properties target source_dir id files)
  foreach(file IN LISTS files)
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
    set_property(SOURCE ${source_dir}/${file} TARGET_DIRECTORY ${target} APPEND PROPERTY
      COMPILE_DEFINITIONS fairway_default_export=$<TARGET_PROPERTY:FAIRWAY_EXPORTS_${id}>${mangled})
    set_property(SOURCE ${source_dir}/${file} TARGET_DIRECTORY ${target} APPEND PROPERTY
                 INCLUDE_DIRECTORIES $<TARGET_PROPERTY:FAIRWAY_TYPES_${id}>)
    # Route files may reuse the names of their anonymous namespaces: unity builds keep them apart.
    set_property(SOURCE ${source_dir}/${file} TARGET_DIRECTORY ${target} PROPERTY
                 SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()

# A route compiler of another version would emit code for another runtime.
if(FAIRWAY_COMPILER_EXECUTABLE)
  execute_process(COMMAND ${FAIRWAY_COMPILER_EXECUTABLE} --version
                  OUTPUT_VARIABLE version ERROR_VARIABLE version RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR NOT version MATCHES "^fairway ${Fairway_VERSION}[ \n]")
    string(STRIP "${status}: ${version}" version)
    message(FATAL_ERROR "FAIRWAY_COMPILER_EXECUTABLE must be a `fairway` command of version "
                        "${Fairway_VERSION}; '${FAIRWAY_COMPILER_EXECUTABLE} --version' gives ${version}")
  endif()
  unset(version)
  unset(status)
endif()
