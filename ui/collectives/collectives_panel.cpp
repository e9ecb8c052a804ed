#include "ui/collectives/collectives_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>

#include "ui/document/document.h"
#include "ui/document/evaluation_failure.h"
#include "ui/document/graph_reading.h"
#include "ui/document/links_shared_step.h"
#include "ui/document/selected_modules.h"
#include "ui/panels/problems_panel.h"
#include "ui/theme/counted_text.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_note.h"
#include "ui/widgets/flat_table.h"
#include "ui/widgets/panel_layout.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/shown_rows.h"
#include "ui/widgets/table_delegate.h"

namespace overlap::ui {
namespace {

constexpr int filter_width = 220;
/// Of the view that a column of text may take at most.
constexpr double widest_share = 0.16;
/// Rows whose widths are looked at; all would take too long in a step of thousands.
constexpr int measured_rows = 200;

/// The sum is no gain of the step, and nobody is to take it for one.
QString couldHideHelp() {
    return CollectivesPanel::tr(
        "What could hide is counted of each collective by itself. They take that compute from each other and from what "
        "it hides now, so that the step gains less, often nothing; Advice evaluates what a change does to it");
}

QString sumsText(const CollectiveSums& sums, const Evaluation& evaluation) {
    const bool times_known = evaluation.times_known;
    QStringList parts;
    if (times_known) {
        parts.append(CollectivesPanel::tr("%1 on their streams").arg(formatTime(sums.time_ms)));
        const QString exposed = sharesLinks(evaluation) ? CollectivesPanel::tr("%1 exposed with links shared")
                                                        : CollectivesPanel::tr("%1 exposed");
        parts.append(exposed.arg(formatTime(sums.exposed_ms)));
        if (sums.could_hide_ms > 0)
            parts.append(CollectivesPanel::tr("%1 could hide, each by itself").arg(formatTime(sums.could_hide_ms)));
    }
    parts.append(formatBytes(static_cast<double>(sums.bytes)));
    if (times_known && sums.exchanges_of_halves > 0)
        parts.append(countedText(sums.exchanges_of_halves, CollectivesPanel::tr("%1 all-to-all of halves"),
                                 CollectivesPanel::tr("%1 all-to-alls of halves")) +
                     CollectivesPanel::tr(", %1, of which the other half hides %2")
                         .arg(formatTime(sums.exchanges_ms), formatTime(sums.hidden_by_other_half_ms)));
    return parts.join(QStringLiteral(" · "));
}

}  // namespace

CollectivesPanel::CollectivesPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      model_(new CollectivesModel(this)),
      filter_(new CollectivesFilter(*model_, this)),
      field_(new QLineEdit),
      exposed_only_(new QToolButton),
      sums_(new ElidedLabel),
      view_(new QTreeView),
      refresh_(*this, std::chrono::milliseconds(0), [this] { makeRows(); }) {
    setObjectName("collectives");
    setAccessibleName(tr("Collectives"));
    makeTable();
    layOutPanel(this, makeBar(), view_);
    connect(&document, &Document::graphChanged, this, [this] { showRows(nullptr); });
    whenReadingChanges(document, this, [this] { showSums(); });
    connect(&document, &Document::failed, this, &CollectivesPanel::showSums);
    for (const auto signal : {&Document::evaluationChanged, &Document::modulesChanged})
        connect(&document, signal, &refresh_, &SeenRefresh::schedule);
    connect(&document.selection(), &Selection::changed, this, &CollectivesPanel::showSelection);
    connect(&watch_, &SeenWatch::seen, this, [this] {
        if (!refresh_.outdated()) showSelection();  // else with the rows
    });
    showSums();
}

QWidget* CollectivesPanel::makeBar() {
    auto* bar = new QWidget;
    auto* layout = barLayout(bar);
    field_->setPlaceholderText(tr("Filter: names, modules, causes…"));
    field_->setToolTip(tr("Rows that have all of these words, in whichever column: \"layers.3 all-gather short\""));
    field_->setAccessibleName(tr("Filter the collectives"));
    field_->setClearButtonEnabled(true);
    field_->setMaximumWidth(filter_width);
    makeSearchField(*field_);
    field_->installEventFilter(this);
    connect(field_, &QLineEdit::textChanged, this,
            [this](const QString& text) { narrow([&] { filter_->setText(text); }); });
    exposed_only_->setText(tr("Exposed only"));
    exposed_only_->setToolTip(tr("List only collectives for which compute stands still"));
    exposed_only_->setCheckable(true);
    exposed_only_->setFocusPolicy(Qt::StrongFocus);
    connect(exposed_only_, &QToolButton::toggled, this,
            [this](bool only) { narrow([&] { filter_->setExposedOnly(only); }); });
    sums_->setObjectName("collectiveSums");
    sums_->setProperty("role", "dim");
    sums_->setAccessibleName(tr("Sums"));
    layout->addWidget(field_, 1);
    layout->addWidget(exposed_only_);
    layout->addWidget(sums_, 3);
    return bar;
}

void CollectivesPanel::makeTable() {
    view_->setModel(filter_);
    const auto say_again = sayWhenEmpty(*view_, [this] {
        if (!document_.evaluation()) return QString();
        if (model_->rowCount() == 0) return tr("The step has no collective");
        return field_->text().trimmed().isEmpty() ? tr("No collective is exposed")
                                                  : tr("No collective matches the filter");
    });
    connect(field_, &QLineEdit::textChanged, view_, say_again, Qt::QueuedConnection);  // once it is applied
    view_->setItemDelegate(new TableDelegate(view_));
    makeFlatTable(*view_, tr("Collectives of the plan"));
    view_->setTextElideMode(Qt::ElideMiddle);  // names differ at their ends
    view_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    view_->setSortingEnabled(true);
    view_->sortByColumn(CollectivesModel::exposed_column, Qt::DescendingOrder);
    view_->header()->setStretchLastSection(true);
    view_->header()->setMinimumSectionSize(0);
    view_->installEventFilter(this);
    view_->viewport()->installEventFilter(this);
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &CollectivesPanel::selectCurrent);
    connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &CollectivesPanel::showSums);
    connect(view_, &QTreeView::clicked, this, &CollectivesPanel::selectCurrent);
    connect(view_, &QTreeView::activated, this, [this] {
        selectCurrent();
        emit timelineWanted();
    });
}

