#include "ui/passes/step_changes_view.h"

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
#include "ui/widgets/severity_sign.h"

namespace overlap::ui {
namespace {

/// Groups with more rows stay closed at first, so that those below them can be seen.
constexpr int most_open_rows = 200;
constexpr int row_padding = 6;
constexpr int narrowest_column = 70;  ///< of names, and of operators

class StepChangesDelegate : public CellDelegate {
  public:
    using CellDelegate::CellDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
        return {80, option.fontMetrics.height() + row_padding};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const QString shown = paintWithoutText(*painter, option, index).text;

        const Theme& theme = currentTheme();
        QRect area = option.rect.adjusted(4, 0, -8, 0);
        painter->save();
        if (const int severity = index.data(StepChangesModel::severity_role).toInt(); severity >= 0) {
            if (index.column() == StepChangesModel::name_column) {
                const QRectF sign(area.left(), area.center().y() - severity_sign_size / 2.0 + 0.5, severity_sign_size,
                                  severity_sign_size);
                paintSeveritySign(*painter, static_cast<Severity>(severity), sign);
                area.setLeft(area.left() + severity_sign_size + 8);
            }
        }
        const bool heading = !index.parent().isValid();
        const bool place = index.column() == StepChangesModel::place_column;
        painter->setFont(heading ? textFont(normalTextPx, QFont::DemiBold)
                         : place ? numberFont(smallTextPx)
                                 : option.font);
        painter->setPen(heading || index.column() == StepChangesModel::name_column ? theme.text : theme.dim);
        painter->drawText(
            area, (place ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter,
            elidedName(painter->fontMetrics(), shown, heading || place ? Qt::ElideNone : Qt::ElideRight, area.width()));
        painter->restore();
    }
};

}  // namespace

StepChangesView::StepChangesView(Document& document, StepChangesModel& model, QWidget* parent)
    : QTreeView(parent), document_(document), model_(model) {
    setModel(&model);
    setItemDelegate(new StepChangesDelegate(this));
    setObjectName("stepChanges");
    setAccessibleName(tr("What the step changed"));
    setFrameShape(NoFrame);
    setUniformRowHeights(true);
    setIndentation(14);
    setSelectionMode(ExtendedSelection);
    setAllColumnsShowFocus(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    header()->setStretchLastSection(false);
    header()->setMinimumSectionSize(0);
    header()->setSectionResizeMode(QHeaderView::Fixed);
    header()->setSectionsMovable(false);
    connect(this, &QTreeView::clicked, this, &StepChangesView::goTo);
    connect(&model, &QAbstractItemModel::modelReset, this, &StepChangesView::openHeadings);
}

void StepChangesView::openHeadings() {
    for (int row = 0; row < model_.rowCount(); ++row) {
        const QModelIndex heading = model_.index(row, 0);
        const int rows = model_.rowCount(heading);
        setExpanded(heading, rows <= most_open_rows);
        setFirstColumnSpanned(row, {}, true);
        for (int child = 0; child < rows && model_.problem(model_.index(child, 0, heading)); ++child)
            setFirstColumnSpanned(child, heading, true);
    }
    fitColumns();
}

void StepChangesView::fitColumns() {
    const int place = QFontMetrics(numberFont(smallTextPx)).horizontalAdvance(QStringLiteral("16 061 → 16 061")) + 16;
    const int rest = std::max(0, viewport()->width() - place);
    // Names before operators, and both before neither can be read.
    setColumnHidden(StepChangesModel::operator_column, rest < 2 * narrowest_column);
    if (isColumnHidden(StepChangesModel::operator_column)) {
        header()->resizeSection(StepChangesModel::name_column, rest);
        header()->resizeSection(StepChangesModel::place_column, place);
        return;
    }
    header()->resizeSection(StepChangesModel::name_column, rest / 2);
    header()->resizeSection(StepChangesModel::operator_column, rest - rest / 2);
    header()->resizeSection(StepChangesModel::place_column, place);
}

void StepChangesView::resizeEvent(QResizeEvent* event) {
    QTreeView::resizeEvent(event);
    fitColumns();
}

void StepChangesView::setNothing(const QString& sentence) {
    setAccessibleDescription(sentence);
    setHeaderHidden(!sentence.isEmpty());
    viewport()->update();
}

void StepChangesView::paintEvent(QPaintEvent* event) {
    QTreeView::paintEvent(event);
    if (model_.rowCount() > 0) return;
    QPainter painter(viewport());
    painter.setFont(textFont(normalTextPx));
    painter.setPen(currentTheme().dim);
    painter.drawText(viewport()->rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap,
                     accessibleDescription());
}

void StepChangesView::goTo(const QModelIndex& index) {
    const QModelIndex row = index.siblingAtColumn(StepChangesModel::name_column);
    if (const Problem* problem = model_.problem(row)) return goToProblem(document_, *problem);
    const QString node = row.data(StepChangesModel::node_role).toString();
    if (!node.isEmpty()) document_.selection().selectNode(node);
}

void StepChangesView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return goTo(currentIndex());
    if (!event->matches(QKeySequence::Copy)) return QTreeView::keyPressEvent(event);
    QStringList lines;
    for (const QModelIndex& row : selectionModel()->selectedRows()) {
        QStringList cells;
        for (int column = 0; column < model_.columnCount(); ++column)
            cells.append(row.siblingAtColumn(column).data(true_text_role).toString());
        lines.append(cells.join(u'\t'));
    }
    QApplication::clipboard()->setText(lines.join(u'\n'));
}

}  // namespace overlap::ui
