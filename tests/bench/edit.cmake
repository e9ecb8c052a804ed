overlap_program(edit_benchmark
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/edit_benchmark.cpp
  USES overlap_base overlap_graph overlap_io overlap_pipeline overlap_plan benchmark::benchmark)
target_compile_definitions(edit_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
