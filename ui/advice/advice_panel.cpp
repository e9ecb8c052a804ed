#include "ui/advice/advice_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>

#include "ui/advice/advice_delegate.h"
#include "ui/advice/advice_model.h"
#include "ui/document/document.h"
#include "ui/document/evaluation_failure.h"
#include "ui/document/graph_reading.h"
#include "ui/document/links_shared_step.h"
#include "ui/panels/problems_model.h"
#include "ui/panels/problems_panel.h"
#include "ui/theme/counted_text.h"
#include "ui/theme/harmless_text.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/flat_table.h"
#include "ui/widgets/panel_layout.h"

namespace overlap::ui {
namespace {

constexpr std::chrono::milliseconds settle{150};  ///< a plan that is still being dragged is not advised
constexpr std::size_t most_collectives = 8;
constexpr int figure_letters = 12;

}  // namespace

AdvicePanel::AdvicePanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      model_(new AdviceModel(this)),
      view_(new QTreeView),
      selected_only_(new QToolButton),
      caption_(new ElidedLabel),
      nothing_(new QLabel),
      refresh_(*this, settle, [this] { restart(); }) {
    setObjectName("advice");
    setAccessibleName(tr("Advice"));
    makeTable();
    layOutPanel(this, makeBar(), view_);
    for (const auto signal :
         {&Document::graphChanged, &Document::currentChanged, &Document::planChanged, &Document::evaluationChanged})
        connect(&document, signal, this, &AdvicePanel::schedule);
    connect(&document.selection(), &Selection::changed, this, [this] {
        if (selected_only_->isChecked()) schedule();
    });
    connect(&search_, &AdviceSearch::rowFound, this, [this](const AdviceRow& row) { model_->add(row); });
    connect(model_, &QAbstractItemModel::headerDataChanged, this, &AdvicePanel::fitColumns);
    connect(&search_, &AdviceSearch::progressed, this, &AdvicePanel::describe);
    whenReadingChanges(document, this, [this] { describe(); });
    connect(&document, &Document::failed, this, &AdvicePanel::describe);
    describe();
}

QWidget* AdvicePanel::makeBar() {
    auto* bar = new QWidget;
    auto* layout = barLayout(bar);
    selected_only_->setText(tr("Selected collective"));
    selected_only_->setToolTip(tr("What helps the selected collective, instead of those that are exposed longest"));
    selected_only_->setCheckable(true);
    selected_only_->setFocusPolicy(Qt::StrongFocus);
    connect(selected_only_, &QToolButton::toggled, this, &AdvicePanel::schedule);
    caption_->setObjectName("adviceCaption");
    caption_->setProperty("role", "dim");
    caption_->setAccessibleName(tr("What the advice is for"));
    layout->addWidget(selected_only_);
    layout->addWidget(caption_, 1);
    return bar;
}

void AdvicePanel::makeTable() {
    view_->setModel(model_);
    view_->setItemDelegate(new AdviceDelegate(view_));
    makeFlatTable(*view_, tr("Changes of the plan that may help"));
    view_->header()->setStretchLastSection(true);
    view_->header()->setMinimumSectionSize(0);
    nothing_->setObjectName("adviceNothing");
    nothing_->setWordWrap(true);
    nothing_->setTextFormat(Qt::PlainText);
    nothing_->setMargin(8);
    nothing_->setAttribute(Qt::WA_TransparentForMouseEvents);
    auto* over = new QVBoxLayout(view_->viewport());
    over->setContentsMargins(0, 0, 0, 0);
    over->addWidget(nothing_, 0, Qt::AlignTop);
    over->setSizeConstraint(QLayout::SetNoConstraint);
    view_->installEventFilter(this);
    view_->viewport()->installEventFilter(this);
    connect(view_, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        const AdviceRow& row = model_->rows()[static_cast<std::size_t>(index.row())];
        if (!model_->flags(index).testFlag(Qt::ItemIsEnabled)) return;
        if (index.column() == AdviceModel::verdict_column && AdviceModel::isOffered(row)) return make(index.row());
        if (row.advice.problem) return goToProblem(document_, *row.advice.problem);
        if (!row.advice.collective.empty())
            document_.selection().selectNode(QString::fromStdString(row.advice.collective));
    });
    connect(view_, &QTreeView::activated, this, [this](const QModelIndex& index) { make(index.row()); });
}

