add_executable(simulate_benchmark ${CMAKE_CURRENT_SOURCE_DIR}/simulate_benchmark.cpp)
target_link_libraries(simulate_benchmark PRIVATE overlap_settings overlap_simulate overlap_cost overlap_graph overlap_io
                                                 benchmark::benchmark)
target_compile_definitions(simulate_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data"
                                                      OVERLAP_SHARED_DATA="${CMAKE_SOURCE_DIR}/../shared")
