#include "ui/theme/harmless_text.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QMenu>
#include <QToolTip>
#include <algorithm>

namespace overlap::ui {
namespace {

constexpr qsizetype longest_name = 1000;

bool takesNoRoom(QChar letter) {
    const ushort code = letter.unicode();
    return letter.category() == QChar::Other_Format || code == 0x2028 || code == 0x2029;
}

bool isHarmless(QChar letter) {
    return letter.category() != QChar::Other_Control && !takesNoRoom(letter);
}

QString sign(QChar letter) {
    const ushort code = letter.unicode();
    if (code == '\n') return QStringLiteral("⏎");
    if (code == '\t') return QStringLiteral("⇥");
    if (code < 0x20) return QChar(0x2400 + code);  // Unicode's pictures of control characters
    if (code == 0x7f) return QChar(0x2421);
    return QStringLiteral("⟨U+%1⟩").arg(QString::number(code, 16).toUpper().rightJustified(4, u'0'));
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
        if (!Qt::mightBeRichText(text)) return false;  // Qt shows it as well as we do
        QToolTip::showText(event->globalPos(), plainToolTip(text), widget);
        return true;
    }
};

}  // namespace

QString shownName(const QString& name) {
    if (name.size() <= longest_name && std::all_of(name.begin(), name.end(), isHarmless)) return name;
    QString shown;
    for (const QChar letter : QStringView(name).first(std::min(name.size(), longest_name)))
        shown += isHarmless(letter) ? QString(letter) : sign(letter);
    if (name.size() <= longest_name) return shown;
    if (shown.back().isHighSurrogate()) shown.chop(1);
    return shown + QStringLiteral("… (%1 characters)").arg(name.size());
}

void keepTextPlain() {
    const QString name = QStringLiteral("plainText");
    if (qApp->findChild<QObject*>(name, Qt::FindDirectChildrenOnly)) return;
    auto* filter = new PlainText(qApp);
    filter->setObjectName(name);
    qApp->installEventFilter(filter);
}

}  // namespace overlap::ui
