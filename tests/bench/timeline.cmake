# Drawing a million events: the rasteriser alone, and whole repaints of the widget.
add_executable(timeline_benchmark timeline_benchmark.cpp)
target_link_libraries(timeline_benchmark PRIVATE overlap_settings overlap_trace benchmark::benchmark_main)

if(OVERLAP_BUILD_APPLICATION)
  add_executable(timeline_repaint_benchmark timeline_repaint_benchmark.cpp)
  target_link_libraries(timeline_repaint_benchmark PRIVATE overlap_settings overlap_ui_timeline benchmark::benchmark)
endif()
