# Settings that every target shares, and the functions that declare libraries, programs and tests.

add_library(overlap_settings INTERFACE)
target_compile_options(overlap_settings INTERFACE -Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor)
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Clang takes a local name for one that hides a constant of whichever sources are compiled with it. GCC does not, and
  # finds what is hidden within a source.
  target_compile_options(overlap_settings INTERFACE -Wno-shadow)
endif()
target_include_directories(overlap_settings INTERFACE ${CMAKE_SOURCE_DIR})
if(OVERLAP_SANITIZE)
  # An undefined operation ends the program, as a wrong address does: a test that continues would pass.
  target_compile_options(overlap_settings INTERFACE
    -fsanitize=${OVERLAP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(overlap_settings INTERFACE -fsanitize=${OVERLAP_SANITIZE})
  if(OVERLAP_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With these checks in between, GCC 12 no longer sees that std::regex sets what it uses.
    target_compile_options(overlap_settings INTERFACE -Wno-maybe-uninitialized)
  endif()
  if(OVERLAP_FUZZ)
    target_compile_options(overlap_settings INTERFACE
      -fsanitize-coverage-ignorelist=${CMAKE_SOURCE_DIR}/tests/fuzz/without_coverage.txt)
  else()  # libFuzzer has its own options
    add_library(overlap_sanitizer_options OBJECT ${CMAKE_CURRENT_LIST_DIR}/sanitizer_options.cpp)
    target_compile_definitions(overlap_sanitizer_options PRIVATE
      OVERLAP_SUPPRESSIONS_FOLDER="${CMAKE_SOURCE_DIR}/tests/support")
    if(OVERLAP_SANITIZE MATCHES "thread")
      target_sources(overlap_sanitizer_options PRIVATE ${CMAKE_CURRENT_LIST_DIR}/clone_for_thread_sanitizer.cpp)
    endif()
    target_link_libraries(overlap_settings INTERFACE $<TARGET_OBJECTS:overlap_sanitizer_options>)
  endif()
endif()

if(OVERLAP_MUTANTS)
  add_library(overlap_mutant OBJECT ${CMAKE_SOURCE_DIR}/tests/mutation/mutant.cpp)
  set_target_properties(overlap_mutant PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(overlap_settings INTERFACE $<TARGET_OBJECTS:overlap_mutant>)
endif()
# Puts sources below OVERLAP_MUTANTS in the place of those of this folder in the list.
function(_overlap_take_changed list)
  set(taken)
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(source ${${list}})
    set(changed ${OVERLAP_MUTANTS}/${folder}/${source})
    if(OVERLAP_MUTANTS AND EXISTS ${changed})
      set_source_files_properties(${changed} PROPERTIES COMPILE_OPTIONS -w)  # a change may well deserve a warning
      set(source ${changed})
    endif()
    list(APPEND taken ${source})
  endforeach()
  set(${list} ${taken} PARENT_SCOPE)
endfunction()

# overlap_headers(NAME HEADERS header... [USES target...] [OPTIONS option...] [POSITION_INDEPENDENT])
# A target without code that compiles what most files of a tree include, once. Libraries, programs and tests that are
# declared where `overlap_precompiled` is set to NAME use the result; libraries are position independent, programs not.
function(overlap_headers name)
  cmake_parse_arguments(ARG "POSITION_INDEPENDENT" "" "HEADERS;USES;OPTIONS" ${ARGN})
  add_library(${name} OBJECT ${CMAKE_SOURCE_DIR}/cmake/precompiled_headers.cpp)
  target_link_libraries(${name} PRIVATE overlap_settings ${ARG_USES})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  if(ARG_POSITION_INDEPENDENT)
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
endfunction()
function(_overlap_use_headers name)
  if(overlap_precompiled)
    target_precompile_headers(${name} REUSE_FROM ${overlap_precompiled})
  endif()
endfunction()

# What half of the files of core, app and tests include.
set(overlap_standard_headers
  <algorithm> <array> <cstddef> <cstdint> <functional> <map> <memory> <optional> <set> <span> <string> <string_view>
  <unordered_map> <utility> <vector>)

# Compiles sources by themselves that a unity build would include in one file with others of their target: each has a name
# in its unnamed namespace that another source has too (`unity_check` in tests/architecture finds those), or a type there
# that a class of a header has members of, which GCC allows in a file of its own alone.
function(_overlap_compile_alone sources)
  if(sources)
    set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# overlap_library(NAME SOURCES file... [ALONE file...] [SEES target...] [USES target...] [OWN_HEADERS])
# A library of the project. ALONE are those of its sources that no unity build merges with others. SEES are the targets
# whose headers its own headers include, USES those that only its sources include: users of this library need not see
# them. `include_check` (tests/architecture) compares both lists with the includes. OWN_HEADERS: it does not see what the
# precompiled headers of its tree include.
function(overlap_library name)
  cmake_parse_arguments(ARG "OWN_HEADERS" "" "SOURCES;ALONE;SEES;USES" ${ARGN})
  _overlap_compile_alone("${ARG_ALONE}")
  _overlap_take_changed(ARG_SOURCES)
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC overlap_settings ${ARG_SEES} PRIVATE ${ARG_USES})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(NOT ARG_OWN_HEADERS)
    _overlap_use_headers(${name})
  endif()
endfunction()

# overlap_program(NAME SOURCES file... [ALONE file...] [USES target...] [OWN_HEADERS])
function(overlap_program name)
  cmake_parse_arguments(ARG "OWN_HEADERS" "" "SOURCES;ALONE;USES" ${ARGN})
  _overlap_compile_alone("${ARG_ALONE}")
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE overlap_settings ${ARG_USES})
  if(NOT ARG_OWN_HEADERS)
    _overlap_use_headers(${name})
  endif()
endfunction()

# Code of tests is compiled without optimisation, which takes half the time; what it tests is optimised.
set(overlap_test_options $<$<CONFIG:Release>:-O0>)

# overlap_test(NAME SOURCES file... [ALONE file...] [USES target...]): a GoogleTest program that CTest runs.
function(overlap_test name)
  set(overlap_precompiled ${overlap_test_precompiled})
  overlap_program(${name} ${ARGN})
  target_compile_options(${name} PRIVATE ${overlap_test_options})
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data"
                                             OVERLAP_SHARED_DATA="${CMAKE_SOURCE_DIR}/../shared")
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# overlap_export_libraries(FILE FOLDER EXCEPT FOLDER): the static libraries below a folder as imported targets, for builds
# beside this one that link what it has made (python/).
function(overlap_export_libraries file folder)
  cmake_parse_arguments(ARG "" "EXCEPT" "" ${ARGN})
  set(libraries overlap_settings)
  _overlap_collect_libraries(libraries ${folder} "${ARG_EXCEPT}")
  export(TARGETS ${libraries} FILE ${file})
endfunction()
function(_overlap_collect_libraries out folder except)
  if(folder STREQUAL except)
    return()
  endif()
  set(collected ${${out}})
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(kind ${target} TYPE)
    if(kind STREQUAL "STATIC_LIBRARY")
      list(APPEND collected ${target})
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below ${folders})
    _overlap_collect_libraries(collected ${below} "${except}")
  endforeach()
  set(${out} "${collected}" PARENT_SCOPE)
