#include "ui/measure/trace_times.h"

#include <QFile>
#include <QFileInfo>
#include <algorithm>

#include "core/base/error.h"
#include "core/io/profile_file.h"
#include "core/measure/job_match.h"
#include "ui/document/document.h"
#include "ui/document/links_shared_step.h"
#include "ui/measure/run_of_trace.h"
#include "ui/tasks/task_failure.h"
#include "ui/theme/counted_text.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

namespace {

QString nameOf(const QStringList& files) {
    const QString first = QFileInfo(files.front()).fileName();
    return files.size() == 1 ? first : TraceTimes::tr("%1 and %2 more").arg(first, QString::number(files.size() - 1));
}

/// Nothing where the trace cannot be laid over the plan: it has no GPU events, it is of another job, or the plan is
/// refused.
std::optional<ErrorsOfTimes> errorsOf(const std::shared_ptr<const Evaluation>& evaluation,
                                      const std::shared_ptr<const Measurement>& measurement) {
    if (!evaluation || evaluation->refused || !measurement) return {};
    try {
        const MeasuredComparison comparison = compare_with_measurement(
            evaluation, measured_step(measurement->traces.front()), {.ranks = &measurement->aligned, .own = 0});
        if (job_match(comparison).is_another_job()) return {};
        return ErrorsOfTimes{error_of_graph(comparison), error_of_plan(comparison)};
    } catch (const InputError&) {
        return {};
    }
}

QString sentence(const MeasuredTimes& times, const QString& plan, const std::optional<ErrorsOfTimes>& errors) {
    QString told = TraceTimes::tr("Times of trace %1: it knows %2 and %3, the others keep theirs")
                       .arg(times.name(),
                            countedText(times.baseline->sourced_collectives, TraceTimes::tr("%1 collective"),
                                        TraceTimes::tr("%1 collectives")),
                            countedText(times.baseline->sourced_operators, TraceTimes::tr("%1 other node"),
                                        TraceTimes::tr("%1 other nodes")));
    if (errors && errors->before.collectives > 0)
        told += TraceTimes::tr("; predictions of %1 off by ±%2 before, ±%3 now")
                    .arg(plan, formatTime(errors->before.mean_absolute_ms), formatTime(errors->after.mean_absolute_ms));
    return told;
}

/// What changed, for the status line.
QString sentenceOn(const JobModel& wanted, const JobModel& before, const Evaluation& baseline) {
    if (wanted.compiled && wanted.compiled != before.compiled)
        return TraceTimes::tr("Figures of a job that is %1").arg(compiledText(*wanted.compiled));
    if (wanted.compiled && wanted.attention_density != before.attention_density)
        return TraceTimes::tr("Figures with attention that computes %1 of its scores")
            .arg(formatPercent(wanted.attention_density));
    if (before.compiled && !wanted.compiled) return TraceTimes::tr("Figures with the times of nodes as traced");
    if (wanted.share_links != before.share_links)
        return wanted.share_links ? TraceTimes::tr("Figures with process groups that share the links they go over")
                                  : TraceTimes::tr("Figures with a link of its own for each process group");
    if (!wanted.contention) return TraceTimes::tr("Figures without contention");
    const bool known = baseline.contention && !baseline.contention->factors.none();
    return known ? TraceTimes::tr("Figures with contention between compute and communication")
                 : TraceTimes::tr("The cost model's factors of contention are all zero, so figures stay as they were");
}

std::optional<Compilation> compilationOf(const JobModel& model) {
    if (!model.compiled) return {};
    return Compilation{.scope = *model.compiled, .attention_density = model.attention_density};
}

}  // namespace

QStringList modelTexts(const JobModel& model) {
    QStringList texts;
    if (model.compiled) texts.append(compiledText(*model.compiled));
    if (model.contention) texts.append(TraceTimes::tr("with contention"));
    if (model.share_links) texts.append(TraceTimes::tr("links shared"));
    return texts;
}

std::shared_ptr<const MeasuredTimes> readTimes(const QStringList& files, const LoadedGraph& loaded,
                                               std::stop_token stop) {
    std::vector<ProfileRecords> ranks;
    for (const QString& file : files) {
        ranks.push_back(read_profile_file(QFile::encodeName(file).toStdString()));
        if (stop.stop_requested()) return nullptr;
    }
    const bool simulated = std::ranges::any_of(ranks, &ProfileRecords::is_simulated);
    auto times = std::make_shared<MeasuredTimes>();
    times->files = files;
    // What the traces do not know is of the job as the graph says that it compiles.
    const std::shared_ptr<const TimeSource> own = own_time_source(*loaded.graph);
    times->source = std::make_shared<const TimeSource>(TimeSource{nameOf(files).toStdString(),
                                                                  ProfileTables(combine_profiles(std::move(ranks))),
                                                                  false, own ? own->compilation : std::nullopt});
    times->baseline = evaluate_baseline(loaded.graph, stop, times->source);
    if (!times->baseline) return nullptr;
    withLinksShared(times->baseline, stop);  // views on the window's thread are not to wait for it
    const bool knows_nothing = times->baseline->sourced_collectives + times->baseline->sourced_operators == 0;
    if (knows_nothing && !runFileOf(files.front()).isEmpty())
        throw InputError(
            files.front().toStdString(), "",
            TraceTimes::tr("a run of overlap-runner has times by nodes and not by operators: Plan ▸ Times ▸ "
                           "Calibrate from measurement… fits a cost model to it")
                .toStdString());
    if (knows_nothing && simulated)
        throw InputError(
            files.front().toStdString(), "",
            TraceTimes::tr("it is a simulated step: it has no shapes to find the times of nodes by").toStdString());
    if (knows_nothing)
        throw InputError(files.front().toStdString(), "",
                         TraceTimes::tr("it has no times of this graph's collectives and operators: process groups, "
                                        "sizes or dtypes are others")
                             .toStdString());
    times->module_figures = std::make_shared<const ModuleFiguresTable>(
        module_figures(*loaded.graph, *loaded.modules, times->baseline->times_ms));
    return times;
}

