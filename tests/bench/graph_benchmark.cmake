add_executable(graph_benchmark ${CMAKE_CURRENT_LIST_DIR}/graph_benchmark.cpp)
target_link_libraries(graph_benchmark PRIVATE overlap_settings overlap_io benchmark::benchmark)
target_compile_definitions(graph_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
