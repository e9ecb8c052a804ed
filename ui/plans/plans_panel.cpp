#include "ui/plans/plans_panel.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>

#include "core/cost/built_in_cost_models.h"
#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/panels/problems_panel.h"
#include "ui/plans/plans_model.h"
#include "ui/theme/harmless_text.h"
#include "ui/widgets/availability.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/flat_table.h"
#include "ui/widgets/panel_layout.h"
#include "ui/widgets/plan_colours.h"
#include "ui/widgets/table_delegate.h"

namespace overlap::ui {
namespace {

constexpr int widest_name = 360;
constexpr int widest_note = 480;

/// `estimated with h100-sxm; groups between nodes share each GPU's network card`.
/// @param beside whether steps with links shared stand beside the others.
QString timesText(const Document& document, bool beside) {
    const auto evaluation = document.evaluation();
    if (!evaluation) return {};
    const std::optional<CostParameters>& cost = evaluation->graph->header().cost;
    QStringList parts;
    if (evaluation->time_source && evaluation->time_source->measured()) {
        parts.append(PlansPanel::tr("times of trace %1").arg(QString::fromStdString(evaluation->time_source->name)));
    } else if (cost && !cost->model_name.empty()) {
        parts.append(PlansPanel::tr("estimated with %1").arg(QString::fromStdString(cost->model_name)));
    } else {
        parts.append(evaluation->times_known ? PlansPanel::tr("the graph's own times") : PlansPanel::tr("no times"));
    }
    const auto shared = links_in_common(*evaluation->graph, evaluation->time_source.get());
    for (const std::vector<std::string>& groups : shared) {
        QStringList names;
        for (const std::string& group : groups) names.append(QString::fromStdString(group));
        parts.append(PlansPanel::tr("groups %1 share a link").arg(names.join(QStringLiteral(", "))));
    }
    if (shared.empty() && evaluation->simulation.groups.size() > 1)
        parts.append(beside ? PlansPanel::tr("in Step each process group has a link of its own")
                            : PlansPanel::tr("each process group has a link of its own"));
    return parts.join(QStringLiteral(" · "));
}

const std::string& nameOf(const PlanRow& row) {
    return row.plan.name;
}

}  // namespace

PlansPanel::PlansPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      model_(new PlansModel(this)),
      sorted_(new QSortFilterProxyModel(this)),
      view_(new QTreeView),
      other_(new QComboBox),
      caption_(new ElidedLabel),
      compare_(new QAction(tr("Compare"), this)),
      rename_(new QAction(tr("Rename…"), this)),
      note_(new QAction(tr("Note…"), this)),
      colour_(new QAction(tr("Colour"), this)),
      close_(new QAction(tr("Close"), this)),
      refresh_(*this, std::chrono::milliseconds(0), [this] { makeRows(); }) {
    setObjectName("plans");
    setAccessibleName(tr("Plans"));
    makeTable();
    layOutPanel(this, makeBar(), view_);
    for (const auto signal : {&Document::graphChanged, &Document::variantsChanged, &Document::planChanged,
                              &Document::evaluationChanged, &Document::timesChanged})
        connect(&document, signal, &refresh_, &SeenRefresh::schedule);
    for (const auto signal : {&Document::graphChanged, &Document::timesChanged})
        connect(&document, signal, this, &PlansPanel::offerOthers);
    connect(&document, &Document::currentChanged, this, &PlansPanel::showCurrent);
    whenReadingChanges(document, this, [this] { describe(); });
    connect(&document, &Document::graphAboutToChange, this, [this] { ground_ = {}; });  // it keeps what it refers to
    offerOthers();
    update();
}

QWidget* PlansPanel::makeBar() {
    auto* bar = new QWidget;
    auto* layout = barLayout(bar);
    compare_->setToolTip(tr("Compare the two plans that are chosen"));
    rename_->setToolTip(tr("Give the chosen plan another name (F2)"));
    close_->setToolTip(tr("Close the chosen plan, which can be reopened (Delete)"));
    note_->setToolTip(tr("Note something on the chosen plan, which is saved with it"));
    colour_->setToolTip(tr("A mark of the chosen plan in its tab and here, which is saved with it"));
    colour_->setMenu(new QMenu(this));
    connect(colour_->menu(), &QMenu::aboutToShow, this, [this] {
        colour_->menu()->clear();
        const int variant = chosen().front();
        fillColourMenu(*colour_->menu(), document_.variant(variant).plan().colour,
                       [this, variant](PlanColour colour) { emit colourWanted(variant, colour); });
    });
    for (QAction* action : {compare_, rename_, note_, colour_, close_}) {
        auto* button = new QToolButton;
        button->setDefaultAction(action);
        button->setFocusPolicy(Qt::StrongFocus);
        if (action->menu()) button->setPopupMode(QToolButton::InstantPopup);
        layout->addWidget(button);
    }
    other_->addItem(tr("no other cost model"));
    for (const NamedCostModel& model : built_in_cost_models())
        other_->addItem(tr("also under %1").arg(QString::fromStdString(model.name)),
                        QString::fromStdString(model.name));
    for (std::size_t model = 0; model < built_in_cost_models().size(); ++model)
        other_->setItemData(static_cast<int>(model) + 1,
                            QString::fromStdString(built_in_cost_models()[model].description), Qt::ToolTipRole);
    other_->setAccessibleName(tr("Figures also under another cost model"));
    other_->view()->setAccessibleName(other_->accessibleName());
    other_->setToolTip(
        tr("Steps of all plans also under another cost model, with the passes that decide by times deciding by its "
           "times. A plan that gains here and not there is marked"));
    layout->addWidget(other_);
    caption_->setProperty("role", "dim");
    layout->addWidget(caption_, 1);
    connect(other_, &QComboBox::currentIndexChanged, &refresh_, &SeenRefresh::schedule);
    connect(note_, &QAction::triggered, this, [this] { emit noteWanted(chosen().front()); });
    connect(rename_, &QAction::triggered, this, [this] { emit renameWanted(chosen().front()); });
    connect(close_, &QAction::triggered, this, [this] {
        // From the back, so that positions stay.
        const std::vector<int> variants = chosen();
        std::for_each(variants.rbegin(), variants.rend(), [this](int variant) { emit closeWanted(variant); });
    });
    connect(compare_, &QAction::triggered, this, [this] { emit compareWanted(chosen().front(), chosen().back()); });
    return bar;
}

void PlansPanel::offerOthers() {
    const auto graph = document_.graph();
    const auto& cost = graph ? graph->header().cost : std::optional<CostParameters>();
    const int used = cost ? other_->findData(QString::fromStdString(cost->model_name)) : -1;
    auto* rows = qobject_cast<QListView*>(other_->view());
    const auto* items = qobject_cast<QStandardItemModel*>(other_->model());
    for (int row = 1; row < other_->count(); ++row) {
        rows->setRowHidden(row, row == used);
        items->item(row)->setEnabled(row != used);  // keys on the closed box pass by what is disabled alone
    }
    if (used > 0 && other_->currentIndex() == used) other_->setCurrentIndex(0);
}

void PlansPanel::makeTable() {
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(PlansModel::sort_role);
    view_->setModel(sorted_);
    view_->setItemDelegate(new TableDelegate(view_));
    makeFlatTable(*view_, tr("Plans of the graph"));
    view_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    view_->setSortingEnabled(true);
    view_->sortByColumn(-1, Qt::AscendingOrder);  // as the tabs, until the user sorts
    view_->installEventFilter(this);
    view_->viewport()->installEventFilter(this);
    connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &PlansPanel::update);
    const auto choose = [this](const QModelIndex& row) {
        if (!following_ && chosen().size() == 1) emit showWanted(variantOf(row));
    };
    connect(view_, &QTreeView::clicked, this, choose);
    connect(view_, &QTreeView::activated, this, choose);
}

