#include "ui/measure/compare_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/measure/compared_sides.h"
#include "ui/measure/comparison_model.h"
#include "ui/measure/measurements.h"
#include "ui/measure/simulated_trace_times.h"
#include "ui/measure/step_chooser.h"
#include "ui/panels/problems_panel.h"
#include "ui/tasks/task_failure.h"
#include "ui/theme/harmless_text.h"
#include "ui/widgets/availability.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_note.h"
#include "ui/widgets/flat_table.h"
#include "ui/widgets/panel_layout.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/shown_rows.h"

namespace overlap::ui {

namespace {

constexpr int filter_width = 160;
/// Of the view that columns of text may take at most: names, groups.
constexpr double widest_name = 0.22, widest_group = 0.14;
/// Rows whose widths are looked at; all would take too long in a step of thousands.
constexpr int measured_rows = 200;

/// Rows as high as those of the other tables.
class RowDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const QSize hint = QStyledItemDelegate::sizeHint(option, index);
        return {hint.width() + 12, option.fontMetrics.height() + 9};
    }
};

QToolButton* toggle(const QString& text, const QString& help) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setToolTip(help);
    button->setCheckable(true);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

}  // namespace

void ComparisonFilter::setText(const QString& text) {
    text_ = text.trimmed();
    invalidateFilter();
}

void ComparisonFilter::setUnchangedShown(bool shown) {
    unchanged_ = shown;
    invalidateFilter();
}

bool ComparisonFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    // Not through data(): there may be hundreds of thousands of rows, few of which differ.
    const auto* model = static_cast<const ComparisonModel*>(sourceModel());
    if (!unchanged_ && model->row(row).change == CollectiveChange::same) return false;
    if (text_.isEmpty()) return true;
    const QModelIndex index = model->index(row, 0, parent);
    return index.data(ComparisonModel::search_role).toString().contains(text_, Qt::CaseInsensitive);
}

ComparePanel::ComparePanel(Document& document, Measurements& measurements, QWidget* parent)
    : QWidget(parent),
      document_(document),
      measurements_(measurements),
      model_(new ComparisonModel(this)),
      rows_(new ComparisonFilter(this)),
      sides_(new ComparedSides(document, measurements, this)),
      step_(new StepChooser),
      both_(toggle(tr("Both in the timeline"), tr("Show the second step below the first, on one axis"))),
      times_(toggle(tr("Use these times"),
                    tr("Figures of all plans with the times of this trace, by process group and size, instead of the "
                       "graph's own"))),
      unchanged_(toggle(tr("Unchanged"), tr("List collectives that do not differ, too"))),
      filter_(new QLineEdit),
      sums_(new ElidedLabel),
      view_(new QTreeView) {
    setObjectName("compare");
    setAccessibleName(tr("Compare"));
    makeTable();
    sums_->setObjectName("comparisonSums");
    sums_->setContentsMargins(8, 0, 8, 6);
    sums_->setWordWrap(true);
    sums_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    QWidget* bar = makeBar();
    new LowBar(*this, *bar);
    layout->addWidget(bar);
    layout->addWidget(sums_);
    layout->addWidget(view_, 1);
    setFocusProxy(view_);
    setFocusPolicy(Qt::StrongFocus);

    waiting_.setSingleShot(true);
    connect(&waiting_, &QTimer::timeout, this, &ComparePanel::compare);
    connect(&watch_, &SeenWatch::seen, this, [this] {
        if (outdated_) schedule();
    });
    connect(&document, &Document::graphChanged, both_, [this] { both_->setChecked(false); });
    connect(&document.selection(), &Selection::changed, this, &ComparePanel::markSelected);
    connect(sides_, &ComparedSides::changed, this, &ComparePanel::schedule);
    connect(&document, &Document::evaluationChanged, this, &ComparePanel::schedule);
    connect(&document, &Document::currentChanged, both_, [this] { both_->setChecked(false); });
    connect(&document, &Document::timesChanged, this, &ComparePanel::schedule);
    whenReadingChanges(document, this, [this] {
        updateMeasured();
        compare();
    });
    connect(&measurements, &Measurements::currentChanged, both_, [this] { both_->setChecked(false); });
    schedule();
}

