#include "ui/actions/cost_actions.h"

#include <QAction>
#include <QActionGroup>
#include <QFile>
#include <QFileInfo>
#include <utility>

#include "core/base/error.h"
#include "core/calibrate/prediction.h"
#include "core/cost/shared_links.h"
#include "core/cost/with_cost_model.h"
#include "core/io/profile_file.h"
#include "core/io/run_file.h"
#include "core/predict/flex_attention.h"
#include "ui/cost/attention_density_dialog.h"
#include "ui/cost/calibration_dialog.h"
#include "ui/cost/cost_model_dialog.h"
#include "ui/cost/graph_cost_model.h"
#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/frame/actions.h"
#include "ui/measure/measurements.h"
#include "ui/measure/run_of_trace.h"
#include "ui/measure/trace_times.h"
#include "ui/tasks/task_failure.h"
#include "ui/widgets/availability.h"

namespace overlap::ui {

namespace {

/// For a run of overlap-runner its result, which knows every node; for anything else what the trace has.
CalibrationRun runOf(const std::shared_ptr<const Evaluation>& evaluation, const Measurement& measurement,
                     const std::string& name) {
    const QString& trace = measurement.files.front();
    if (const QString result = runFileOf(trace); !result.isEmpty()) {
        const RunnerTimes times = read_run_file(QFile::encodeName(result).toStdString());
        if (times.graph_digest != fingerprint(*evaluation->graph).digest) {
            throw InputError(result.toStdString(), "graph.digest",
                             CostActions::tr("another plan was run than the one that is shown; choose that one first")
                                 .toStdString());
        }
        return run_of_runner(name, evaluation->graph, times);
    }
    return run_of_ranks(name, evaluation, measurement.traces, measurement.aligned,
                        ProfileTables(read_profile_file(QFile::encodeName(trace).toStdString())));
}

}  // namespace

Calibration calibrationOf(const std::shared_ptr<const Evaluation>& evaluation, const Measurement& measurement) {
    const std::optional<CostParameters>& cost = evaluation->graph->header().cost;
    if (!cost) {
        throw InputError(
            "",
            CostActions::tr("the graph has no cost model to begin with; choose one of its device first").toStdString());
    }
    const std::string name = QFileInfo(measurement.files.front()).completeBaseName().toStdString();
    const std::vector<CalibrationRun> runs = {runOf(evaluation, measurement, name)};
    return calibrate(runs, {named_model_of(*cost, evaluation->graph->header().name), true}, name);
}

CostActions::CostActions(Actions& actions, Document& document, Measurements& measurements, TraceTimes& times,
                         QWidget& window)
    : QObject(&window),
      document_(document),
      measurements_(measurements),
      times_(times),
      window_(window),
      model_(new GraphCostModel(document, this)) {
    const QString plan = tr("Plan");
    choose_ =
        actions.add(QStringLiteral("plan.costModel"), plan, tr("Cost &model…"),
                    tr("Choose by which device and links times of the graph are estimated"), {}, [this] { choose(); });
    contention_ =
        actions.add(QStringLiteral("plan.contention"), plan, tr("With &contention"),
                    tr("Figures with compute and communication slowing one another down, by the factors of the "
                       "cost model"),
                    {}, [this] { change([](JobModel& model) { model.contention = !model.contention; }); });
    contention_->setCheckable(true);
    share_links_ =
        actions.add(QStringLiteral("plan.shareLinks"), plan, tr("S&hare links"),
                    tr("Figures with process groups that share the link they go over, a GPU's network card between "
                       "hosts and its link within one, as those of a job do; of every graph that is opened"),
                    {}, [this] { shareLinks(!times_.sharesLinks()); });
    share_links_->setCheckable(true);
    as_traced_ = actions.add(QStringLiteral("plan.asTraced"), plan, tr("As &traced"),
                             tr("Figures of the graph as it was traced: every operator takes the time that the graph "
                                "or its cost model has for it, nothing is fused, and attention is PyTorch's estimate"),
                             {}, [this] { useTracedFigures(); });
    eager_ = actions.add(QStringLiteral("plan.eager"), plan, tr("&Eager"),
                         tr("Figures of a job that compiles nothing: every operator has a kernel of its own, priced by "
                            "the cost model, and attention computes the scores that its mask leaves"),
                         {}, [this] { compile(CompiledScope::eager); });
    compiled_blocks_ =
        actions.add(QStringLiteral("plan.compiledBlocks"), plan, tr("Compiled &blocks"),
                    tr("Figures of a job that compiles each transformer block, as torchtitan does: kernels are fused "
                       "there, and priced by the cost model"),
                    {}, [this] { compile(CompiledScope::blocks); });
    compiled_whole_ = actions.add(QStringLiteral("plan.compiledWhole"), plan, tr("Compiled &whole"),
                                  tr("Figures of a job that compiles the whole graph: kernels are fused, and priced by "
                                     "the cost model"),
                                  {}, [this] { compile(CompiledScope::whole); });
    auto* one_of = new QActionGroup(this);
    for (QAction* action : {as_traced_, eager_, compiled_blocks_, compiled_whole_}) {
        action->setCheckable(true);
        one_of->addAction(action);
    }
    density_ =
        actions.add(QStringLiteral("plan.attentionDensity"), plan, tr("Attention &density…"),
                    tr("Say which scores of flex attention the job's mask leaves"), {}, [this] { askForDensity(); });
    calibrate_ = actions.add(QStringLiteral("plan.calibrate"), plan, tr("Cali&brate from measurement…"),
                             tr("Fit a cost model to the measurement that is shown, else to the one opened last"), {},
                             [this] { calibrateFromMeasurement(); });
    connect(model_, &GraphCostModel::changed, this, &CostActions::update);
    connect(model_, &GraphCostModel::told, this, [this](const QString& sentence) {
        const QStringList kept = modelTexts(times_.model());
        emit told(kept.isEmpty() ? sentence : tr("%1; as before: %2").arg(sentence, kept.join(QStringLiteral(", "))));
    });
    connect(model_, &GraphCostModel::failed, this, &CostActions::failed);
    connect(model_, &GraphCostModel::applied, this, [this](const std::shared_ptr<const MeasuredTimes>& before) {
        // What was made from the previous graph is made again, and so is what is being read for it.
        const QStringList files = before && !before->files.isEmpty() ? before->files : times_.files();
        std::optional<JobModel> model = std::exchange(model_wanted_, {});
        if (!model) model = before ? modelOf(*before->source) : declaredModel(*document_.graph());
        model->share_links = times_.sharesLinks();
        if (!files.isEmpty()) {
            times_.useGraphs();
            times_.restore(files);
        } else {
            model->contention = model->contention && knowsContention();
            times_.useModel(*model, false);  // what stays is told with the name of the cost model
        }
    });
    connect(&times, &TraceTimes::changed, this, &CostActions::update);
    connect(&measurements, &Measurements::changed, this, &CostActions::update);
    whenReadingChanges(document_, this, [this] { update(); });
    connect(model_, &GraphCostModel::failed, this, [this] { model_wanted_.reset(); });
    connect(&document, &Document::graphChanged, this, [this] {
        question_.cancel();
        model_wanted_.reset();
    });
    connect(&document, &Document::graphChanged, this, &CostActions::update);
    connect(&document, &Document::timesChanged, this, &CostActions::update);
    update();
}

bool CostActions::busy() const {
    return model_->busy() || task_.busy() || question_.busy();
}

void CostActions::restore(const QString& cost_model, const JobModel& model) {
    if (cost_model.isEmpty()) {
        times_.useModel(model);
        return;
    }
    model_->use(cost_model);
    if (model_->busy()) model_wanted_ = model;
}

void CostActions::choose() {
    if (!document_.isOpen()) return;
    const LoadedGraph& loaded = document_.loaded();
    if (!loaded.as_read) return ask(loaded.baseline->times_known);
    // Whether the graph had times before it got a cost model is known once it has been evaluated as it was read.
    question_.start([this, as_read = loaded.as_read](std::stop_token stop) -> LatestTask::Delivery {
        const auto baseline = evaluate_baseline(as_read, stop);
        if (!baseline) return {};
        return [this, known = baseline->times_known] { ask(known); };
    });
}

void CostActions::ask(bool times_known) {
    auto* dialog = new CostModelDialog(model_->used(), times_known, &window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, model_, [this, dialog] { model_->use(dialog->chosen()); });
    dialog->open();
}

void CostActions::askForDensity() {
    const std::optional<std::int64_t> length =
        document_.isOpen() ? flex_attention_length(*document_.graph()) : std::nullopt;
    if (!length) return;
    auto* dialog = new AttentionDensityDialog(times_.model().attention_density, *length, &window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        change([density = dialog->density()](JobModel& model) { model.attention_density = density; });
    });
    dialog->open();
}

