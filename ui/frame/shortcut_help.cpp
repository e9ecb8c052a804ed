#include "ui/frame/shortcut_help.h"

#include <QTextBrowser>
#include <QVBoxLayout>

#include "ui/frame/actions.h"

namespace overlap::ui {
namespace {

QString row(const QString& keys, const QString& what) {
    return QStringLiteral(
               "<tr><td style='padding:2px 24px 2px 0'><code>%1</code></td><td style='padding:2px 0'>%2</td></tr>")
        .arg(keys.toHtmlEscaped(), what.toHtmlEscaped());
}

}  // namespace

ShortcutHelp::ShortcutHelp(const Actions& actions, QWidget* window) : QDialog(window) {
    setWindowTitle(tr("Keyboard shortcuts"));
    QStringList headings;
    QHash<QString, QString> rows;
    auto add = [&](const QString& heading, const QString& html) {
        if (!headings.contains(heading)) headings.append(heading);
        rows[heading] += html;
    };
    for (const Actions::Entry& entry : actions.entries()) {
        // Only the first binding: further ones are those of old keyboards (F14, a key for undo).
        if (const QString keys = entry.action->shortcut().toString(QKeySequence::NativeText); !keys.isEmpty())
            add(entry.menu, row(keys, entry.action->text().remove(u'&')));
    }
    for (const Actions::ViewKey& key : actions.viewKeys()) add(key.view, row(key.keys, key.what));
    // One table, so that what keys do stands in one column.
    QString html;
    for (const QString& heading : headings)
        html += QStringLiteral("<tr><td colspan='2' style='padding:12px 0 4px 0'><b>%1</b></td></tr>%2")
                    .arg(heading.toHtmlEscaped(), rows[heading]);

    auto* text = new QTextBrowser;
    text->setHtml(QStringLiteral("<table>%1</table>").arg(html));
    text->setAccessibleName(windowTitle());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(text);
    resize(520, 620);
}

}  // namespace overlap::ui
