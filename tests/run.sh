#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test; the last line counts them.
#
#     tests/run.sh                 tests; exit status 0 when all passed
#     tests/run.sh --with-torch    those, the ones that need PyTorch, which pip installs into build/torch-environment, those
#                                  of the wheel, which is made, and each fuzz target for 10 seconds, from the same seed
#                                  each time
#     tests/run.sh --bench         benchmarks, with a description of the machine
#     tests/run.sh --fuzz SECONDS  fuzz targets, each for that long, from what earlier runs have found; exit status 1
#                                  on a finding. Corpora and findings are kept in build/fuzz
#     tests/run.sh --sanitizer KIND  tests, built with sanitizers: `address` (with undefined behaviour), or `thread`, which
#                                  also edits at random moments for ten minutes
#     tests/run.sh --coverage      tests of core, ui and app, and what of these they reach: a table by folder, lines and
#                                  branches, the files with most branches that are not taken, and build/coverage/html
#     tests/run.sh --mutation [FOLDER] [--sample N] [--each] [--seed S] [--minutes M] [--tests NAME,NAME...] [--longest T]
#                                  small changes of the sources below FOLDER (core), each tried on the tests that come to
#                                  it: what no test misses, and a table. N changes (300), with --each so many of each
#                                  folder right below, are chosen by S (1); the same ones go on where M minutes (60) were over; of --tests only these programs are built and tried
#                                  (`goldens` are all goldens), of --longest no case of more than T seconds
#     tests/run.sh --load          files and plans as large as they get, under a limit of memory
#     tests/run.sh --faults        the window killed 100 times while it is edited; every call of the system that fails, and
#                                  a part of the allocations; files from strangers, under strace
#     tests/run.sh --releases [RELEASE...]
#                                  the bundle in minimal systems of other releases of Debian and Ubuntu, which debootstrap
#                                  makes in build/releases, as root
#
# Tests use tests/data; where ../shared is there, all of its graphs, goldens and traces too.

script_name=tests/run.sh
# shellcheck source=app/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../app/setup.sh"
export QT_QPA_PLATFORM=offscreen

bench=false
with_torch=false
fuzz_only=false
fuzz_seconds=
fuzz_packages=(clang libclang-rt-14-dev llvm)  # the last one tells findings by function and line
load=false
faults=false
releases=false
coverage=false
mutation=false
mutation_folder=core
sample_options=(--sample 300 --seed 1)
mutation_tests=()
mutation_longest=()
mutation_minutes=60
stress_seconds=
packages+=(strace)  # by which a test sees what the window does with files from strangers
case ${1:-} in
    "") ;;
    --with-torch)
        with_torch=true
        fuzz_seconds=10
        # The headers that the wheel's module includes, and what a test of the mutation finds changes with.
        packages+=("${fuzz_packages[@]}" python3-dev python3-clang-14)
        ;;
    --bench) bench=true ;;
    --load) load=true ;;
    --faults) faults=true ;;
    --releases)
        releases=true
        packages+=(debootstrap)
        shift
        ;;
    --mutation)
        mutation=true
        use_preset mutation
        packages+=(clang python3-clang-14)
        shift
        if [ $# -gt 0 ] && [[ $1 != --* ]]; then
            mutation_folder=${1%/}
            if ! [ -e "$root/$mutation_folder" ]; then
                say "$script_name: $mutation_folder is not in the project"
                exit 2
            fi
            shift
        fi
        while [ $# -gt 0 ]; do
            if [ "$1" = --each ]; then
                sample_options+=("$1")
                shift
                continue
            fi
            if ! [[ ($1 =~ ^--(sample|seed|minutes)$ && ${2:-} =~ ^[0-9]+$) || ($1 == --tests && -n ${2:-}) ||
                ($1 == --longest && ${2:-} =~ ^[0-9]+([.][0-9]+)?$) ]]; then
                say "$script_name: --mutation wants a folder, --sample, --seed, --minutes or --longest with a number, or" \
                    "--tests with names; see $script_name --help"
                exit 2
            fi
            case $1 in
                --minutes) mutation_minutes=$2 ;;
                --tests) mutation_tests=(--tests "$2") ;;
                --longest) mutation_longest=(--longest "$2") ;;
                *) sample_options+=("$1" "$2") ;;
            esac
            shift 2
        done
        ;;
    --coverage)
        coverage=true
        use_preset coverage
        packages+=("${fuzz_packages[@]}")
        export QTEST_FUNCTION_TIMEOUT=1800000 # ms; programs that count are slow
        # Programs of the same build add to one file, under a lock. Some run as early as in the build.
        export LLVM_PROFILE_FILE=$build/profiles/%m.profraw
        ;;
    --fuzz)
        fuzz_seconds=${2:-}
        if ! [[ $fuzz_seconds =~ ^[1-9][0-9]*$ ]]; then
            say "$script_name: --fuzz wants a number of seconds; see $script_name --help"
            exit 2
        fi
        fuzz_only=true
        packages+=("${fuzz_packages[@]}")
        ;;
    --sanitizer)
        case ${2:-} in
            address) use_preset dev-asan ;;
            thread)
                use_preset dev-tsan
                stress_seconds=600
                ;;
            *)
                say "$script_name: --sanitizer wants address or thread; see $script_name --help"
                exit 2
                ;;
        esac
        export QTEST_FUNCTION_TIMEOUT=1800000 # ms; sanitized programs are slow
        ;;
    -h | --help)
        sed -n '2,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
        exit 0
        ;;
    *)
        say "$script_name: unknown option $1; see $script_name --help"
        exit 2
        ;;
