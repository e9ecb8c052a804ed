overlap_program(graph_benchmark
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/graph_benchmark.cpp
  USES overlap_graph overlap_io benchmark::benchmark)
target_compile_definitions(graph_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
