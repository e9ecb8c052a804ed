# Writing the session after an edit: what the window's thread does of it, and until it is on the disk.
if(OVERLAP_BUILD_APPLICATION)
  add_executable(session_benchmark session_benchmark.cpp)
  target_compile_definitions(session_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
  target_link_libraries(session_benchmark PRIVATE overlap_settings overlap_ui_document benchmark::benchmark)
endif()
