# Drawing a million events: the rasteriser alone, and whole repaints of the widget.
overlap_program(timeline_benchmark
  SOURCES timeline_benchmark.cpp
  USES overlap_timeline benchmark::benchmark_main)

if(OVERLAP_BUILD_APPLICATION)
  overlap_program(timeline_repaint_benchmark
    SOURCES timeline_repaint_benchmark.cpp
    USES overlap_timeline overlap_ui_timeline benchmark::benchmark)
endif()
