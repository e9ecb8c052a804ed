#include "ui/memory/memory_panel.h"

#include <QDoubleSpinBox>
#include <QLabel>
#include <QResizeEvent>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QSplitter>
#include <QVBoxLayout>

#include "core/memory/device_memory.h"
#include "core/pipeline/step_with_links_shared.h"
#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/document/limit_names.h"
#include "ui/document/module_names.h"
#include "ui/edits/memory_commands.h"
#include "ui/memory/kind_bar.h"
#include "ui/memory/memory_effects.h"
#include "ui/memory/memory_rules_model.h"
#include "ui/memory/memory_rules_view.h"
#include "ui/memory/policy_box.h"
#include "ui/memory/policy_chart.h"
#include "ui/theme/known_time.h"
#include "ui/theme/links_shared.h"
#include "ui/widgets/availability.h"
#include "ui/widgets/bar_sentence.h"
#include "ui/widgets/limit_field.h"
#include "ui/widgets/panel_layout.h"

namespace overlap::ui {
namespace {

constexpr std::chrono::milliseconds settle{150};  ///< points of a plan that is still being dragged are not needed
/// In pixels; in a lower panel the chart needs room of what is held at the peak.
constexpr int low_height = 170;
constexpr int most_layers = 100;
QLabel* dimLabel(const QString& text) {
    auto* label = new QLabel(text);
    label->setProperty("role", "dim");
    return label;
}

Plan withoutMemory(Plan plan) {
    plan.memory.reset();
    plan.name.clear();
    plan.notes.clear();
    return plan;
}

std::int64_t bytesOnHost(const Simulation& simulation) {
    std::int64_t bytes = 0;
    for (const TransferTiming& transfer : simulation.transfers) bytes += transfer.to_host ? transfer.bytes : 0;
    return bytes;
}

QString stepAndPeak(const Evaluation& evaluation) {
    QString step = formatKnownTime(evaluation.simulation.step_ms, evaluation.times_known);
    if (evaluation.on_shared_links)
        step += QStringLiteral(", %1 %2").arg(linksSharedLabel(), formatTime(step_with_links_shared(evaluation)));
    QString text = MemoryPanel::tr("step %1   peak %2")
                       .arg(step, formatBytes(static_cast<double>(evaluation.corrected_memory.peak_bytes)));
    if (!evaluation.simulation.transfers.empty())
        text += MemoryPanel::tr("   %1 on the host, %2 waited for copies")
                    .arg(formatBytes(static_cast<double>(bytesOnHost(evaluation.simulation))),
                         formatTime(evaluation.simulation.transfer_exposed_ms));
    return text;
}

}  // namespace

MemoryPanel::MemoryPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      model_(new MemoryRulesModel(document, this)),
      view_(new MemoryRulesView(document, *model_)),
      policy_(new PolicyBox),
      budget_(new LimitField),
      limit_(new LimitField),
      prefetch_(new QSpinBox),
      deferral_(new QSpinBox),
      caption_(new BarSentence(tr("Step and peak"), this)),
      chart_(new PolicyChart),
      kinds_(new KindBar),
      effects_(new MemoryEffects(document, this)),
      refresh_(*this, settle, [this] { findPoints(); }) {
    setObjectName("memory");
    setAccessibleName(tr("Memory"));
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    split->addWidget(view_);
    // Below the chart alone: the rules have the height.
    auto* right = new QWidget;
    auto* right_layout = new QVBoxLayout(right);
    right_layout->setContentsMargins(0, 0, 0, 0);
    right_layout->setSpacing(0);
    right_layout->addWidget(chart_, 1);
    right_layout->addWidget(kinds_);
    split->addWidget(right);
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    bar_ = makeBar();
    new LowBar(*this, *bar_);
    layout->addWidget(bar_);
    layout->addWidget(caption_->below());
    layout->addWidget(split, 1);
    setFocusProxy(view_);
    setFocusPolicy(Qt::StrongFocus);
    connect(&document, &Document::graphChanged, this, &MemoryPanel::takeGraph);
    for (const auto signal : {&Document::graphChanged, &Document::currentChanged, &Document::planChanged}) {
        connect(&document, signal, this, &MemoryPanel::showSection);
        connect(&document, signal, &refresh_, &SeenRefresh::schedule);
    }
    connect(&document, &Document::timesChanged, &refresh_, &SeenRefresh::schedule);
    whenReadingChanges(document, this, [this] {
        showSection();
        showFigures();
        refresh_.schedule();
    });
    connect(&document, &Document::evaluationChanged, this, &MemoryPanel::showFigures);
    connect(&document, &Document::evaluationChanged, limit_, &LimitField::namesChanged);
    connect(&document, &Document::evaluationChanged, this, &MemoryPanel::nameEmptyLimit);  // with another cost model
    connect(&document, &Document::evaluationChanged, this, &MemoryPanel::showHeld);
    for (const auto signal : {&Document::evaluationChanged, &Document::modulesChanged, &Document::moduleFiguresChanged})
        connect(&document, signal, this, &MemoryPanel::findEffects);
    for (const auto signal : {&Document::modulesChanged, &Document::moduleFiguresChanged})
        connect(&document, signal, &refresh_, &SeenRefresh::schedule);
    connect(&watch_, &SeenWatch::seen, this, [this] {
        showHeld();
        findEffects();
    });
    connect(&document.selection(), &Selection::changed, this, &MemoryPanel::findEffects);
    connect(effects_, &MemoryEffects::changed, this, &MemoryPanel::showEffects);
    connect(view_, &MemoryRulesView::headingChanged, this, [this] {
        if (dragged_.isEmpty()) showFigures();
    });
    connect(view_, &MemoryRulesView::dragged, this, &MemoryPanel::preview);
    connect(view_, &MemoryRulesView::refused, this, &MemoryPanel::refused);
    connect(chart_, &PolicyChart::policyChosen, this, &MemoryPanel::choose);
    connect(&search_, &PolicySearch::pointFound, chart_, &PolicyChart::addPolicy);
    connect(&preview_, &BackgroundEvaluator::ready, this,
            [this](quint64 key, const std::shared_ptr<const Evaluation>& evaluation) {
                if (key != previewed_ || dragged_.isEmpty()) return;
                const QString figures =
                    !evaluation->refused ? stepAndPeak(*evaluation)
                    : evaluation->refusal
                        ? tr("refused, %1").arg(QString::fromStdString(evaluation->refusal->problem()))
                        : tr("refused");
                QString policy = MemoryCommands(document_).policyOfRule();
                if (!policy.isEmpty()) policy.prepend(u' ');
                // Figures first, and in the line that is there: another would push the rows from under the pointer.
                caption_->setText(tr("%1 for %2 %3%4")
                                      .arg(figures, MemoryCommands::title(dragged_action_),
                                           shortNames(dragged_).join(QStringLiteral(" + ")), policy),
                                  true);
            });
    takeGraph();
    showSection();
    showFigures();
}

QWidget* MemoryPanel::makeBar() {
    auto* bar = new QWidget;
    auto* layout = barLayout(bar);
    budget_->setAffixes({}, tr(" GiB on the host"));
    budget_->setPlaceholderText(tr("no limit on the host"));
    budget_->setAccessibleName(tr("Offload budget"));
    budget_->setToolTip(tr("Host memory of a rank for what the policy offloads; empty is no limit"));
    limit_->setAffixes(tr("≤ "), tr(" GiB"));  // as short as can be
    nameEmptyLimit();
    limit_->setNames([this] { return limitNames(document_); });
    limit_->setAccessibleName(tr("Limit of the peak"));
    connect(limit_, &QDoubleSpinBox::valueChanged, this, [this] {
        const std::int64_t bytes = limit_->bytes();
        chart_->setLimit(bytes);
        emit limitChanged(bytes);
    });
    for (const LimitField* field : {budget_, limit_}) connect(field, &LimitField::refused, this, &MemoryPanel::refused);
    for (QSpinBox* layers : {prefetch_, deferral_}) layers->setRange(0, most_layers);
    prefetch_->setPrefix(tr("prefetch "));
    prefetch_->setAccessibleName(tr("Layers by which copies back start earlier"));
    prefetch_->setToolTip(prefetch_->accessibleName());
    deferral_->setPrefix(tr("defer "));
    deferral_->setAccessibleName(tr("Layers by which waits for copies to the host come later"));
    deferral_->setToolTip(deferral_->accessibleName());
    layout->addWidget(dimLabel(tr("Policy")));
    layout->addWidget(policy_);
    layout->addWidget(budget_);
    layout->addWidget(prefetch_);
    layout->addWidget(deferral_);
    layout->addWidget(limit_);
    layout->addWidget(caption_->beside(), 1);
    connect(policy_, &PolicyBox::policyChosen, this, [this](const QString& policy) {
        policy.isEmpty() ? MemoryCommands(document_).clear() : MemoryCommands(document_).setPolicy(policy);
    });
    connect(budget_, &QDoubleSpinBox::valueChanged, this,
            [this](double gib) { MemoryCommands(document_).setBudget(gib); });
    connect(prefetch_, &QSpinBox::valueChanged, this,
            [this](int layers) { MemoryCommands(document_).setPrefetch(layers); });
    connect(deferral_, &QSpinBox::valueChanged, this,
            [this](int layers) { MemoryCommands(document_).setDeferral(layers); });
    return bar;
}

void MemoryPanel::setLimit(double gib) {
    limit_->setValue(gib);
}

void MemoryPanel::takeLimit(const QString& typed) {
    limit_->take(typed);
}

void MemoryPanel::restoreLimit(const QString& typed, double gib) {
    limit_->restore(typed, gib);
}

/// An empty field promises nothing that is not known.
void MemoryPanel::nameEmptyLimit() {
    const bool is_known = document_.isOpen() && device_memory_bytes(*document_.graph()) > 0;
    limit_->setPlaceholderText(is_known ? tr("≤ device") : tr("no limit"));
    const QString empty = is_known ? tr("empty is what the device holds")
                                   : tr("empty is no limit, since what the device holds is not known");
    const QString sums =
        is_known ? tr("baseline + 6, baseline + 10 %, device - 2 GiB") : tr("baseline + 6, baseline + 10 %");
    limit_->setToolTip(tr("The chart marks the fastest policy whose peak is within it, the timeline draws it, a search "
                          "stays within it, Problems and Advice tell what is beyond it; %1. A sum will do, too: %2. It "
                          "changes no plan")
                           .arg(empty, sums));
}

/// What the step of one graph may hold says nothing of another one.
void MemoryPanel::takeGraph() {
    nameEmptyLimit();
    const QString graph = document_.isOpen() ? document_.loaded().path : QString();
    if (graph == limit_of_) return;
    limits_.insert(limit_of_, {limit_->typed(), limit_->value()});
    limit_of_ = graph;
    const auto [typed, gib] = limits_.value(graph);
    restoreLimit(typed, gib);
}

void MemoryPanel::showSection() {
    const MemorySection section = MemoryCommands(document_).section();
    const QSignalBlocker quiet_budget(budget_), quiet_prefetch(prefetch_), quiet_deferral(deferral_);
    policy_->setPolicy(MemoryCommands(document_).isInEffect() ? QString::fromStdString(section.policy) : QString());
    budget_->setValue(section.cpu_offload_budget_gb);
    budget_->updateGeometry();  // its signals, which do so, are blocked
    prefetch_->setValue(static_cast<int>(section.prefetch_lookahead));
    deferral_->setValue(static_cast<int>(section.defer_n_layers));
    QString refusal = MemoryCommands(document_).refusal();
    setAvailable(*policy_, refusal);
    // Else a number that is typed would bring a policy that nobody has chosen.
    if (refusal.isEmpty() && !MemoryCommands(document_).isInEffect())
        refusal = tr("Choose a policy first: this is a part of it");
    for (QWidget* field : std::initializer_list<QWidget*>{budget_, prefetch_, deferral_}) setAvailable(*field, refusal);
    // It changes no plan, and the timeline draws it of the baseline, too.
    setAvailable(*limit_, document_.isOpen() ? QString() : noGraphOpen(document_));
}

bool MemoryPanel::busy() const {
    return refresh_.waiting() || search_.busy() || effects_->busy() || preview_.busy() || held_task_.busy();
}

QString MemoryPanel::caption() const {
    return caption_->text();
}

void MemoryPanel::showFigures() {
    const auto evaluation = document_.evaluation();
    const QString refusal = MemoryCommands(document_).refusal();
    QString text = refusal;
    std::optional<StepPeakChart::Point> current;
    if (evaluation && document_.isOpen()) {
        if (text.isEmpty())
            text = evaluation->refused ? tr("The plan is refused; see Problems") : stepAndPeak(*evaluation);
        if (const QString policy = MemoryCommands(document_).policyOfRule(); !policy.isEmpty())
            text += tr("   a rule comes %1").arg(policy);
        if (refusal.isEmpty() && !view_->hasHeading() && !model_->target().isEmpty())
            text += tr("   rows: for %1").arg(model_->target());
        if (refusal.isEmpty() && !evaluation->refused && effects_->anyWithLinksShared())
            text += tr("   rows: differences %1").arg(linksSharedLabel());
        if (!evaluation->refused && document_.editable()) {
            current = StepPeakChart::Point{};
            current->title = document_.current()->title();
            current->step_ms = step_with_links_shared(*evaluation);
            current->peak_bytes = evaluation->corrected_memory.peak_bytes;
        }
        chart_->setDeviceMemory(device_memory_bytes(*evaluation->graph));
    }
    // In a low panel there is no line for it; the chart, which has no points then, says all of it.
    const bool said_by_chart = !refusal.isEmpty() && height() < low_panel_height;
    caption_->setText(said_by_chart ? QString() : text, refusal.isEmpty());
    chart_->setCurrent(std::move(current));
}

void MemoryPanel::showHeld() {
    const auto evaluation = document_.evaluation();
    if (!watch_.isSeen()) return;
    if (!evaluation) return kinds_->setHeld({});
    held_task_.start([this, evaluation](std::stop_token) -> LatestTask::Delivery {
        const HeldMemory held = held_memory(*evaluation->graph, peak_point(evaluation->corrected_memory));
        return [this, held] { kinds_->setHeld(held); };
    });
}

void MemoryPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    kinds_->setLow(height() < low_height);
    // It must not cover the chart's key: where the chart is as low as it may be, a higher panel has it.
    const int beside_chart = bar_->sizeHint().height() + kinds_->height();
    kinds_->setVisible(height() >= beside_chart + chart_->minimumHeight());
    const bool was_low = event->oldSize().height() < low_panel_height, is_low = height() < low_panel_height;
    if (was_low != is_low) showFigures();
}

