#include "ui/timeline/alive/alive_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/theme/counted_text.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme.h"
#include "ui/timeline/alive/alive_model.h"
#include "ui/widgets/availability.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_note.h"
#include "ui/widgets/flat_table.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/shown_rows.h"
#include "ui/widgets/table_delegate.h"

namespace overlap::ui {
namespace {

constexpr int filter_width = 200;
/// Of the view that columns of text may take at most: names, modules.
constexpr double widest_name = 0.32, widest_module = 0.3;
/// Rows whose widths are looked at; all would take too long where thousands are listed.
constexpr int measured_rows = 200;

/// Rows that have every word in one of their texts.
class WordFilter : public QSortFilterProxyModel {
  public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

    void setWords(const QString& words) {
        words_ = words.split(u' ', Qt::SkipEmptyParts);
        invalidateFilter();
    }

  protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
        return std::ranges::all_of(words_, [&](const QString& word) {
            for (int column = AliveModel::tensor_column; column < AliveModel::column_count; ++column)
                if (sourceModel()
                        ->index(row, column, parent)
                        .data(true_text_role)
                        .toString()
                        .contains(word, Qt::CaseInsensitive))
                    return true;
            return false;
        });
    }

  private:
    QStringList words_;
};

}  // namespace

AlivePanel::AlivePanel(QWidget* parent)
    : QWidget(parent),
      model_(new AliveModel(this)),
      shown_(new WordFilter(this)),
      caption_(new ElidedLabel),
      filter_(new QLineEdit),
      view_(new QTreeView) {
    setObjectName("alive");
    setAccessibleName(tr("Tensors alive at a moment"));
    caption_->setProperty("role", "dim");
    filter_->setPlaceholderText(tr("Filter by name or module"));
    filter_->setAccessibleName(tr("Filter what is alive"));
    filter_->setClearButtonEnabled(true);
    filter_->setFixedWidth(filter_width);
    makeSearchField(*filter_);
    shown_->setSourceModel(model_);
    shown_->setSortRole(AliveModel::sort_role);
    view_->setModel(shown_);
    sayWhenEmpty(*view_, [this] {
        return model_->rowCount() > 0 ? tr("No tensor matches the filter") : QString();  // else the caption says why
    });
    view_->setItemDelegate(new TableDelegate(view_));
    view_->setTextElideMode(Qt::ElideMiddle);  // names differ at their ends
    makeFlatTable(*view_, tr("Largest tensors alive"));
    view_->setSortingEnabled(true);
    view_->sortByColumn(AliveModel::size_column, Qt::DescendingOrder);
    view_->header()->setStretchLastSection(true);
    view_->header()->setMinimumSectionSize(0);
    view_->installEventFilter(this);
    view_->viewport()->installEventFilter(this);
    connect(view_->header(), &QHeaderView::sectionResized, this, [this](int column) {
        if (!fitting_ && column != AliveModel::until_column) sized_by_user_ = true;
    });
    auto* top = new QHBoxLayout;
    top->setContentsMargins(2 * gridPx, gridPx, 2 * gridPx, gridPx);
    top->setSpacing(2 * gridPx);
    top->addWidget(caption_, 1);
    top->addWidget(filter_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(top);
    layout->addWidget(view_, 1);
    setFocusProxy(view_);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& words) {
        changeShownRows(*view_, [&] { static_cast<WordFilter*>(shown_)->setWords(words); });
        describe();
    });
    connect(view_, &QTreeView::activated, this,
            [this](const QModelIndex& row) { emit chosen(model_->tensor(shown_->mapToSource(row).row()).reference); });
    describe();
}

void AlivePanel::showTensors(const AliveTensors& tensors, const QString& moment) {
    fill(tensors, moment);
    fitColumns();
}

