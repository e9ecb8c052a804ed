# How the time of each pass grows with the graph.
add_executable(growth_benchmark growth_benchmark.cpp)
target_link_libraries(growth_benchmark PRIVATE
  overlap_settings overlap_test_support overlap_io overlap_plan overlap_passes overlap_graph benchmark::benchmark)
target_compile_definitions(growth_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data"
                                                    OVERLAP_SHARED_DATA="${CMAKE_SOURCE_DIR}/../shared")

# Writes the graphs with repeated layers, for counting instructions of programs that read files.
add_executable(repeat_layers repeat_layers.cpp)
target_link_libraries(repeat_layers PRIVATE overlap_settings overlap_test_support overlap_io overlap_graph)
