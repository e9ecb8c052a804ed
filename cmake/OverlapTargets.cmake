# Settings that every target shares, and the functions that declare libraries, programs and tests.

add_library(overlap_settings INTERFACE)
target_compile_options(overlap_settings INTERFACE -Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor)
target_include_directories(overlap_settings INTERFACE ${CMAKE_SOURCE_DIR})
if(OVERLAP_SANITIZE)
  # An undefined operation ends the program, as a wrong address does: a test that goes on would pass.
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
  else()  # libFuzzer has options of its own
    add_library(overlap_sanitizer_options OBJECT ${CMAKE_CURRENT_LIST_DIR}/sanitizer_options.cpp)
    target_compile_definitions(overlap_sanitizer_options PRIVATE
      OVERLAP_SUPPRESSIONS_FOLDER="${CMAKE_SOURCE_DIR}/tests/support")
    if(OVERLAP_SANITIZE MATCHES "thread")
      target_sources(overlap_sanitizer_options PRIVATE ${CMAKE_CURRENT_LIST_DIR}/clone_for_thread_sanitizer.cpp)
    endif()
    target_link_libraries(overlap_settings INTERFACE $<TARGET_OBJECTS:overlap_sanitizer_options>)
  endif()
endif()

# overlap_library(NAME SOURCES file... [SEES target...])
# A library of the house. It may include and link only what it SEES; a forbidden arrow between folders is a build error
# because no folder of core adds another folder's target to itself behind the back of this list.
function(overlap_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;SEES" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC overlap_settings ${ARG_SEES})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# overlap_test(NAME SOURCES file... [SEES target...]): a GoogleTest program that CTest runs.
function(overlap_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;SEES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE overlap_settings ${ARG_SEES} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data"
                                             OVERLAP_SHARED_DATA="${CMAKE_SOURCE_DIR}/../shared")
  add_test(NAME ${name} COMMAND ${name})
endfunction()
