overlap_program(search_benchmark
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/search_benchmark.cpp
  USES overlap_base overlap_bound overlap_cost overlap_io overlap_search benchmark::benchmark)
target_compile_definitions(search_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data"
                                                    OVERLAP_SHARED_DATA="${CMAKE_SOURCE_DIR}/../shared")