void CollectivesPanel::narrow(const std::function<void()>& change) {
    {
        // Where the chosen row goes, the view makes another one current, which is no choice of the user's.
        const QScopedValueRollback guard(following_, true);
        changeShownRows(*view_, change);
    }
    showSelection();
    showSums();
}

void CollectivesPanel::makeRows() {
    const auto evaluation = document_.evaluation();
    if (!evaluation) return showRows(nullptr);
    task_.start([this, evaluation, modules = document_.sharedModules()](std::stop_token stop) -> LatestTask::Delivery {
        const auto rows = collectiveRows(evaluation, modules, stop);
        if (!rows) return {};
        return [this, rows] { showRows(rows); };
    });
    showSums();  // without rows it says what they wait for
}

void CollectivesPanel::showRows(std::shared_ptr<const CollectiveRows> rows) {
    if (!rows) task_.cancel();
    const bool was_empty = model_->rowCount() == 0;
    {
        // Another evaluation is no choice of the user's, and what was looked at stays in its place.
        const QScopedValueRollback guard(following_, true);
        const int place = view_->verticalScrollBar()->value();
        model_->setRows(std::move(rows));
        if (was_empty) fitColumns();
        view_->verticalScrollBar()->setValue(place);
    }
    showSelection();
    showSums();
}

std::vector<int> CollectivesPanel::selectedRows() const {
    const auto& rows = model_->rows();
    if (!rows) return {};
    const Selection& selection = document_.selection();
    if (selection.kind() == Selection::Kind::node) {
        const int row = rows->rowOf(selection.node());
        return row < 0 ? std::vector<int>() : std::vector<int>{row};
    }
    std::vector<int> found;
    const auto add_where = [&](const auto& is_selected) {
        for (int row = 0; row < model_->rowCount(); ++row)
            if (is_selected(rows->figures[static_cast<std::size_t>(row)])) found.push_back(row);
    };
    if (!selection.modules().isEmpty() && !selection.modules().contains(QString())) {
        const std::vector<NodeId> nodes = nodesOfSelectedModules(document_, *rows->modules);
        add_where([&](const CollectiveFigures& figures) {
            return std::ranges::any_of(figures.members,
                                       [&](NodeId member) { return std::ranges::binary_search(nodes, member); });
        });
    } else if (selection.kind() == Selection::Kind::bucket) {
        add_where([&](const CollectiveFigures& figures) { return figures.entry == selection.bucket(); });
    } else if (selection.kind() == Selection::Kind::group) {
        const std::string group = selection.group().toStdString();
        add_where([&](const CollectiveFigures& figures) {
            return rows->evaluation->simulation.groups[rows->timing(figures.timing).group].process_group == group;
        });
    }
    return found;
}