endfunction()

# Writes all targets below a folder, one a line, as `include_check` reads them: name, kind, folder, then the lists of
# sources, of links that includers see, and of all links, with `;` between their items.
function(overlap_write_targets file folder)
  set(lines)
  _overlap_collect_targets(lines ${folder})
  list(JOIN lines "\n" text)
  file(WRITE ${file} "${text}\n")
endfunction()
function(_overlap_collect_targets out folder)
  set(collected ${${out}})
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(kind ${target} TYPE)
    if(NOT kind MATCHES "LIBRARY|EXECUTABLE" OR target MATCHES "_autogen|_autorcc")
      continue()
    endif()
    file(RELATIVE_PATH relative ${CMAKE_SOURCE_DIR} ${folder})
    set(fields ${target} ${kind} "${relative}")
    foreach(property SOURCES INTERFACE_LINK_LIBRARIES LINK_LIBRARIES)
      get_target_property(value ${target} ${property})
      if(NOT value)
        set(value "")
      endif()
      list(JOIN value "," value)
      list(APPEND fields "${value}")
    endforeach()
    list(JOIN fields "|" line)
    list(APPEND collected "${line}")
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below ${folders})
    _overlap_collect_targets(collected ${below})
  endforeach()
  set(${out} "${collected}" PARENT_SCOPE)
endfunction()