void AdvicePanel::schedule() {
    refresh_.schedule();  // first: what is cancelled for this is not called cut off
    // Rows of another plan must not be made in this one.
    search_.cancel();
    model_->clear();
    describe();
}

QString AdvicePanel::obstacle() const {
    if (!document_.isOpen()) return document_.loading() ? noGraphOpen(document_) : tr("Open a graph to be advised");
    if (!document_.editable()) return tr("The baseline is the graph as it is; choose or add a plan to be advised");
    const auto evaluation = document_.evaluation();
    if (!evaluation || document_.evaluating() || document_.current()->stale()) return whyNotEvaluated(document_);
    if (!evaluation->times_known) return tr("Without times nothing can be compared; choose a cost model");
    if (selected_only_->isChecked() && !selectedCollective())
        return tr("Select a collective that is exposed, in any view");
    return {};
}

std::optional<std::size_t> AdvicePanel::selectedCollective() const {
    const auto evaluation = shownEvaluation(document_);
    const Selection& selection = document_.selection();
    if (!evaluation || selection.kind() != Selection::Kind::node) return std::nullopt;
    const Graph& graph = *evaluation->graph;
    NodeId node = graph.find(selection.node().toStdString());
    if (node == no_node) return std::nullopt;
    if (graph.target_info(node).is_wait) node = graph.awaited_start(node);
    const std::int32_t collective = node == no_node ? -1 : evaluation->simulation.collective_of_node[node];
    if (collective < 0) return std::nullopt;
    const auto index = static_cast<std::size_t>(collective);
    return evaluation->simulation.collectives[index].exposed_ms > 0 ? std::optional(index) : std::nullopt;
}

void AdvicePanel::restart() {
    model_->clear();
    evaluation_.reset();
    if (!obstacle().isEmpty()) {
        // Comes again with the evaluation or the selection that is missing.
        search_.cancel();
        return describe();
    }
    evaluation_ = document_.evaluation();
    setMemoryLimit(memory_limit_);
    const bool selected = selected_only_->isChecked();
    const auto one = selectedCollective();
    std::vector<std::size_t> collectives = selected ? std::vector<std::size_t>(one ? 1 : 0, one.value_or(0))
                                                    : most_exposed(*withLinksShared(evaluation_), most_collectives);
    exposed_ = collectives.size();
    search_.start(evaluation_, std::move(collectives), !selected);
    fitColumns();
}

QString AdvicePanel::caption() const {
    return caption_->text();
}

QString AdvicePanel::nothingFound() const {
    return nothing_->isHidden() ? QString() : nothing_->text();
}

QString AdvicePanel::whatWasLookedFor() const {
    if (evaluation_->refused)
        return tr("The plan is refused, and none of its problems has a fix: see Problems. Advice comes once it runs.");
    const QString looked_for = QString::fromUtf8(advice_looked_for());
    if (selected_only_->isChecked())
        return tr("Nothing was found that would help %1. Looked for: %2. None of them is possible here, or "
                  "compute to hide behind is lacking.")
            .arg(document_.selection().node(), looked_for);
    const bool exposed = !most_exposed(*withLinksShared(evaluation_), 1).empty();
    return exposed ? tr("Nothing was found that would help any of these collectives. Looked for, for each: %1; and "
                        "fixes of problems. None of them is possible here, or compute to hide behind is "
                        "lacking.")
                         .arg(looked_for)
                   : tr("No collective is exposed, and no problem has a fix: there is nothing to change.");
}

