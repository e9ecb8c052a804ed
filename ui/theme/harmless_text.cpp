#include "ui/theme/harmless_text.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QFontMetricsF>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QMenu>
#include <QToolTip>
#include <algorithm>

#include "ui/theme/tool_tip_lines.h"

namespace overlap::ui {
namespace {

constexpr qsizetype longest_name = 1000;

/// Whether a character is seen as itself. Line breaks, other control characters, and what changes the direction of text
/// or takes no room are not.
bool isHarmless(char32_t letter) {
    switch (QChar::category(letter)) {
        case QChar::Other_Control:
        case QChar::Other_Format:
        case QChar::Separator_Line:
        case QChar::Separator_Paragraph:
            return false;
        default:
            return true;
    }
}

QString sign(char32_t letter) {
    if (letter == U'\n') return QStringLiteral("⏎");
    if (letter == U'\t') return QStringLiteral("⇥");
    return QStringLiteral("⟨U+%1⟩").arg(QString::number(letter, 16).toUpper().rightJustified(4, u'0'));
}

/// `text` with signs in place of what is not seen as itself.
QString withSigns(QStringView text) {
    QString shown;
    for (qsizetype at = 0; at < text.size(); ++at) {
        const bool is_pair = text[at].isHighSurrogate() && at + 1 < text.size() && text[at + 1].isLowSurrogate();
        const QStringView one = text.sliced(at, is_pair ? 2 : 1);
        const char32_t letter = is_pair ? QChar::surrogateToUcs4(one[0], one[1]) : char32_t{one[0].unicode()};
        if (isHarmless(letter)) {
            shown += one;
        } else {
            shown += sign(letter);
        }
        if (is_pair) ++at;
    }
    return shown;
}

/// Whether withSigns() would change nothing; letters of two halves are left to it.
bool isSeenAsItIs(const QString& text) {
    return std::ranges::all_of(text,
                               [](QChar letter) { return !letter.isSurrogate() && isHarmless(letter.unicode()); });
}

/// A tool tip is taken for HTML where it looks like it: one that does is written as HTML that shows it as it is.
QString plainToolTip(const QString& text) {
    return Qt::mightBeRichText(text)
               ? QStringLiteral("<qt>%1</qt>").arg(text.toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")))
               : text;
}

class PlainText : public QObject {
  public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Polish) {
            // Qt's own label for tool tips gets texts from below, and from views that write HTML of their own.
            auto* label = qobject_cast<QLabel*>(watched);
            if (label && label->textFormat() == Qt::AutoText && !label->inherits("QTipLabel"))
                label->setTextFormat(Qt::PlainText);
        } else if (event->type() == QEvent::ToolTip && watched->isWidgetType()) {
            return showToolTip(static_cast<QWidget*>(watched), static_cast<QHelpEvent*>(event));
        }
        return QObject::eventFilter(watched, event);
    }

  private:
    /// @returns false for widgets that have no tool tip, or one of their own making.
    static bool showToolTip(QWidget* widget, QHelpEvent* event) {
        QString text = widget->toolTip();
        const auto* view = qobject_cast<QAbstractItemView*>(widget->parentWidget());
        if (view && view->viewport() == widget && !qobject_cast<const QHeaderView*>(view))
            text = view->indexAt(event->pos()).data(Qt::ToolTipRole).toString();
        if (const auto* menu = qobject_cast<QMenu*>(widget))
            if (const QAction* action = menu->toolTipsVisible() ? menu->actionAt(event->pos()) : nullptr)
                text = action->toolTip();
        const QString lines = toolTipLines(text);
        if (lines == text && !Qt::mightBeRichText(text)) return false;  // Qt shows it as well as we do
        QToolTip::showText(event->globalPos(), plainToolTip(lines), widget);
        return true;
    }
};

}  // namespace

QString shownName(const QString& name) {
    if (name.size() <= longest_name) return isSeenAsItIs(name) ? name : withSigns(name);
    QStringView begin = QStringView(name).first(longest_name);
    if (begin.back().isHighSurrogate()) begin.chop(1);
    return withSigns(begin) + QStringLiteral("… (%1 characters)").arg(name.size());
}

QString shownLines(const QString& lines) {
    QStringList shown;
    for (const QString& line : lines.split(u'\n')) shown.append(shownName(line));
    return shown.join(u'\n');
}

QString shownInMenu(const QString& name) {
    return shownName(name).replace(u'&', QStringLiteral("&&"));
}

QString elidedName(const QFontMetricsF& metrics, const QString& name, Qt::TextElideMode mode, double width) {
    return metrics.elidedText(shownName(name), mode, width);
}

void keepTextPlain() {
    const QString name = QStringLiteral("plainText");
    if (qApp->findChild<QObject*>(name, Qt::FindDirectChildrenOnly)) return;
    auto* filter = new PlainText(qApp);
    filter->setObjectName(name);
    qApp->installEventFilter(filter);
}

}  // namespace overlap::ui
