# Plans of redistributions: one at a time, and a table of all pairs of states.
overlap_program(redistribution_benchmark
  SOURCES redistribution_benchmark.cpp
  USES overlap_mesh benchmark::benchmark)