void CostActions::calibrateFromMeasurement() {
    const auto measurement = measurements_.current() ? measurements_.current() : measurements_.last();
    const auto evaluation = document_.evaluation();
    if (!measurement || !evaluation) return;
    const std::vector<NamedPlan> plans = openPlans();
    task_.start([this, evaluation, measurement, plans](std::stop_token stop) -> LatestTask::Delivery {
        try {
            auto calibration = std::make_shared<Calibration>(calibrationOf(evaluation, *measurement));
            const std::optional<Compilation> compilation =
                evaluation->time_source ? evaluation->time_source->compilation : std::nullopt;
            std::vector<PlanPrediction> predictions;
            for (const NamedPlan& plan : plans) {
                if (stop.stop_requested()) return {};
                predictions.push_back(predict_plan(*calibration, evaluation->original,
                                                   plan.plan ? &*plan.plan : nullptr, plan.name, compilation));
            }
            return [this, calibration, predictions] { show(std::move(*calibration), predictions); };
        } catch (const std::exception& error) {
            return [this, reason = reasonOf(error)] { emit failed(reason); };
        }
    });
}

std::vector<CostActions::NamedPlan> CostActions::openPlans() const {
    std::vector<NamedPlan> plans;
    for (int index = 0; index < document_.variantCount(); ++index) {
        const Variant& variant = document_.variant(index);
        plans.push_back(
            {variant.title().toStdString(), variant.readOnly() ? std::nullopt : std::optional(variant.plan())});
    }
    return plans;
}