esac

describe_machine() {
    echo "machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores," \
        "$(awk '/^MemTotal/ {printf "%.0f GiB", $2 / 1048576}' /proc/meminfo) memory"
    # shellcheck source=/dev/null
    echo "system: $(. /etc/os-release && echo "$PRETTY_NAME"), Linux $(uname -r), $(c++ --version | head -n 1)"
    echo "load before: $(cut -d ' ' -f 1-3 /proc/loadavg)"
}

# Sets `manifests` to those of the goldens.
list_manifests() {
    manifests=("$root"/tests/data/*/manifest.json)
    local manifest
    for manifest in "$root"/../shared/goldens/{manifest,step_passes}.json; do
        if [ -f "$manifest" ]; then manifests+=("$manifest"); fi
    done
}

run_benchmarks() {
    begin_step "run the benchmarks"
    describe_machine
    local benchmark found=false
    for benchmark in "$programs"/*_benchmark; do
        [ -x "$benchmark" ] || continue
        found=true
        printf '\n%s\n' "$(basename "$benchmark")"
        "$benchmark" --benchmark_counters_tabular=true
    done
    $found || fail "no benchmark was built"
    begin_step "compare the passes' times with PyTorch's"
    list_manifests
    python3 "$root/tests/bench/reference_ratios.py" "$programs" "${manifests[@]}"
    begin_step "count the passes' instructions"
    if command -v valgrind >/dev/null; then
        python3 "$root/tests/bench/instruction_counts.py" "$programs"
    else
        say "valgrind is not installed: no instruction counts"
    fi
    begin_step "measure the application's memory"
    python3 "$root/tests/bench/application_memory.py" "$programs/overlap-studio" \
        "$root/resources/samples/llama3_8b_fsdp128.prebucket.graph.json.gz"
}

torch_environment=$root/build/torch-environment

# An environment with torch of its own; made once, and again when what it holds has changed.
prepare_torch() {
    begin_step "install torch into $torch_environment"
    local wanted=$root/tests/torch/requirements.txt
    local alone=$root/tests/torch/requirements-without-dependencies.txt
    local installed=$torch_environment/installed.txt python=$torch_environment/bin/python
    if ! cat "$wanted" "$alone" | cmp -s - "$installed" || ! "$python" -c "" 2> /dev/null; then
        rm -rf "$torch_environment"
        python3 -m venv "$torch_environment"
        "$python" -m pip install --quiet --requirement "$wanted" >&2
        "$python" -m pip install --quiet --no-deps --requirement "$alone" >&2
        cat "$wanted" "$alone" > "$installed"
    fi
    # The package as a job installs it.
    "$python" -m pip install --quiet --no-deps --no-build-isolation --force-reinstall "$root/resources/torch" >&2
}

wheel_environment=$root/build/wheel-environment

# The wheel, installed into an environment that has nothing else but what it asks for and what judges its types.
prepare_wheel() {
    begin_step "make the wheel"
    local wheelhouse=$root/build/wheelhouse wanted=$root/tests/wheel/requirements.txt
    rm -rf "$build/wheel" "$wheel_environment"
    "$root/packaging/wheel.sh" "$build" "$build/wheel" >&2
    begin_step "install the wheel into $wheel_environment"
    python3 -m venv "$wheel_environment"
    local pip=("$wheel_environment/bin/python" -m pip --quiet --disable-pip-version-check)
    if ! cmp -s "$wanted" "$wheelhouse/requirements.txt"; then
        rm -rf "$wheelhouse"
        "${pip[@]}" download --dest "$wheelhouse" --requirement "$wanted" >&2
        cp "$wanted" "$wheelhouse"
    fi
    "${pip[@]}" install --no-index --find-links "$wheelhouse" --requirement "$wanted" "$build"/wheel/*.whl >&2
}

run_tests() {
    begin_step "run the tests"
    local log=$build/tests.log status=0 programs_passed goldens_log=$build/goldens.log
    ctest --test-dir "$build" --output-on-failure --label-exclude goldens -j "$(nproc)" 2>&1 | tee "$log" || status=1
    local total failed
    failed=$(sed -n 's/.*tests passed, \([0-9]*\) tests\{0,1\} failed out of [0-9]*.*/\1/p' "$log")
    total=$(sed -n 's/.*tests passed, [0-9]* tests\{0,1\} failed out of \([0-9]*\).*/\1/p' "$log")
    if [ -z "$total" ] || [ "$total" -eq 0 ]; then fail "ctest ran no test"; fi
    programs_passed=$((total - failed))

    begin_step "compare with the goldens"
    list_manifests
    python3 "$root/tests/conformance/run_goldens.py" "$programs" "${manifests[@]}" 2>&1 | tee "$goldens_log" || status=1
    local agree compared
    agree=$(sed -n 's/^\([0-9]*\) of [0-9]* goldens agree$/\1/p' "$goldens_log")
    compared=$(sed -n 's/^[0-9]* of \([0-9]*\) goldens agree$/\1/p' "$goldens_log")
    [ -n "$compared" ] || fail "the goldens could not be compared"

    local wheel_log=$build/wheel_tests.log wheel_passed=0 wheel_run=0 wheel_part=""
    local torch_log=$build/torch_tests.log torch_passed=0 torch_run=0 torch_part=""
    if $with_torch; then
        begin_step "try the wheel"
        "$wheel_environment/bin/python" "$root/tests/torch/run_all.py" --folder "$root/tests/wheel" "$programs" 2>&1 |
            tee "$wheel_log" || status=1
        wheel_passed=$(sed -n 's/^\([0-9]*\) of [0-9]* wheel tests passed$/\1/p' "$wheel_log")
        wheel_run=$(sed -n 's/^[0-9]* of \([0-9]*\) wheel tests passed$/\1/p' "$wheel_log")
        [ -n "$wheel_run" ] || fail "the tests of the wheel could not be run"
        wheel_part=", $wheel_run tests of the wheel"
        begin_step "compare with PyTorch as it runs in a job"
        "$torch_environment/bin/python" "$root/tests/torch/run_all.py" "$programs" 2>&1 | tee "$torch_log" || status=1
        torch_passed=$(sed -n 's/^\([0-9]*\) of [0-9]* torch tests passed$/\1/p' "$torch_log")
        torch_run=$(sed -n 's/^[0-9]* of \([0-9]*\) torch tests passed$/\1/p' "$torch_log")
        [ -n "$torch_run" ] || fail "the tests with torch could not be run"
        torch_part=", $torch_run tests with torch"
    fi

    local fuzz_log=$build/fuzz.log fuzz_passed=0 fuzz_run=0 fuzz_part=""
    if [ -n "$fuzz_seconds" ]; then
        begin_step "run the fuzz targets, each for $fuzz_seconds seconds"
        # Nothing that an earlier run has found: it is to judge the change.
        rm -rf "$build/fuzz"
        run_fuzz_targets "$build/fuzz" "$fuzz_seconds" --seed 1 2>&1 | tee "$fuzz_log" || status=1
        fuzz_passed=$(sed -n 's/^\([0-9]*\) of [0-9]* fuzz targets found nothing$/\1/p' "$fuzz_log")
        fuzz_run=$(sed -n 's/^[0-9]* of \([0-9]*\) fuzz targets found nothing$/\1/p' "$fuzz_log")
        [ -n "$fuzz_run" ] || fail "the fuzz targets could not be run"
        fuzz_part=", $fuzz_run fuzz targets"
    fi

    echo
    if [ $status -ne 0 ]; then say "$script_name: step \"tests\" failed: see above"; fi
    echo "$((programs_passed + agree + wheel_passed + torch_passed + fuzz_passed)) passed," \
        "$((failed + compared - agree + wheel_run - wheel_passed + torch_run - torch_passed + fuzz_run - fuzz_passed)) failed" \
        "($total test programs, $compared goldens$wheel_part$torch_part$fuzz_part)"
    return $status
}

# In a folder of their own, since they are made by another compiler.
build_fuzz_targets() (
    use_preset fuzz
    build_targets fuzz_targets
)

run_edits_at_random_moments() {
    begin_step "edit at random moments while the background works, for $stress_seconds seconds"
    OVERLAP_STRESS_SECONDS=$stress_seconds "$programs/background_stress_test"
}

# What follows the programs for run_targets.py.
run_fuzz_targets() {
    describe_machine
    python3 "$root/tests/fuzz/run_targets.py" "$root/build/fuzz/bin" "$@"
}

run_load() {
    begin_step "load the programs"
    describe_machine
    python3 "$root/tests/load/run.py" "$programs" "$build/load"
}

run_faults() {
    begin_step "kill the window while it is edited, let calls of the system fail, and open files from strangers"
    local status=0 faulty=$build/tests/faults/liboverlap_system_faults.so
    local graph=$root/tests/data/graphs/llama3_debugmodel_fsdp8.prebucket.graph.json.gz
    "$root/tests/faults/kill_test.py" "$programs/editing_window" "$graph" 100 || status=1
    local device=() python=() libraries=$build/tests/virtual_device/libraries
    if [ -d "$libraries" ]; then device=(--virtual-device "$libraries"); fi
    if [ -x "$wheel_environment/bin/python" ]; then python=(--python "$wheel_environment/bin/python"); fi
    "$root/tests/faults/system_faults_test.py" "${device[@]}" "${python[@]}" --all "$programs" "$faulty" "$root" || status=1
    "$root/tests/faults/window_faults_test.py" "$programs/editing_window" "$faulty" "$graph" --all || status=1
    "$root/tests/faults/hostile_files_test.py" "$programs/overlap-studio" || status=1
    return $status
}

run_releases() {
    begin_step "run the bundle in other releases"
    describe_machine
    "$root/tests/packaging/other_releases.py" "$build" "$root/resources/samples" "$root" "$root/build/releases" "$@"
}

# What tests the tree, packages and what runs tests reaches nothing that others do not.
not_covering="^(include_check|readme_check|link_check|failure_check|package_test|bundle_test|gpu_bundle_test|kill_test|hostile_files_test)$"

run_coverage() {
    local status=0
    rm -rf "$build/profiles"
    mkdir "$build/profiles"
    begin_step "run the tests"
    ctest --test-dir "$build" --output-on-failure --label-exclude goldens --exclude-regex "$not_covering" -j "$(nproc)" ||
        status=1
    begin_step "compare with the goldens"
    list_manifests
    python3 "$root/tests/conformance/run_goldens.py" "$programs" "${manifests[@]}" || status=1
    begin_step "sum up what was reached"
    python3 "$root/tests/coverage/report.py" "$build" "$root" || status=1
    if [ $status -ne 0 ]; then say "$script_name: a test failed, or the report: see above"; fi
    return $status
}

# Debian's own Python, for which its package of clang is.
mutants() {
    local step=$1
    shift
    LIBCLANG_BGPRIO_DISABLE=1 /usr/bin/python3 -B "$root/tests/mutation/run.py" "$step" "$root" "$build" "$mutation_folder" "$@"
}

run_mutation() {
    build_targets generated_sources # and what compiles each source is known
    begin_step "change the sources"
    mutants sample "${sample_options[@]}"
    local programs_to_build
    mapfile -t programs_to_build < <(mutants targets "${mutation_tests[@]}")
    [ -n "${programs_to_build[*]}" ] || fail "nothing is to be built for $mutation_folder"
    build_targets "${programs_to_build[@]}"
    begin_step "try the changes"
    list_manifests
    trap - ERR
    mutants try "${manifests[@]}" --minutes "$mutation_minutes" "${mutation_tests[@]}" "${mutation_longest[@]}"
}

install_missing
if $mutation; then
    run_mutation
    exit
fi
if [ -n "$fuzz_seconds" ]; then
    begin_step "build the fuzz targets"
    build_fuzz_targets
fi
if $fuzz_only; then
    begin_step "run the fuzz targets, each for $fuzz_seconds seconds"
    trap - ERR
    run_fuzz_targets "$root/build/fuzz" "$fuzz_seconds"
    exit
fi
build_targets all
if $with_torch; then
    prepare_wheel
    prepare_torch
fi
if $bench; then
    run_benchmarks
elif $coverage; then
    trap - ERR
    run_coverage
elif $load; then
    trap - ERR
    run_load
elif $faults; then
    trap - ERR
    run_faults
elif $releases; then
    trap - ERR
    run_releases "$@"
else
    trap - ERR
    status=0
    if [ -n "$stress_seconds" ]; then run_edits_at_random_moments || status=1; fi
    run_tests || status=1
    exit $status
fi