QWidget* ComparePanel::makeBar() {
    auto* bar = new QWidget;
    auto* layout = barLayout(bar);
    filter_->setPlaceholderText(tr("Filter"));
    filter_->setAccessibleName(tr("Filter the collectives"));
    filter_->setClearButtonEnabled(true);
    filter_->setMaximumWidth(filter_width);
    makeSearchField(*filter_);
    connect(filter_, &QLineEdit::textChanged, this,
            [this](const QString& text) { changeShownRows(*view_, [&] { rows_->setText(text); }); });
    connect(unchanged_, &QToolButton::toggled, this,
            [this](bool shown) { changeShownRows(*view_, [&] { rows_->setUnchangedShown(shown); }); });
    connect(both_, &QToolButton::toggled, this, [this](bool on) {
        const auto& steps = model_->steps();
        emit shownChanged(on && steps ? steps->shown : nullptr);
    });
    layout->addWidget(sides_->before());
    layout->addWidget(new QLabel(QStringLiteral("→")));
    layout->addWidget(sides_->after());
    layout->addWidget(step_);
    connect(step_, &StepChooser::changed, this, &ComparePanel::schedule);
    connect(times_, &QToolButton::clicked, this, [this](bool on) {
        emit timesWanted(on ? sides_->measurement(*sides_->after()) : nullptr);
        updateMeasured();  // checked when they have been read
    });
    layout->addWidget(both_);
    layout->addWidget(times_);
    layout->addStretch(1);
    layout->addWidget(unchanged_);
    layout->addWidget(filter_);
    return bar;
}

void ComparePanel::makeTable() {
    rows_->setSourceModel(model_);
    rows_->setSortRole(ComparisonModel::sort_role);
    view_->setModel(rows_);
    view_->setItemDelegate(new RowDelegate(view_));
    makeFlatTable(*view_, tr("Collectives that differ"));
    view_->setSortingEnabled(true);
    view_->header()->setSortIndicatorClearable(true);
    view_->header()->setSortIndicator(-1, Qt::AscendingOrder);  // by effect
    view_->header()->setStretchLastSection(true);
    view_->header()->setMinimumSectionSize(0);
    view_->installEventFilter(this);
    view_->viewport()->installEventFilter(this);
    connect(view_, &QTreeView::clicked, this, &ComparePanel::choose);
    connect(view_, &QTreeView::activated, this, &ComparePanel::choose);
    connect(model_, &QAbstractItemModel::modelReset, this, &ComparePanel::fitColumns);
    const auto say_again = sayWhenEmpty(*view_, [this] { return noRows(); });
    // Once they are applied.
    connect(filter_, &QLineEdit::textChanged, view_, say_again, Qt::QueuedConnection);
    connect(unchanged_, &QToolButton::toggled, view_, say_again, Qt::QueuedConnection);
}

QString ComparePanel::noRows() const {
    if (!model_->steps()) return {};
    if (model_->rowCount() == 0) return tr("Neither step has a collective");
    if (!filter_->text().trimmed().isEmpty())
        return unchanged_->isChecked() ? tr("No collective matches the filter")
                                       : tr("No collective that differs matches the filter");
    return tr("No collective differs; Unchanged lists them all");
}

void ComparePanel::updateMeasured() {
    const auto measurement = sides_->measurement(*sides_->after());
    step_->setMeasurement(measurement);
    times_->setVisible(measurement != nullptr);
    const bool in_use = measurement && document_.times() && document_.times()->files == measurement->files;
    // What is in use already can be taken back.
    const QString refused = !measurement || !another_job_.isEmpty() ? another_job_ : noTimesToUse(*measurement);
    setAvailable(*times_, !document_.isOpen() ? noGraphOpen(document_) : in_use ? QString() : refused);
    times_->setChecked(in_use);
}

ComparedSide ComparePanel::sideOf(const QComboBox& box) const {
    ComparedSide side;
    side.title = box.currentText();
    const int index = box.currentIndex();
    if ((side.measurement = sides_->measurement(box)) == nullptr) {
        const Variant& variant = document_.variant(index);
        side.graph = document_.graph();
        side.plan = variant.plan();
        side.times = document_.times();
        if (!variant.stale()) side.evaluation = variant.evaluation();
    }
    return side;
}

void ComparePanel::schedule() {
    updateMeasured();
    outdated_ = true;
    if (watch_.isSeen() || both_->isChecked()) waiting_.start(0);
}

void ComparePanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitSums();
}

/// In a low panel sums take no more than two lines, so that rows are seen; what needs more ends there in an ellipsis.
void ComparePanel::fitSums() {
    const bool low = height() < low_panel_height;
    sums_->setContentsMargins(8, 0, 8, low ? 2 : 6);
    const QRect room(0, 0, width() - 16, QWIDGETSIZE_MAX);
    const QFontMetrics metrics = sums_->fontMetrics();
    const int needed = metrics.boundingRect(room, Qt::TextWordWrap, sums_->text()).height();
    sums_->setWordWrap(!low || needed <= metrics.height() + metrics.lineSpacing());
}

