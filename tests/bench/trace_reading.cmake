# Reading measured traces of millions of events.
add_executable(trace_reading_benchmark ${CMAKE_CURRENT_LIST_DIR}/trace_reading_benchmark.cpp)
target_link_libraries(trace_reading_benchmark PRIVATE overlap_settings overlap_trace_io benchmark::benchmark)
target_compile_definitions(trace_reading_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
