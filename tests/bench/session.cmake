# Writing the session after an edit: what the window's thread does of it, and until it is on the disk.
if(OVERLAP_BUILD_APPLICATION)
  overlap_program(session_benchmark
    SOURCES session_benchmark.cpp
    USES overlap_ui_document overlap_ui_session benchmark::benchmark)
  target_compile_definitions(session_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
endif()
