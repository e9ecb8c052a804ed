# Reading measured traces of millions of events.
overlap_program(trace_reading_benchmark
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/trace_reading_benchmark.cpp
  USES overlap_files overlap_trace overlap_trace_io benchmark::benchmark)
target_compile_definitions(trace_reading_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