void AlivePanel::fitColumns() {
    if (sized_by_user_) return;
    const QScopedValueRollback guard(fitting_, true);
    const int width = view_->viewport()->width();
    for (int column = 0; column < AliveModel::until_column; ++column) {
        const int heading = view_->header()->sectionSizeHint(column);
        int wanted = heading;
        for (int row = 0; row < std::min(measured_rows, shown_->rowCount()); ++row)
            wanted = std::max(wanted, view_->sizeHintForIndex(shown_->index(row, column)).width());
        if (column != AliveModel::size_column) {
            const double share = column == AliveModel::tensor_column ? widest_name : widest_module;
            wanted = std::min(wanted, std::max(heading, static_cast<int>(width * share)));
        }
        view_->header()->resizeSection(column, wanted);
    }
}

void AlivePanel::fill(const AliveTensors& tensors, const QString& moment) {
    moment_ = moment;
    model_->setTensors(tensors);
    if (shown_->rowCount() > 0) view_->setCurrentIndex(shown_->index(0, 0));
    describe();
}

void AlivePanel::showAgain(const AliveTensors& tensors, const QString& moment) {
    const auto nameAt = [this](int row) { return shown_->index(row, AliveModel::tensor_column).data().toString(); };
    const QModelIndex current = view_->currentIndex();
    const QString chosen = current.isValid() ? nameAt(current.row()) : QString();
    const int scrolled = view_->verticalScrollBar()->value();
    fill(tensors, moment);
    for (int row = 0; row < shown_->rowCount() && !chosen.isEmpty(); ++row)
        if (nameAt(row) == chosen) {
            view_->setCurrentIndex(shown_->index(row, 0));
            break;
        }
    view_->verticalScrollBar()->setValue(scrolled);
}

void AlivePanel::forget() {
    moment_.clear();
    model_->setTensors({});
    describe();
}

void AlivePanel::describe() {
    setAvailable(*filter_, moment_.isEmpty() ? tr("No moment is chosen: nothing is listed yet") : QString());
    if (moment_.isEmpty())
        return caption_->setText(tr("Click on the memory curve, or press M, to list what is alive then"));
    const AliveTensors& tensors = model_->tensors();
    QString text = tr("%1 in %2 at %3")
                       .arg(formatBytes(static_cast<double>(tensors.bytes)),
                            countedText(tensors.count, tr("%1 tensor"), tr("%1 tensors")), moment_);
    for (const QString& more : {tensors.plan, tensors.rule})
        if (!more.isEmpty()) text += QStringLiteral(" · ") + more;
    const auto listed = static_cast<qint64>(tensors.largest.size());
    if (listed < tensors.count) text += tr(" · the largest %1 are listed").arg(formatCount(listed));
    if (!filter_->text().trimmed().isEmpty()) {
        qint64 bytes = 0;
        for (int row = 0; row < shown_->rowCount(); ++row)
            bytes += model_->tensor(shown_->mapToSource(shown_->index(row, 0)).row()).bytes;
        text += tr(" · shown: %1 in %2").arg(formatBytes(static_cast<double>(bytes)), formatCount(shown_->rowCount()));
    }
    caption_->setText(shownName(text));
    caption_->setToolTip(caption_->text());
}

QString AlivePanel::caption() const {
    return caption_->text();
}

QString AlivePanel::text() const {
    QString text = QStringLiteral("bytes\ttensor\tmodule\tlast_used_by\n");
    for (int row = 0; row < shown_->rowCount(); ++row) {
        const AliveTensor& tensor = model_->tensor(shown_->mapToSource(shown_->index(row, 0)).row());
        text += QStringLiteral("%1\t%2\t%3\t%4\n")
                    .arg(QString::number(tensor.bytes), tensor.name, tensor.module, tensor.until);
    }
    return text;
}

bool AlivePanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == view_->viewport() && event->type() == QEvent::Resize) fitColumns();
    // The table itself would copy one cell.
    if (watched != view_ || event->type() != QEvent::KeyPress ||
        !static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy))
        return QWidget::eventFilter(watched, event);
    QGuiApplication::clipboard()->setText(text());
    return true;
}

}  // namespace overlap::ui
