#!/usr/bin/env bash
# Installs what is missing, builds, and opens Overlap Studio on FILE..., or on the sample graph that it carries.
#
#     app/run.sh [FILE...]
#     app/run.sh --build-only     the last line is the folder with overlap and overlap-studio
#
# Where there is no display, the same job runs on the command line and the window is written as a picture.

script_name=app/run.sh
# shellcheck source=app/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/setup.sh"

sample_graph=$root/resources/samples/llama3_8b_fsdp128.prebucket.graph.json.gz
sample_plan=$root/resources/samples/llama3_8b_fsdp128.plan.json
results=$root/build/results

build_only=false
files=()
for argument in "$@"; do
    case $argument in
        --build-only) build_only=true ;;
        -h | --help)
            sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
            exit 0
            ;;
        -*)
            say "$script_name: unknown option $argument; see $script_name --help"
            exit 2
            ;;
        *) files+=("$argument") ;;
    esac
done

# Runs one of the programs and shows the command.
show() {
    printf '\n$ %s\n' "${*/#$programs\//}"
    "$@"
}

without_a_display() {
    begin_step "run on the command line"
    echo "There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)."
    echo "The same job on the command line, and the window as a picture:"
    mkdir -p "$results"
    local opened=("${files[@]}") file
    if [ ${#opened[@]} -eq 0 ]; then
        opened=("$sample_graph" "$sample_plan")
        show "$programs/overlap" info "$sample_graph"
        show "$programs/overlap" simulate "$sample_graph"
        show "$programs/overlap" apply "$sample_graph" --pipeline "$sample_plan" \
            -o "$results/bucketed.graph.json.gz" --report "$results/report.json"
        show "$programs/overlap" simulate "$results/bucketed.graph.json.gz" --trace "$results/timeline.json"
    else
        for file in "${opened[@]}"; do
            case $file in
                *.plan.json) ;;
                *)
                    show "$programs/overlap" info "$file"
                    show "$programs/overlap" simulate "$file"
                    ;;
            esac
        done
    fi
    begin_step "draw the window"
    QT_QPA_PLATFORM=offscreen show "$programs/overlap-studio" "${opened[@]}" \
        --screenshot "$results/window.png" --size 1600x1000
    echo
    echo "The window as a picture: $results/window.png"
}

install_missing
build_targets overlap overlap-studio overlap-runner

if $build_only; then
    echo "$programs"
elif [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    without_a_display
else
    begin_step "open the application"
    "$programs/overlap-studio" "${files[@]}"
fi