QString AdvicePanel::whatItIsFor() const {
    if (!evaluation_) return tr("For the collectives that are exposed longest, and for problems");
    if (exposed_ == 0) return tr("For problems; no collective is exposed");
    if (exposed_ == 1) return tr("For the one collective that is exposed, and for problems");
    return (exposed_ < most_collectives ? tr("For the %1 collectives that are exposed, and for problems")
                                        : tr("For the %1 collectives that are exposed longest, and for problems"))
        .arg(exposed_);
}

void AdvicePanel::describe() {
    bool nothing = false;
    QString text = obstacle();
    if (text.isEmpty()) {
        text = selected_only_->isChecked() ? tr("For %1").arg(document_.selection().node()) : whatItIsFor();
        if (search_.found() > 0) {
            const QString changes = countedText(search_.found(), tr("%1 change"), tr("%1 changes"));
            text += search_.tried() < search_.found() ? tr(" · %1 of %2 tried").arg(search_.tried()).arg(changes)
                    : search_.busy()                  ? tr(" · %1 tried, and what to go on with").arg(changes)
                                                      : tr(" · %1 tried").arg(changes);
        } else
            nothing = search_.finished() && !refresh_.outdated() && evaluation_;
        // Where it failed, the log says why.
        if (evaluation_ && !refresh_.outdated() && !busy() && !search_.finished())
            text += tr(" · cut off before all of it was looked at");
        if (nothing) text += tr(" · nothing was found");
    }
    nothing_->setText(nothing ? shownName(whatWasLookedFor()) : QString());
    nothing_->setVisible(nothing);
    caption_->setText(shownName(text));
    // A low table shows the beginning of it.
    caption_->setToolTip(nothing ? caption_->text() + u'\n' + nothing_->text() : caption_->text());
    view_->setAccessibleDescription(nothing_->text());
}

void AdvicePanel::make(int row) {
    if (row < 0 || row >= model_->rowCount() || !evaluation_ || evaluation_ != document_.evaluation()) return;
    const AdviceRow made = model_->rows()[static_cast<std::size_t>(row)];
    if (!made.effect.refusal.empty()) return;
    document_.editPlan(QString::fromStdString(made.advice.text), made.advice.plan);
}

void AdvicePanel::setMemoryLimit(qint64 bytes) {
    memory_limit_ = bytes;
    model_->setLimit(bytes, evaluation_ ? evaluation_->corrected_memory.peak_bytes : 0);
}

void AdvicePanel::adviseSelected() {
    selected_only_->setChecked(true);
    schedule();
}

bool AdvicePanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == view_->viewport() && event->type() == QEvent::Resize) fitColumns();
    if (watched != view_ || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    if (static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        QApplication::clipboard()->setText(caption() + u'\n' + tableText(*model_));
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void AdvicePanel::fitColumns() {
    const int figure = view_->fontMetrics().averageCharWidth() * figure_letters;
    const int verdict = figure * 2;
    const bool shared = model_->hasSharedSteps();
    view_->setColumnHidden(AdviceModel::shared_column, !shared);  // a column that is hidden has no heading's width
    int figures = 0;
    for (const int column : {AdviceModel::step_column, AdviceModel::shared_column, AdviceModel::exposed_column,
                             AdviceModel::peak_column}) {
        if (view_->isColumnHidden(column)) continue;
        const int width = std::max(figure, view_->header()->sectionSizeHint(column));
        view_->setColumnWidth(column, width);
        figures += width;
    }
    const int rest = std::max(0, view_->viewport()->width() - figures - verdict);
    const bool narrow = rest < 3 * figure;
    view_->setColumnHidden(AdviceModel::collective_column, narrow);
    view_->setColumnWidth(AdviceModel::change_column, narrow ? rest : rest * 3 / 5);
    view_->setColumnWidth(AdviceModel::collective_column, rest - rest * 3 / 5);
}

}  // namespace overlap::ui
