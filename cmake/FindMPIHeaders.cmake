# Finds mpi.h of the two kinds of MPI that programs are compiled for apart: Open MPI, and MPICH with those that keep to its
# binary interface (Intel MPI, MVAPICH, Cray MPICH). Libraries are not looked for: the runner loads them.
#
# Asked are the compilers that are on PATH: `mpicc`, and Debian's names for where both are installed. Others can be told
# by the cache variables MPIHeaders_open_mpi and MPIHeaders_mpich: the folders with mpi.h, or NOTFOUND.
include_guard()
set(_mpi_folders)
foreach(_mpi_name mpicc mpicc.openmpi mpicc.mpich)
  find_program(MPIHeaders_${_mpi_name} ${_mpi_name})
  mark_as_advanced(MPIHeaders_${_mpi_name})
  if(MPIHeaders_${_mpi_name})
    # Both kinds print how they would call the compiler.
    execute_process(COMMAND ${MPIHeaders_${_mpi_name}} -show
      OUTPUT_VARIABLE _mpi_shown ERROR_QUIET RESULT_VARIABLE _mpi_failed)
    if(NOT _mpi_failed)
      string(REGEX MATCHALL "-I *[^ \n]+" _mpi_options "${_mpi_shown}")
      list(TRANSFORM _mpi_options REPLACE "^-I *" "")
      list(APPEND _mpi_folders ${_mpi_options})
    endif()
  endif()
endforeach()

# Handles are what tells them apart: pointers to Open MPI's structures, numbers of MPICH.
foreach(_mpi_folder ${_mpi_folders})
  if(NOT EXISTS ${_mpi_folder}/mpi.h)
    continue()
  endif()
  file(STRINGS ${_mpi_folder}/mpi.h _mpi_handle REGEX "^ *typedef .*[ *]MPI_Comm;")
  if(_mpi_handle MATCHES "typedef struct ompi_communicator_t")
    set(MPIHeaders_open_mpi ${_mpi_folder} CACHE PATH "Folder with mpi.h of Open MPI 4 or 5")
  elseif(_mpi_handle MATCHES "typedef int MPI_Comm")
    set(MPIHeaders_mpich ${_mpi_folder} CACHE PATH "Folder with mpi.h of MPICH or a relative")
  endif()
endforeach()
