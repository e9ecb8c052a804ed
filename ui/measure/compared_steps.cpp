#include "ui/measure/compared_steps.h"

#include <QFile>
#include <QObject>
#include <array>
#include <utility>

#include "core/io/profile_file.h"
#include "core/measure/job_match.h"
#include "core/timeline/timeline_stack.h"
#include "core/trace/measured_timeline.h"
#include "core/views/timeline_of.h"
#include "ui/document/links_shared_step.h"
#include "ui/measure/measured_colours.h"

namespace overlap::ui {

namespace {

/// Above the numbers of all nodes, so that what is compared is not mistaken for nodes of the current plan.
constexpr std::uint32_t first_compared_reference = 1u << 31;

/// With links shared, as the timeline and the other views have it.
std::shared_ptr<const Evaluation> evaluationOf(const ComparedSide& side, std::stop_token stop) {
    auto evaluation = side.evaluation
                          ? side.evaluation
                          : evaluate(side.graph, side.plan, stop, side.times ? side.times->source : nullptr);
    if (evaluation && evaluation->refused)
        throw InputError("", "",
                         QObject::tr("%1 is refused and has no figures, see Problems").arg(side.title).toStdString());
    return withLinksShared(evaluation);
}

std::map<std::string, std::string> groupsOf(const Evaluation& evaluation) {
    std::map<std::string, std::string> groups;
    for (std::size_t group = 0; group < evaluation.simulation.groups.size(); ++group)
        groups.emplace(evaluation.simulation.groups[group].process_group, group_title_and_name(evaluation, group));
    return groups;
}

/// Of a step's name in front of a lane's: behind a longer one a narrow window hides which lane it is.
constexpr qsizetype longest_prefix = 9;

/// The names in front of the lanes of both, short ones and different where the names are.
std::array<std::string, 2> prefixesOf(const QString& above, const QString& below) {
    const auto beginning = [](const QString& title) {
        return title.size() <= longest_prefix ? title : title.left(longest_prefix - 1).trimmed().append(u'…');
    };
    const auto ends = [](const QString& title) {
        constexpr qsizetype half = longest_prefix / 2;
        return title.size() <= longest_prefix ? title : title.left(half) + u'…' + title.right(half);
    };
    QString first = beginning(above), second = beginning(below);
    if (first == second) first = ends(above), second = ends(below);
    if (first == second) first = above, second = below;
    return {first.toStdString().append(" · "), second.toStdString().append(" · ")};
}

std::uint32_t nodeOf(const Evaluation& evaluation, const ComparedCollective& collective) {
    return evaluation.simulation.collectives[collective.index].start;
}

/// @param second without its prefix.
void showBoth(ComparedSteps& steps, std::shared_ptr<const Evaluation> before, TimelinePart second,
              ShownPart second_part, const QString& second_title) {
    const auto prefixes = prefixesOf(steps.before, steps.after);
    second.prefix = prefixes[1];
    const std::array<TimelinePart, 2> parts{
        TimelinePart{timeline_of(*before), prefixes[0], 0, first_compared_reference}, std::move(second)};
    auto shown = std::make_shared<ShownTimeline>();
    shown->timeline = stack_timelines(parts);
    shown->caption = QObject::tr("%1 above, %2 below").arg(steps.before, second_title);
    if (!shown->timeline->memory().empty()) shown->memory_of = steps.before;
    shown->parts = {{first_compared_reference, std::move(before), nullptr}, std::move(second_part)};
    steps.shown = std::move(shown);
}

void compareWithMeasurement(ComparedSteps& steps, const std::shared_ptr<const Evaluation>& before,
                            const ComparedSide& after) {
    const auto& measurement = after.measurement;
    const auto& trace = measurement->traces[after.rank];
    steps.rank = after.rank;
    steps.measured =
        compare_with_measurement(before, measured_step(trace, after.step),
                                 {.ranks = &measurement->aligned, .own = static_cast<std::uint32_t>(after.rank)});
    const JobMatch match = job_match(*steps.measured);
    try {
        require_same_job(match);
    } catch (const InputError& error) {
        throw AnotherJob("", error.problem());
    }
    steps.doubt = QString::fromStdString(match.doubt());
    steps.comparison = compare_variants(*steps.measured);
    steps.error = error_of_graph(*steps.measured);
    if (before->time_source && before->time_source->measured()) steps.times_error = error_of_plan(*steps.measured);

    TimelinePart part;
    part.timeline = TimelineBuilder::with_roles(
        *measured_timeline(*trace,
                           {.host_threads = false, .python_functions = false, .device = steps.measured->step.device}),
        measuredColours(*steps.measured));
    part.offset_ns = -steps.measured->origin_ns;
    const std::uint32_t first_event = first_compared_reference + before->graph->node_count();
    part.first_reference = first_event + measurement->first_references[after.rank];
    part.only = steps.measured->step.span;
    const QString& title = after.title;
    showBoth(steps, before, std::move(part), {first_event, nullptr, measurement},
             after.part.isEmpty() ? title : QObject::tr("%1 (%2)").arg(title, after.part));
}

/// Torch's reader refuses some traces that can be compared well.
std::optional<ProfileError> errorOfProfile(const MeasuredComparison& measured, const QStringList& files) {
    try {
        std::vector<ProfileRecords> records;
        for (const QString& file : files) records.push_back(read_profile_file(QFile::encodeName(file).toStdString()));
        return error_of_profile(measured, ProfileTables(combine_profiles(std::move(records))));
    } catch (const InputError&) {
        return {};
    }
}

}  // namespace

QString ComparedSteps::groupOf(const ComparisonRow& row) const {
    const std::string& name = row.after ? row.after->process_group : row.before->process_group;
    const auto& groups = row.after && !measured ? groups_after : groups_before;
    const auto found = groups.find(name);
    return QString::fromStdString(found == groups.end() ? name : found->second);
}

std::uint32_t ComparedSteps::referenceBefore(const ComparisonRow& row) const {
    const ShownPart& part = shown->parts.front();
    return row.before ? part.first_reference + nodeOf(*part.evaluation, *row.before) : no_reference;
}

std::uint32_t ComparedSteps::referenceAfter(const ComparisonRow& row) const {
    if (!row.after) return no_reference;
    const ShownPart& part = shown->parts.back();
    if (!measured) return part.first_reference + nodeOf(*part.evaluation, *row.after);
    const MeasuredTrace& trace = *measured->step.trace;
    const StepCollective& collective = measured->step.collectives[row.after->index];
    return part.first_reference + part.measurement->first_references[rank] +
           trace.activities()[trace.collectives()[collective.collective].activity].event;
}

std::uint32_t ComparedSteps::referenceIn(const ShownTimeline& other, const ComparisonRow& row) const {
    const ShownPart& part = shown->parts.back();
    const bool has_second =
        other.parts.size() == 1 && part.measurement && other.parts.front().measurement == part.measurement;
    if (!has_second || !row.after) return no_reference;
    return referenceAfter(row) - part.first_reference + other.parts.front().first_reference;
}

std::optional<std::size_t> ComparedSteps::rowOf(const ShownTimeline& other, std::uint32_t reference) const {
    if (reference == no_reference) return {};
    const bool both = &other == shown.get();
    const auto found = std::ranges::find_if(comparison.rows, [&](const ComparisonRow& row) {
        return both ? referenceBefore(row) == reference || referenceAfter(row) == reference
                    : referenceIn(other, row) == reference;
    });
    if (found == comparison.rows.end()) return {};
    return static_cast<std::size_t>(found - comparison.rows.begin());
}

std::optional<std::size_t> ComparedSteps::rowOfNode(std::string_view node) const {
    const auto found = std::ranges::find_if(comparison.rows, [&](const ComparisonRow& row) {
        return (row.before && row.before->name == node) || (!measured && row.after && row.after->name == node);
    });
    if (found == comparison.rows.end()) return {};
    return static_cast<std::size_t>(found - comparison.rows.begin());
}

std::shared_ptr<const ComparedSteps> compareSteps(const ComparedSide& before, const ComparedSide& after,
                                                  std::stop_token stop) {
    auto steps = std::make_shared<ComparedSteps>();
    steps->before = before.title;
    steps->after = after.title;
    const auto first = evaluationOf(before, stop);
    if (!first || stop.stop_requested()) return nullptr;
    steps->groups_before = groupsOf(*first);
    if (after.measurement) {
        compareWithMeasurement(*steps, first, after);
        if (stop.stop_requested()) return nullptr;
        if (before.times) steps->times = before.times->name();
        if (!before.times || before.times->files != after.measurement->files)
            steps->profile_error = errorOfProfile(*steps->measured, after.measurement->files);
        return steps;
    }
    const auto second = evaluationOf(after, stop);
    if (!second || stop.stop_requested()) return nullptr;
    steps->groups_after = groupsOf(*second);
    steps->comparison = compare_variants(*first, *second);
    TimelinePart part{timeline_of(*second), {}};
    part.first_reference = first_compared_reference + first->graph->node_count();
    const std::uint32_t first_reference = part.first_reference;
    showBoth(*steps, first, std::move(part), {first_reference, second, nullptr}, after.title);
    return steps;
}

}  // namespace overlap::ui
