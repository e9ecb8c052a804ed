#include "ui/measure/statistics_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QFileInfo>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QTreeView>
#include <QVBoxLayout>
#include <chrono>

#include "ui/document/document.h"
#include "ui/measure/measurements.h"
#include "ui/measure/simulated_plans.h"
#include "ui/panels/problems_panel.h"
#include "ui/theme/counted_text.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/cell_delegate.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/flat_table.h"

namespace overlap::ui {

namespace {

constexpr int cell_margin = 8;
constexpr int step_indent = 16;

/// Steps stand to the right of the GPU that they are of.
class StatisticsDelegate : public CellDelegate {
  public:
    using CellDelegate::CellDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QStyleOptionViewItem cell(option);
        initStyleOption(&cell, index);
        return {cell.fontMetrics.horizontalAdvance(cell.text) + indentOf(index) + 2 * cell_margin + 1,
                option.fontMetrics.height() + 9};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const QStyleOptionViewItem plain = paintWithoutText(*painter, option, index);
        const QRect area = option.rect.adjusted(cell_margin + indentOf(index), 0, -cell_margin, 0);
        painter->save();
        painter->setFont(plain.font);
        painter->setPen(index.data(Qt::ForegroundRole).value<QBrush>().color());
        painter->drawText(area, index.data(Qt::TextAlignmentRole).toInt(),
                          elidedName(plain.fontMetrics, plain.text, Qt::ElideRight, area.width()));
        painter->restore();
    }

  private:
    static int indentOf(const QModelIndex& index) {
        const bool is_step =
            index.column() == StatisticsModel::name_column && index.data(StatisticsModel::step_role).toBool();
        return is_step ? step_indent : 0;
    }
};

}  // namespace

StatisticsPanel::StatisticsPanel(Document& document, Measurements& measurements, QWidget* parent)
    : QWidget(parent),
      document_(document),
      measurements_(measurements),
      plans_(new SimulatedPlans(document, this)),
      model_(new StatisticsModel(this)),
      caption_(new ElidedLabel),
      view_(new QTreeView),
      refresh_(*this, std::chrono::milliseconds(0), [this] { update(); }) {
    setObjectName("statistics");
    setAccessibleName(tr("Statistics"));
    caption_->setObjectName("statisticsCaption");
    caption_->setProperty("role", "dim");
    caption_->setContentsMargins(cell_margin, 6, cell_margin, 6);
    view_->setModel(model_);
    view_->setItemDelegate(new StatisticsDelegate(view_));
    makeFlatTable(*view_, tr("Times of each GPU and step"));
    view_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    view_->installEventFilter(this);
    connect(view_, &QTreeView::clicked, this, &StatisticsPanel::choose);
    connect(view_, &QTreeView::activated, this, &StatisticsPanel::choose);
    setFocusProxy(view_);
    setFocusPolicy(Qt::StrongFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(caption_);
    layout->addWidget(view_, 1);
    for (const auto signal : {&Measurements::changed, &Measurements::currentChanged})
        connect(&measurements, signal, &refresh_, &SeenRefresh::schedule);
    connect(&measurements, &Measurements::changed, this, &StatisticsPanel::letGo);  // knows whether that waits
    for (const auto signal : {&Document::graphChanged, &Document::variantsChanged, &Document::planChanged,
                              &Document::evaluationChanged, &Document::timesChanged})
        connect(&document, signal, &refresh_, &SeenRefresh::schedule);
    connect(plans_, &SimulatedPlans::changed, &refresh_, &SeenRefresh::schedule);
    view_->hide();
    describe();
}

/// A measurement that was closed takes memory, and is not kept until the panel is seen again. Where it is seen, the
/// refresh that follows has what comes in its place, and nothing flickers.
void StatisticsPanel::letGo() {
    const auto& shown = model_->measurement();
    if (!shown || refresh_.waiting()) return;
    for (int index = 0; index < measurements_.count(); ++index)
        if (measurements_.at(index) == shown) return;
    model_->setRows(nullptr, {});
    view_->hide();
    describe();
}

bool StatisticsPanel::busy() const {
    return watch_.isSeen() && (refresh_.waiting() || plans_->busy());
}

void StatisticsPanel::update() {
    model_->setRows(measurements_.current() ? measurements_.current() : measurements_.last(), plans_->plans());
    view_->setVisible(model_->rowCount() > 0);
    describe();
}

void StatisticsPanel::describe() {
    const auto& shown = model_->measurement();
    const std::size_t missing = plans_->missing();
    QString rest = missing == 0   ? QString()
                   : missing == 1 ? tr(" · 1 plan not evaluated yet")
                                  : tr(" · %1 plans not evaluated yet").arg(missing);
    for (const QString& failure : plans_->failures()) rest.append(tr(" · not evaluated, %1").arg(shownName(failure)));
    if (!shown) {
        caption_->setText((model_->rowCount() > 0
                               ? tr("By the simulation; open a trace of a job to see how its GPUs used their time")
                               : tr("Open a trace of a job to see how its GPUs used their time")) +
                          rest);
        return caption_->setToolTip(caption_->text());
    }
    QStringList parts{shown->title};
    if (shown->traces.size() == 1) {
        parts.append(QFileInfo(shown->files.front()).fileName());
    } else {
        parts.append(tr("%1 ranks").arg(shown->traces.size()));
        parts.append(countedText(shown->aligned.matches.size(), tr("%1 collective that several have"),
                                 tr("%1 collectives that several have")));
    }
    caption_->setText(shownName(parts.join(QStringLiteral(" · "))) + rest);
    caption_->setToolTip(caption_->text() + u'\n' + shownLines(shown->files.join(u'\n')));
}

void StatisticsPanel::choose(const QModelIndex& row) {
    const TimeRange range = model_->range(row.row());
    if (range.length_ns() <= 0) return;
    if (const auto* plan = model_->planOf(row.row())) {
        const int variant = document_.indexOf(plan->key);
        measurements_.setCurrentIndex(-1);
        if (variant >= 0) document_.setCurrentIndex(variant);
    } else {
        for (int index = 0; index < measurements_.count(); ++index)
            if (measurements_.at(index) == model_->measurement()) measurements_.setCurrentIndex(index);
    }
    emit rangeWanted(range.begin_ns, range.end_ns);
}

bool StatisticsPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == view_ && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        QApplication::clipboard()->setText(tableText(*model_));
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace overlap::ui