void CostActions::show(Calibration calibration, std::vector<PlanPrediction> predictions) {
    auto* dialog = new CalibrationDialog(std::move(calibration), std::move(predictions), &window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &CalibrationDialog::useWanted, model_, &GraphCostModel::use);
    dialog->open();
}

void CostActions::change(const std::function<void(JobModel&)>& edit) {
    JobModel model = times_.model();
    model.share_links = times_.sharesLinks();  // of measured times the model says nothing of it
    edit(model);
    times_.useModel(model);
    update();  // a checkable action has changed its mark already
}

void CostActions::shareLinks(bool share) {
    change([share](JobModel& model) { model.share_links = share; });
}

QString CostActions::whyNotShare() const {
    if (!document_.isOpen()) return noGraphOpen(document_);
    if (says_shared_links(*document_.graph())) return tr("The cost model says which process groups share a link");
    if (!times_.files().isEmpty()) return tr("Times are those of a trace, in which links were shared already");
    return {};
}

void CostActions::compile(std::optional<CompiledScope> scope) {
    change([this, scope](JobModel& model) {
        if (!model.compiled) model.attention_density = declaredModel(*document_.graph()).attention_density;
        model.compiled = scope;
    });
}

void CostActions::useTracedFigures() {
    if (!times_.files().isEmpty()) times_.useGraphs();
    compile({});
}

bool CostActions::knowsContention() const {
    if (!document_.isOpen()) return false;
    const std::optional<CostParameters>& cost = document_.graph()->header().cost;
    return cost && cost->contention;
}

void CostActions::update() {
    const bool open = document_.isOpen();
    const bool knows_contention = knowsContention();
    const QString closed = open ? QString() : noGraphOpen(document_);
    setAvailable(*choose_, closed);
    setAvailable(*contention_, !open || knows_contention
                                   ? closed
                                   : tr("The cost model has no factors of contention; a calibration gives them"));
    const JobModel model = times_.model();
    contention_->setChecked(model.contention);
    setAvailable(*share_links_, whyNotShare());
    share_links_->setChecked(times_.sharesLinks() || (open && says_shared_links(*document_.graph())));
    const bool priced = open && document_.graph()->header().cost;
    for (QAction* action : {eager_, compiled_blocks_, compiled_whole_})
        setAvailable(*action, !open || priced
                                  ? closed
                                  : tr("Times of a job's kernels follow from a cost model, and the graph has none"));
    // As traced, attention is PyTorch's estimate; of other attention the graph tells the mask.
    const bool has_flex = open && flex_attention_length(*document_.graph());
    setAvailable(*density_, !open || (has_flex && model.compiled) ? closed
                            : has_flex ? tr("It is of figures that are eager or compiled, which are not chosen")
                                       : tr("The graph has no flex attention; of other attention it tells the mask"));
    setAvailable(*as_traced_, closed);
    // Of a measurement's times it is none of the four.
    as_traced_->setChecked(!model.compiled && times_.files().isEmpty());
    eager_->setChecked(model.compiled == CompiledScope::eager);
    compiled_blocks_->setChecked(model.compiled == CompiledScope::blocks);
    compiled_whole_->setChecked(model.compiled == CompiledScope::whole);
    setAvailable(*calibrate_, !open || measurements_.count() > 0 ? closed : tr("No trace is open"));
    emit changed();
}

}  // namespace overlap::ui
