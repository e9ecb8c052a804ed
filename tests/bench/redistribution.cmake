# Plans of redistributions: one at a time, and a table of all pairs of states.
add_executable(redistribution_benchmark redistribution_benchmark.cpp)
target_link_libraries(redistribution_benchmark PRIVATE overlap_settings overlap_mesh benchmark::benchmark)
