overlap_program(overlap_preview_benchmark
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/overlap_preview_benchmark.cpp
  USES overlap_io overlap_pipeline overlap_plan benchmark::benchmark)
target_compile_definitions(overlap_preview_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
