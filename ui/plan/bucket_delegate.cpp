#include "ui/plan/bucket_delegate.h"

#include <QPainter>
#include <QPainterPath>

#include "ui/plan/bucket_view.h"
#include "ui/plan/drop_preview.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr double radius = 4;

void paintElided(QPainter& painter, const QRect& area, int flags, const QString& text,
                 Qt::TextElideMode mode = Qt::ElideRight) {
    painter.drawText(area, flags, elidedName(painter.fontMetrics(), text, mode, area.width()));
}

bool warns(const QModelIndex& index) {
    return index.data(BucketModel::severity_role).toInt() >= static_cast<int>(Severity::caution);
}

QString warningSign() {
    return QStringLiteral("▲ ");
}

}  // namespace

BucketDelegate::BucketDelegate(BucketView& view) : QStyledItemDelegate(&view), view_(view) {}

CardGeometry BucketDelegate::geometry(const QRect& row, const QModelIndex& index) const {
    const DropPreview& preview = view_.preview();
    QString told;
    if (preview.active() && preview.target() == index.row())
        told = preview.refusal().isEmpty() ? preview.roomText() : shownName(preview.refusal());
    const bool all_chips = view_.currentIndex() == index;
    CardHeading heading{
        (warns(index) ? warningSign() : QString()) + index.data(BucketModel::title_role).toString(),
        {index.data(BucketModel::figures_role).toString(), index.data(BucketModel::sum_role).toString()}};
    if (const QString time = index.data(BucketModel::time_role).toString(); !time.isEmpty())
        heading.figures.append(time);
    return layOutCard(row, heading, view_.buckets().chips(index.row()), all_chips, told);
}

QSize BucketDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
    const int width = view_.viewport()->width();
    return {width, geometry(QRect(0, 0, width, 0), index).height};
}

void BucketDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                          const QModelIndex& index) const {
    const CardGeometry card = geometry(option.rect, index);
    editor->setGeometry(QRect(card.title.left() - 8, card.title.top() - 4, card.card.right() - card.title.left(),
                              card.title.height() + 8));
}

void BucketDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme& theme = currentTheme();
    const CardGeometry card = geometry(option.rect, index);
    const DropPreview& preview = view_.preview();
    const bool target = preview.active() && preview.target() == index.row();
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const bool hovered = option.state.testFlag(QStyle::State_MouseOver);

    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    QColor edge = hovered ? theme.faint : theme.line;
    if (selected) edge = theme.accent;
    if (target) edge = preview.refusal().isEmpty() ? theme.accent : theme.caution;
    QPainterPath outline;
    outline.addRoundedRect(QRectF(card.card).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    painter->fillPath(outline, selected || target ? blended(theme.raised, theme.accent, 0.08) : theme.raised);
    painter->save();
    painter->setClipPath(outline);
    painter->fillRect(card.mark, theme.bucket(index.data(BucketModel::hue_role).toUInt()));
    painter->restore();
    painter->setPen(QPen(edge, selected || target ? 1.5 : 1));
    painter->drawPath(outline);

    painter->setFont(textFont(largeTextPx, QFont::DemiBold));
    painter->setPen(theme.text);
    QRect title = card.title;
    if (warns(index)) {
        const bool error = index.data(BucketModel::severity_role).toInt() == static_cast<int>(Severity::error);
        painter->setPen(error ? theme.exposed : theme.caution);
        painter->drawText(title, Qt::AlignVCenter, warningSign());
        title.setLeft(title.left() + painter->fontMetrics().horizontalAdvance(warningSign()));
        painter->setPen(theme.text);
    }
    // The ends distinguish titles: most have equal beginnings and end in a number.
    paintElided(*painter, title, Qt::AlignVCenter, index.data(BucketModel::title_role).toString(), Qt::ElideMiddle);
    painter->setFont(numberFont(smallTextPx));
    painter->setPen(selected || target ? theme.asText(theme.dim) : theme.dim);
    painter->drawText(card.figures, Qt::AlignVCenter | Qt::AlignRight, card.figures_text);
    paintChips(*painter, card, index);
    paintBar(*painter, card, index);
    if (target) paintPreview(*painter, card);
    painter->restore();
}

void BucketDelegate::paintChips(QPainter& painter, const CardGeometry& geometry, const QModelIndex& index) const {
    const Theme& theme = currentTheme();
    painter.setFont(textFont(smallTextPx));
    const auto& chips = view_.buckets().chips(index.row());
    for (const CardGeometry::ChipPlace& place : geometry.chips) {
        const bool own = place.chip >= 0 && chips[static_cast<std::size_t>(place.chip)].own;
        const bool marked = view_.currentIndex() == index && place.chip >= 0 && place.chip == view_.currentChip();
        painter.setPen(QPen(marked ? theme.accent : theme.line, marked ? 1.5 : 1));
        painter.setBrush(own ? theme.background : QColor(Qt::transparent));
        painter.drawRoundedRect(QRectF(place.area).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
        painter.setPen(own ? theme.text : theme.asText(theme.dim));
        painter.drawText(place.area, Qt::AlignCenter, place.label);
    }
}

void BucketDelegate::paintBar(QPainter& painter, const CardGeometry& geometry, const QModelIndex& index) const {
    const double exposed = index.data(BucketModel::exposed_role).toDouble();
    const Theme& theme = currentTheme();
    const QRectF bar(geometry.bar);
    const double round = bar.height() / 2;
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.line);
    painter.drawRoundedRect(bar, round, round);
    if (exposed < 0) return;
    QPainterPath shape;
    shape.addRoundedRect(bar, round, round);
    painter.save();
    painter.setClipPath(shape);
    // Hidden communication is there, but calm; what is exposed is in full colour and hatched.
    const double exposed_width = bar.width() * exposed;
    painter.fillRect(bar, blended(theme.raised, theme.hidden, 0.55));
    const QRectF stopped(bar.left(), bar.top(), exposed_width, bar.height());
    painter.fillRect(stopped, theme.exposed);
    painter.fillRect(stopped, QBrush(blended(theme.exposed, theme.background, 0.4), Qt::BDiagPattern));
    painter.restore();
}

void BucketDelegate::paintPreview(QPainter& painter, const CardGeometry& geometry) const {
    const Theme& theme = currentTheme();
    const DropPreview& preview = view_.preview();
    painter.setFont(textFont(smallTextPx));
    if (!preview.refusal().isEmpty()) {
        painter.setPen(theme.asText(theme.caution));
        painter.drawText(geometry.preview, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                         shownName(preview.refusal()));
        return;
    }
    constexpr int wrapped = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;
    const QString text = shownLines(preview.figures());
    QRect weight, outcome;
    painter.setPen(theme.asText(theme.accent));
    painter.drawText(geometry.preview, wrapped, text.section(u'\n', 0, 0), &weight);
    painter.setPen(theme.asText(preview.improvement() > 0   ? theme.hidden
                                : preview.improvement() < 0 ? theme.exposed
                                                            : theme.dim));
    const QRect below = geometry.preview.adjusted(0, weight.height(), 0, 0);
    painter.drawText(below, wrapped, text.section(u'\n', 1), &outcome);
    painter.setPen(theme.asText(theme.dim));
    painter.drawText(below.adjusted(0, outcome.height(), 0, 0), wrapped, shownLines(preview.remark()));
}

}  // namespace overlap::ui
