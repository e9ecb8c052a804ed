#include "ui/panels/problems_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>

#include "ui/document/document.h"
#include "ui/panels/problems_model.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme_manager.h"
#include "ui/widgets/cell_delegate.h"
#include "ui/widgets/empty_note.h"
#include "ui/widgets/severity_sign.h"

namespace overlap::ui {
namespace {

class ProblemDelegate : public CellDelegate {
  public:
    using CellDelegate::CellDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
        return {80, option.fontMetrics.height() + 9};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const QString shown = paintWithoutText(*painter, option, index).text;
        const Theme& theme = currentTheme();
        QRect area = option.rect.adjusted(8, 0, -8, 0);
        painter->save();
        if (index.column() == ProblemsModel::title_column) {
            const QRectF sign(area.left(), area.center().y() - severity_sign_size / 2.0 + 0.5, severity_sign_size,
                              severity_sign_size);
            paintSeveritySign(*painter, static_cast<Severity>(index.data(ProblemsModel::severity_role).toInt()), sign);
            area.setLeft(area.left() + severity_sign_size + 8);
        }
        painter->setPen(index.column() == ProblemsModel::fix_column       ? theme.accent
                        : index.column() == ProblemsModel::message_column ? theme.dim
                                                                          : theme.text);
        painter->setFont(option.font);
        const auto side = index.column() == ProblemsModel::fix_column ? Qt::AlignRight : Qt::AlignLeft;
        painter->drawText(area, side | Qt::AlignVCenter,
                          elidedName(option.fontMetrics, shown, Qt::ElideRight, area.width()));
        painter->restore();
    }
};

void addRows(QStringList& lines, const QAbstractItemModel& model, const QModelIndex& parent) {
    for (int row = 0; row < model.rowCount(parent); ++row) {
        QStringList cells;
        for (int column = 0; column < model.columnCount(parent); ++column)
            cells.append(model.index(row, column, parent).data(true_text_role).toString());
        lines.append(cells.join(u'\t'));
        addRows(lines, model, model.index(row, 0, parent));
    }
}

}  // namespace

ProblemsPanel::ProblemsPanel(Document& document, QWidget* parent)
    : QTreeView(parent), model_(new ProblemsModel(document, this)) {
    setModel(model_);
    setItemDelegate(new ProblemDelegate(this));
    setObjectName("problems");
    setAccessibleName(tr("Problems"));
    setHeaderHidden(true);
    setRootIsDecorated(false);
    setExpandsOnDoubleClick(false);  // one click has opened it
    setUniformRowHeights(true);
    setFrameShape(NoFrame);
    setMouseTracking(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    header()->setMinimumSectionSize(0);
    setAllColumnsShowFocus(true);
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(QHeaderView::Fixed);
    // What is not evaluated yet may have some.
    sayWhenEmpty(*this, [&document] { return document.evaluation() ? tr("No problem is known") : QString(); });
    connect(this, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        const bool on_fix = index.column() == ProblemsModel::fix_column && !index.data().toString().isEmpty();
        if (!on_fix || !fix(index)) follow(index);
    });
    connect(this, &QTreeView::activated, this, [this](const QModelIndex& index) {
        if (model_->problemAt(index)) follow(index);
    });
    connect(model_, &QAbstractItemModel::dataChanged, this, &ProblemsPanel::fitColumns);  // a fix may have been found
    connect(model_, &QAbstractItemModel::modelReset, this, [this] {
        setRootIsDecorated(model_->rowCount() < static_cast<int>(model_->problems().size()));
        fitColumns();
        emit countChanged(static_cast<std::size_t>(model_->rowCount()));
    });
}

void ProblemsPanel::follow(const QModelIndex& index) {
    if (const auto problem = model_->problemAt(index)) {
        model_->goTo(*problem);
    } else {
        const QModelIndex row = index.siblingAtColumn(0);
        setExpanded(row, !isExpanded(row));
    }
}

bool ProblemsPanel::fix(const QModelIndex& index) {
    if (const auto problem = model_->problemAt(index)) return model_->applyFix(*problem);
    return model_->applyFixOfSeveral(index);
}

void ProblemsPanel::keyPressEvent(QKeyEvent* event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && event->modifiers().testFlag(Qt::AltModifier) && currentIndex().isValid()) {
        fix(currentIndex());
    } else if (enter && currentIndex().isValid()) {
        follow(currentIndex());
    } else if (event->matches(QKeySequence::Copy)) {
        QApplication::clipboard()->setText(tableText(*model_));
    } else {
        QTreeView::keyPressEvent(event);
    }
}

void ProblemsPanel::mouseMoveEvent(QMouseEvent* event) {
    const QModelIndex index = indexAt(event->position().toPoint());
    const bool fix = index.column() == ProblemsModel::fix_column && !index.data().toString().isEmpty();
    viewport()->setCursor(fix ? Qt::PointingHandCursor : Qt::ArrowCursor);
    QTreeView::mouseMoveEvent(event);
}

void ProblemsPanel::resizeEvent(QResizeEvent* event) {
    QTreeView::resizeEvent(event);
    fitColumns();
}

void ProblemsPanel::showEvent(QShowEvent* event) {
    QTreeView::showEvent(event);
    model_->evaluateMoves(true);
}

void ProblemsPanel::hideEvent(QHideEvent* event) {
    QTreeView::hideEvent(event);
    model_->evaluateMoves(false);
}

void ProblemsPanel::fitColumns() {
    int title = 120;
    int fix = 0;
    const auto fit = [&](const QModelIndex& row, int level) {
        const auto wanted = [&](int column) {
            return fontMetrics().horizontalAdvance(row.siblingAtColumn(column).data().toString());
        };
        const int indent = rootIsDecorated() ? (level + 1) * indentation() : 0;
        title = std::max(title, wanted(ProblemsModel::title_column) + 44 + indent);
        fix = std::max(fix, wanted(ProblemsModel::fix_column) + 24);
    };
    for (int row = 0; row < model_->rowCount(); ++row) {
        const QModelIndex top = model_->index(row, ProblemsModel::title_column);
        fit(top, 0);
        for (int below = 0; below < model_->rowCount(top); ++below) fit(model_->index(below, 0, top), 1);
    }
    const int width = viewport()->width();
    title = std::min(title, width / 3);
    fix = std::min(fix, width / 3);
    header()->resizeSection(ProblemsModel::title_column, title);
    header()->resizeSection(ProblemsModel::message_column, std::max(0, width - title - fix));
    header()->resizeSection(ProblemsModel::fix_column, fix);
}

QString tableText(const QAbstractItemModel& model) {
    QStringList lines;
    QStringList cells;
    for (int column = 0; column < model.columnCount(); ++column)
        cells.append(model.headerData(column, Qt::Horizontal).toString());
    lines.append(cells.join(u'\t'));
    addRows(lines, model, {});
    return lines.join(u'\n');
}

}  // namespace overlap::ui
