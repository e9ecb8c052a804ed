overlap_program(module_repair_benchmark
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/module_repair_benchmark.cpp
  USES overlap_io overlap_modules overlap_pipeline benchmark::benchmark)
target_compile_definitions(module_repair_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