void CollectivesPanel::showSelection() {
    if (following_ || !watch_.isSeen()) return;
    const QScopedValueRollback guard(following_, true);
    QItemSelection chosen;
    std::vector<int> places;
    for (const int row : selectedRows())
        if (const QModelIndex shown = filter_->mapFromSource(model_->index(row, 0)); shown.isValid())
            places.push_back(shown.row());
    std::ranges::sort(places);
    for (std::size_t begin = 0; begin < places.size();) {
        std::size_t end = begin + 1;
        while (end < places.size() && places[end] == places[end - 1] + 1) ++end;
        chosen.select(filter_->index(places[begin], 0),
                      filter_->index(places[end - 1], CollectivesModel::column_count - 1));
        begin = end;
    }
    const QModelIndex first = places.empty() ? QModelIndex() : filter_->index(places.front(), 0);
    view_->selectionModel()->setCurrentIndex(first, QItemSelectionModel::NoUpdate);
    view_->selectionModel()->select(chosen, QItemSelectionModel::ClearAndSelect);
    if (first.isValid()) view_->scrollTo(first);
}

void CollectivesPanel::selectCurrent() {
    const QModelIndex current = view_->currentIndex();
    if (following_ || !current.isValid()) return;
    const QScopedValueRollback guard(following_, true);
    document_.selection().selectNode(model_->nameOf(filter_->mapToSource(current).row()));
}

void CollectivesPanel::showSums() {
    const auto& rows = model_->rows();
    const bool evaluating = document_.evaluating() || !document_.evaluation();
    QString told = !document_.isOpen()
                       ? (document_.loading() ? noGraphOpen(document_) : tr("Open a graph to see its collectives"))
                   : evaluating ? whyNotEvaluated(document_)
                                : tr("Collectives are being listed");
    bool any_could_hide = false;
    if (rows) {
        const QModelIndexList chosen = view_->selectionModel()->selectedRows();
        CollectiveSums sums;
        if (chosen.size() > 1) {
            for (const QModelIndex& row : chosen)
                rows->addTo(sums, static_cast<std::size_t>(filter_->mapToSource(row).row()));
        } else {
            sums = filter_->sums();
        }
        const auto all = static_cast<std::int64_t>(rows->figures.size());
        const QString shown = formatCount(sums.collectives);
        const QString count = chosen.size() > 1         ? tr("%1 of %2 chosen").arg(shown, formatCount(all))
                              : sums.collectives != all ? tr("%1 of %2 collectives").arg(shown, formatCount(all))
                                                        : countedText(all, tr("%1 collective"), tr("%1 collectives"));
        any_could_hide = rows->evaluation->times_known && sums.could_hide_ms > 0;
        told = count + QStringLiteral(" · ") + sumsText(sums, *rows->evaluation);
        if (rows->evaluation->refused)
            told = tr("The plan is refused: these are the baseline's") + QStringLiteral(" · ") + told;
    }
    sums_->setText(told);
    sums_->setToolTip(any_could_hide ? told + u'\n' + couldHideHelp() : told);
}

void CollectivesPanel::listExposed() {
    field_->clear();
    exposed_only_->setChecked(true);
}

QString CollectivesPanel::sums() const {
    return sums_->text();
}

bool CollectivesPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == view_->viewport() && event->type() == QEvent::Resize) fitColumns();
    if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (watched == view_ && key->matches(QKeySequence::Copy)) {
        QApplication::clipboard()->setText(sums_->text() + u'\n' + tableText(*filter_));
        return true;
    }
    if (watched == field_ && key->key() == Qt::Key_Escape && !field_->text().isEmpty()) {
        field_->clear();
        return true;
    }
    if (watched == field_ && (key->key() == Qt::Key_Down || key->key() == Qt::Key_Return) && filter_->rowCount() > 0) {
        if (!view_->currentIndex().isValid()) view_->setCurrentIndex(filter_->index(0, 0));
        view_->setFocus();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void CollectivesPanel::fitColumns() {
    const int width = view_->viewport()->width();
    for (int column = 0; column < CollectivesModel::module_column; ++column) {
        int wanted = view_->header()->sectionSizeHint(column);
        for (int row = 0; row < std::min(measured_rows, filter_->rowCount()); ++row)
            wanted = std::max(wanted, view_->sizeHintForIndex(filter_->index(row, column)).width());
        const bool is_text = model_->headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt() & Qt::AlignLeft;
        if (is_text)
            wanted = std::min(
                wanted, std::max(static_cast<int>(width * widest_share), view_->header()->sectionSizeHint(column)));
        view_->header()->resizeSection(column, wanted);
    }
}

}  // namespace overlap::ui
