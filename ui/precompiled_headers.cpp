// Nothing: the headers that the targets of ui share are compiled once, for this file (ui/CMakeLists.txt).