void ComparePanel::compare() {
    outdated_ = false;
    if (!document_.isOpen())
        return showSteps(nullptr,
                         document_.loading() ? noGraphOpen(document_) : tr("Open a graph to compare plans of it"));
    const ComparedSide before = sideOf(*sides_->before());
    ComparedSide after = sideOf(*sides_->after());
    after.rank = step_->rank();
    after.step = step_->step();
    after.part = step_->description();
    if (sides_->before()->currentData() == sides_->after()->currentData())
        return showSteps(nullptr, tr("Choose two different steps, or open a trace of the job"));
    task_.start([this, before, after](std::stop_token stop) -> LatestTask::Delivery {
        try {
            auto steps = compareSteps(before, after, stop);
            if (!steps) return {};
            return [this, steps] { showSteps(steps, {}); };
        } catch (const AnotherJob& error) {
            return [this, reason = QString::fromUtf8(error.what())] {
                showSteps(nullptr, reason);
                another_job_ = reason;
                updateMeasured();
            };
        } catch (const std::exception& error) {
            return [this, reason = reasonOf(error)] { showSteps(nullptr, reason); };
        }
    });
}

void ComparePanel::showSteps(std::shared_ptr<const ComparedSteps> steps, const QString& refusal) {
    if (!steps) task_.cancel();
    if (!another_job_.isEmpty()) {
        another_job_.clear();
        updateMeasured();
    }
    model_->setSteps(steps);
    sums_->setText(shownName(steps ? comparisonSums(*steps) : refusal));
    sums_->setToolTip(sums_->text());
    fitSums();
    setAvailable(*both_, steps ? QString() : tr("There is no comparison to show"));
    if (both_->isChecked()) emit shownChanged(steps ? steps->shown : nullptr);
    markAgain();
}

QString ComparePanel::sums() const {
    return sums_->text();
}

void ComparePanel::choose(const QModelIndex& shown) {
    if (!shown.isValid()) return;
    const QScopedValueRollback choosing(choosing_, true);
    const auto steps = model_->steps();
    const int row = rows_->mapToSource(shown).row();
    remember(*steps->shown, steps->referenceAfter(steps->comparison.rows[static_cast<std::size_t>(row)]));
    emit rowChosen(steps, row);
}

void ComparePanel::markReference(const ShownTimeline& timeline, quint32 reference) {
    remember(timeline, reference);
    const auto& steps = model_->steps();
    if (steps) mark(steps->rowOf(timeline, reference));
}

/// Where it is an event of a measurement; collectives of plans are what is selected in the document.
void ComparePanel::remember(const ShownTimeline& timeline, quint32 reference) {
    event_of_.reset();
    event_ = no_reference;
    if (reference == no_reference) return;
    const ShownPart& part = timeline.partOf(reference);
    if (!part.measurement) return;
    event_of_ = part.measurement;
    event_ = reference - part.first_reference;
}

void ComparePanel::markAgain() {
    const auto& steps = model_->steps();
    const auto measurement = event_of_.lock();
    if (!steps || !measurement) return markSelected();
    const ShownPart& part = steps->shown->parts.back();
    mark(part.measurement == measurement ? steps->rowOf(*steps->shown, part.first_reference + event_) : std::nullopt);
}

/// The plan's collective that is selected in the document, by whatever view.
void ComparePanel::markSelected() {
    if (choosing_) return;
    event_of_.reset();  // what is selected is this, or nothing
    const auto& steps = model_->steps();
    const Selection& selection = document_.selection();
    if (!steps) return;
    mark(selection.kind() == Selection::Kind::node ? steps->rowOfNode(selection.node().toStdString()) : std::nullopt);
}

void ComparePanel::mark(std::optional<std::size_t> row) {
    const QModelIndex shown =
        row ? rows_->mapFromSource(model_->index(static_cast<int>(*row), ComparisonModel::name_column)) : QModelIndex();
    if (!shown.isValid()) return view_->selectionModel()->clear();
    view_->selectionModel()->setCurrentIndex(shown, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    view_->scrollTo(shown);
}

bool ComparePanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == view_->viewport() && event->type() == QEvent::Resize) fitColumns();
    if (watched == view_ && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        const QString sums = model_->steps() ? comparisonSums(*model_->steps()) : sums_->text();
        QApplication::clipboard()->setText(sums + u'\n' + tableText(*rows_));
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void ComparePanel::fitColumns() {
    const int width = view_->viewport()->width();
    for (int column = 0; column < ComparisonModel::remark_column; ++column) {
        int wanted = view_->header()->sectionSizeHint(column);
        for (int row = 0; row < std::min(measured_rows, rows_->rowCount()); ++row)
            wanted = std::max(wanted, view_->sizeHintForIndex(rows_->index(row, column)).width());
        if (column == ComparisonModel::name_column) wanted = std::min(wanted, static_cast<int>(width * widest_name));
        if (column == ComparisonModel::group_column) wanted = std::min(wanted, static_cast<int>(width * widest_group));
        view_->header()->resizeSection(column, wanted);
    }
}

}  // namespace overlap::ui
