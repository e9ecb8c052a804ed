#include "ui/timeline/alive/alive_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSortFilterProxyModel>
#include <QTreeView>
#include <QVBoxLayout>

#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme.h"
#include "ui/timeline/alive/alive_model.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/search_field.h"

namespace overlap::ui {
namespace {

constexpr int filter_width = 200;

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
    view_->setAccessibleName(tr("Largest tensors alive"));
    view_->setRootIsDecorated(false);
    view_->setUniformRowHeights(true);
    view_->setAllColumnsShowFocus(true);
    view_->setFrameShape(QFrame::NoFrame);
    view_->setSortingEnabled(true);
    view_->sortByColumn(AliveModel::size_column, Qt::DescendingOrder);
    view_->header()->setStretchLastSection(true);
    view_->installEventFilter(this);
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
        static_cast<WordFilter*>(shown_)->setWords(words);
        describe();
    });
    connect(view_, &QTreeView::activated, this,
            [this](const QModelIndex& row) { emit chosen(model_->tensor(shown_->mapToSource(row).row()).reference); });
    describe();
}

void AlivePanel::showTensors(const AliveTensors& tensors, const QString& moment) {
    fill(tensors, moment);
    for (int column = 0; column + 1 < AliveModel::column_count; ++column) view_->resizeColumnToContents(column);
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
    filter_->setEnabled(!moment_.isEmpty());
    if (moment_.isEmpty())
        return caption_->setText(tr("Click on the memory curve, or press M, to list what is alive then"));
    const AliveTensors& tensors = model_->tensors();
    QString text =
        tr("%1 in %2 tensors at %3 · %4")
            .arg(formatBytes(static_cast<double>(tensors.bytes)), formatCount(tensors.count), moment_, tensors.rule);
    const auto listed = static_cast<qint64>(tensors.largest.size());
    if (listed < tensors.count) text += tr(" · the largest %1 are listed").arg(formatCount(listed));
    if (!filter_->text().trimmed().isEmpty()) {
        qint64 bytes = 0;
        for (int row = 0; row < shown_->rowCount(); ++row)
            bytes += model_->tensor(shown_->mapToSource(shown_->index(row, 0)).row()).bytes;
        text += tr(" · shown: %1 in %2").arg(formatBytes(static_cast<double>(bytes)), formatCount(shown_->rowCount()));
    }
    caption_->setText(shownName(text));
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

/// The table itself would copy one cell.
bool AlivePanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress || !static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy))
        return QWidget::eventFilter(watched, event);
    QGuiApplication::clipboard()->setText(text());
    return true;
}

}  // namespace overlap::ui