void PlansPanel::makeRows() {
    PlanGround ground;
    std::vector<PlanRow> rows;
    if (document_.isOpen()) {
        const LoadedGraph& loaded = document_.loaded();
        ground = {loaded.graph, document_.times() ? document_.times()->source : nullptr,
                  loaded.as_read ? loaded.as_read : loaded.graph, other_->currentData().toString(),
                  document_.passResults()};
    }
    PlanGround of_own = ground_;
    of_own.other = ground.other;
    const bool keeps_own = of_own == ground,
               keeps_other = ground_.other == ground.other && ground_.as_read == ground.as_read;
    for (int index = 0; index < document_.variantCount(); ++index) {
        const Variant& variant = document_.variant(index);
        PlanRow row{variant.key(), variant.plan(), variant.readOnly(), {}, {}, {}, {}};
        const auto known = std::ranges::find(model_->rows(), row.key, &PlanRow::key);
        if (known != model_->rows().end() && does_the_same(known->plan, row.plan)) {
            if (keeps_own) row.figures = known->figures;
            if (keeps_own) row.disturbed_ms = known->disturbed_ms;
            if (keeps_own) row.gap = known->gap;
            if (keeps_other) row.other = known->other;
        }
        if (variant.evaluation() && !variant.stale() && row.disturbed_ms.empty()) row.evaluation = variant.evaluation();
        rows.push_back(std::move(row));
    }
    const auto show = [this, ground](std::vector<PlanRow> made) {
        const QScopedValueRollback guard(following_, true);
        const bool others =
            ground.other != ground_.other || !std::ranges::equal(made, model_->rows(), {}, nameOf, nameOf);
        ground_ = ground;
        const bool shared = model_->hasSharedSteps();
        model_->setRows(std::move(made), ground.other);
        if (others || shared != model_->hasSharedSteps()) fitColumns();
        showCurrent();
        describe();
    };
    task_.start([rows = std::move(rows), ground, show](std::stop_token stop) -> LatestTask::Delivery {
        auto made = ground.graph ? evaluatePlans(rows, ground, stop) : rows;
        if (!made) return {};
        return [show, made = std::move(*made)] { show(made); };
    });
}