/// What the memory section says does not matter for the points: they replace it.
void MemoryPanel::findPoints() {
    const QString reason = MemoryCommands(document_).refusal();
    // Policies name layers: while modules of newer rules are being made, there are none to name.
    const bool can = reason.isEmpty() && !document_.repairing();
    const auto source = document_.times() ? document_.times()->source : nullptr;
    std::optional<Plan> plan;
    if (can) plan = withoutMemory(document_.current()->plan());
    if (plan && plan == points_of_ && graph_ == document_.graph() && modules_ == document_.sharedModules() &&
        source_ == source)
        return;
    search_.cancel();
    chart_->clearPolicies();
    // Until the first point, the chart says why it is empty.
    chart_->setNote(!reason.isEmpty() ? reason
                    : can             ? tr("Policies are being evaluated")
                          : tr("Rules that give nodes their modules are being applied; policies are evaluated then"));
    points_of_ = plan;
    graph_ = document_.graph();
    modules_ = can ? document_.sharedModules() : nullptr;
    source_ = source;
    if (!plan) return;
    search_.start(graph_, document_.current()->plan(), memory_choices(*modules_), source, document_.passResults());
}

/// What the selection would cost under each action, before the click.
void MemoryPanel::findEffects() {
    if (watch_.isSeen()) effects_->find();
}

void MemoryPanel::showEffects() {
    const std::optional<MemoryTarget>& target = effects_->target();
    model_->setTarget(target ? target->title() : QString(),
                      target ? namesInLines(target->modules, QStringLiteral(", ")).join(u'\n') : QString());
    // The caption tells of the policy that a rule brings, and of links: rows would cut them.
    for (const MemoryAction action : memory_actions)
        model_->setEffect(action, effects_->brief(action), effects_->text(action));
    if (dragged_.isEmpty()) showFigures();  // else the caption tells of what is dragged
}

void MemoryPanel::preview(MemoryAction action, const QStringList& modules) {
    if (modules == dragged_ && action == dragged_action_) return;
    dragged_ = modules;
    dragged_action_ = action;
    preview_.cancel();
    if (modules.isEmpty()) return showFigures();
    preview_.request(document_.graph(), MemoryCommands(document_).planWith(action, modules), ++previewed_,
                     document_.times() ? document_.times()->source : nullptr, document_.passResults());
}

void MemoryPanel::choose(const MemoryChoice& choice) {
    if (const QString reason = MemoryCommands(document_).choose(choice); !reason.isEmpty()) emit refused(reason);
}

}  // namespace overlap::ui