JobModel declaredModel(const Graph& graph) {
    const std::shared_ptr<const TimeSource> own = own_time_source(graph);
    return own ? modelOf(*own) : JobModel();
}

JobModel modelOf(const TimeSource& source) {
    JobModel model;
    model.contention = source.contention;
    model.share_links = source.share_links;
    if (!source.compilation) return model;
    model.compiled = source.compilation->scope;
    model.attention_density = source.compilation->attention_density;
    return model;
}

QString compiledText(CompiledScope scope) {
    switch (scope) {
        case CompiledScope::eager:
            return TraceTimes::tr("eager");
        case CompiledScope::blocks:
            return TraceTimes::tr("compiled in blocks");
        case CompiledScope::whole:
            break;
    }
    return TraceTimes::tr("compiled whole");
}

TraceTimes::TraceTimes(Document& document, QObject* parent) : QObject(parent), document_(document) {
    // Times are those of a job, and another graph is another job's.
    connect(&document, &Document::graphChanged, this, [this] {
        task_.cancel();
        reading_.clear();
        evaluating_.reset();
        if (document_.isOpen()) useModel(ownModel(), false);
        emit changed();
    });
}

void TraceTimes::use(const std::shared_ptr<const Measurement>& measurement) {
    measurement ? read(measurement->files, measurement) : useGraphs();
}

void TraceTimes::restore(const QStringList& files) {
    if (!files.isEmpty()) read(files, nullptr);
}

void TraceTimes::useGraphs() {
    if (files().isEmpty()) {
        if (document_.isOpen()) useModel(ownModel());
        return;
    }
    task_.cancel();
    reading_.clear();
    document_.setTimes(nullptr);
    useModel(ownModel(), false);
    emit changed();
    emit told(tr("Times of the graph again"));
}

void TraceTimes::useModel(const JobModel& asked, bool tell) {
    JobModel wanted = asked;
    if (!wanted.compiled) wanted.attention_density = JobModel().attention_density;
    if (!document_.isOpen()) return;
    share_links_ = wanted.share_links;
    if (wanted == model()) return;
    const JobModel before = model();
    reading_.clear();
    if (wanted == declaredModel(*document_.graph())) {
        task_.cancel();
        evaluating_.reset();
        document_.setTimes(nullptr);
        emit changed();
        if (tell) emit told(sentenceOn(wanted, before, document_.baseline()));
        return;
    }
    evaluating_ = wanted;
    task_.start(
        [this, loaded = document_.loaded(), wanted, before, tell](std::stop_token stop) -> LatestTask::Delivery {
            auto times = std::make_shared<MeasuredTimes>();
            times->source = modelled_source(wanted.contention, compilationOf(wanted), wanted.share_links);
            times->baseline = evaluate_baseline(loaded.graph, stop, times->source);
            if (!times->baseline) return {};
            withLinksShared(times->baseline, stop);
            times->module_figures = std::make_shared<const ModuleFiguresTable>(
                module_figures(*loaded.graph, *loaded.modules, times->baseline->times_ms));
            return [this, loaded, times, wanted, before, tell] {
                evaluating_.reset();
                if (document_.graph() != loaded.graph)
                    return useModel(wanted, tell);  // a cost model made another of it
                document_.setTimes(times);
                emit changed();
                if (tell) emit told(sentenceOn(wanted, before, *times->baseline));
            };
        });
    emit changed();
}

JobModel TraceTimes::ownModel() const {
    JobModel model = declaredModel(*document_.graph());
    model.share_links = share_links_;
    return model;
}

JobModel TraceTimes::model() const {
    if (!document_.isOpen()) return {};
    if (evaluating_) return *evaluating_;
    if (!document_.times()) return declaredModel(*document_.graph());
    return modelOf(*document_.times()->source);
}

QStringList TraceTimes::files() const {
    if (!reading_.isEmpty()) return reading_;
    return document_.times() ? document_.times()->files : QStringList();
}

void TraceTimes::read(const QStringList& files, const std::shared_ptr<const Measurement>& measurement) {
    if (!document_.isOpen() || files == this->files()) return;
    reading_ = files;
    evaluating_.reset();
    const Variant& current = *document_.current();
    task_.start([this, files, measurement, loaded = document_.loaded(), plan = current.plan(), title = current.title(),
                 read_only = current.readOnly()](std::stop_token stop) -> LatestTask::Delivery {
        try {
            const auto times = readTimes(files, loaded, stop);
            if (!times) return {};
            const auto evaluation =
                read_only || !measurement ? times->baseline : evaluate(loaded.graph, plan, stop, times->source);
            if (stop.stop_requested()) return {};
            return [this, times, told = sentence(*times, title, errorsOf(evaluation, measurement))] {
                reading_.clear();
                document_.setTimes(times);
                emit changed();
                emit this->told(told);
            };
        } catch (const std::exception& error) {
            return [this, reason = reasonOf(error)] {
                reading_.clear();
                emit changed();
                emit failed(reason);
            };
        }
    });
    emit changed();
}

}  // namespace overlap::ui