void PlansPanel::describe() {
    QString text = document_.isOpen()    ? timesText(document_, model_->hasSharedSteps())
                   : document_.loading() ? noGraphOpen(document_)
                                         : tr("Open a graph to see its plans");
    const auto lost = std::ranges::count_if(
        model_->rows(), [&](const PlanRow& row) { return losesUnderOther(row, model_->rows().front()); });
    const auto disturbed = std::ranges::count_if(model_->rows(), [&](const PlanRow& row) {
        return !row.baseline && !losesDisturbed(row, model_->rows().front()).empty();
    });
    if (disturbed > 0) text += tr(" · gain lost where links or compute are 20 % slower or faster: %1").arg(disturbed);
    if (lost > 0)
        text += tr(" · %1 gain here and not under %2").arg(QString::number(lost), other_->currentData().toString());
    caption_->setText(shownName(text));
    caption_->setToolTip(caption_->text());
}

int PlansPanel::variantOf(const QModelIndex& row) const {
    return document_.indexOf(model_->rows()[static_cast<std::size_t>(sorted_->mapToSource(row).row())].key);
}

std::vector<int> PlansPanel::chosen() const {
    std::vector<int> variants;
    for (const QModelIndex& row : view_->selectionModel()->selectedRows())
        if (const int variant = variantOf(row); variant >= 0) variants.push_back(variant);
    std::ranges::sort(variants);
    return variants;
}

void PlansPanel::update() {
    const std::vector<int> variants = chosen();
    const bool baseline = !variants.empty() && variants.front() == 0;
    const QString fixed = variants.empty() ? tr("No plan is chosen") : baseline ? tr("The baseline stays") : QString();
    setAvailable(*compare_, variants.size() == 2 ? QString() : tr("Choose two plans, the second one with Ctrl"));
    const QString one = fixed.isEmpty() && variants.size() > 1 ? tr("More than one plan is chosen") : fixed;
    setAvailable(*rename_, one);
    setAvailable(*close_, fixed);
    setAvailable(*note_, one);
    setAvailable(*colour_, one);
}

void PlansPanel::showCurrent() {
    const Variant* current = document_.current();
    if (!current || view_->selectionModel()->selectedRows().size() > 1) return;
    const QScopedValueRollback guard(following_, true);
    for (int row = 0; row < sorted_->rowCount(); ++row)
        if (variantOf(sorted_->index(row, 0)) == document_.currentIndex())
            view_->selectionModel()->setCurrentIndex(sorted_->index(row, 0),
                                                     QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

bool PlansPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == view_->viewport() && event->type() == QEvent::Resize) fitNotes();
    if (watched != view_ || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Copy)) {
        QApplication::clipboard()->setText(tableText(*sorted_));
        return true;
    }
    if (key->key() == Qt::Key_F2) {
        rename_->trigger();
        return true;
    }
    if (key->key() == Qt::Key_Delete) {
        close_->trigger();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

int PlansPanel::widthOf(int column) const {
    int wanted = view_->header()->sectionSizeHint(column);
    for (int row = 0; row < sorted_->rowCount(); ++row)
        wanted = std::max(wanted, view_->sizeHintForIndex(sorted_->index(row, column)).width());
    return wanted;
}

void PlansPanel::fitColumns() {
    view_->setColumnHidden(PlansModel::shared_column, !model_->hasSharedSteps());
    for (int column = 0; column < model_->columnCount(); ++column)
        view_->header()->resizeSection(column, std::min(widthOf(column), widest_name));
    // The columns of another cost model come behind all others in the model.
    QHeaderView& header = *view_->header();
    header.moveSection(header.visualIndex(PlansModel::note_column), header.count() - 1);
    fitNotes();
}

/// Notes are sentences, and stand last: they take what the others leave.
void PlansPanel::fitNotes() {
    QHeaderView& header = *view_->header();
    const int others = header.length() - header.sectionSize(PlansModel::note_column);
    const int least = std::min(widthOf(PlansModel::note_column), widest_note);
    header.resizeSection(PlansModel::note_column, std::max(least, view_->viewport()->width() - others));
}

}  // namespace overlap::ui
