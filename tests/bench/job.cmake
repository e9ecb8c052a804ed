overlap_program(job_benchmark
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/job_benchmark.cpp
  USES overlap_job overlap_job_document benchmark::benchmark)
