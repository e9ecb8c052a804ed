overlap_program(simulate_benchmark
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/simulate_benchmark.cpp
  USES overlap_cost overlap_io overlap_simulate benchmark::benchmark)
target_compile_definitions(simulate_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data"
                                                      OVERLAP_SHARED_DATA="${CMAKE_SOURCE_DIR}/../shared")
