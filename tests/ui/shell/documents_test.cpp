#include <QDirIterator>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QtTest>

#include "ui/shell/main_window.h"

namespace overlap::ui {
namespace {

/// As documents write a title: without mnemonic and dots.
QString plainTitle(QString title) {
    title.remove(u'&');
    while (title.endsWith(u'…')) title.chop(1);
    return title;
}

const QMenu* menuCalled(const QList<QAction*>& entries, const QString& title) {
    for (const QAction* entry : entries)
        if (entry->menu() && plainTitle(entry->text()) == title) return entry->menu();
    return nullptr;
}

/// The longest title of the menu that the text begins with and that no word goes on behind.
QString titleAt(const QMenu& menu, const QString& text) {
    QString longest;
    for (const QAction* entry : menu.actions()) {
        const QString title = plainTitle(entry->text());
        const bool goes_on = text.size() > title.size() && text[title.size()].isLetterOrNumber();
        if (text.startsWith(title) && !goes_on && title.size() > longest.size()) longest = title;
    }
    return longest;
}

bool hasEntry(const QMenu& menu, const QString& title) {
    for (const QAction* entry : menu.actions())
        if (plainTitle(entry->text()) == title || (entry->menu() && hasEntry(*entry->menu(), title))) return true;
    return false;
}

}  // namespace

/// What documents and sentences of the window call entries of menus.
class DocumentsTest : public QObject {
    Q_OBJECT

    /// What is wrong with each `Menu ▸ Entry`, `*Entry* in the menu Menu` and `*Menu*, *Entry*` of a text.
    QStringList wrongEntries(const QString& text) {
        QStringList wrong;
        const QList<QAction*> bar = window_.menuBar()->actions();
        static const QRegularExpression path(QStringLiteral("\\b(\\w+) ▸ ([^*\\n|]+)"));
        for (auto found = path.globalMatch(text); found.hasNext();) {
            const QRegularExpressionMatch match = found.next();
            const QMenu* menu = menuCalled(bar, match.captured(1));
            QString rest = match.captured(2);
            for (; menu; ++entries_) {
                const QString title = titleAt(*menu, rest);
                // What stands behind a path begins with a blank or a mark, and a name of the window may be left open.
                if (title.isEmpty() && !(rest.startsWith(u'%') || rest.startsWith(u"Show %")))
                    wrong.append(match.captured());
                rest = rest.mid(title.size());
                if (rest.startsWith(u'…')) rest.remove(0, 1);
                const bool goes_deeper = !title.isEmpty() && rest.startsWith(u" ▸ ");
                menu = goes_deeper ? menuCalled(menu->actions(), title) : nullptr;
                if (goes_deeper && !menu) wrong.append(match.captured());
                rest.remove(0, 3);
            }
        }
        static const QRegularExpression of_menu(QStringLiteral("\\*([^*]+)\\* (?:in|of) the menu (\\w+)"));
        static const QRegularExpression pair(QStringLiteral("\\*(\\w+)\\*, \\*([^*]+)\\*"));
        for (const auto& [form, menu_group] : {std::pair(&of_menu, 2), std::pair(&pair, 1)})
            for (auto found = form->globalMatch(text); found.hasNext();) {
                const QRegularExpressionMatch match = found.next();
                const QMenu* menu = menuCalled(bar, match.captured(menu_group));
                if (!menu) continue;
                ++entries_;
                if (!hasEntry(*menu, plainTitle(match.captured(3 - menu_group)))) wrong.append(match.captured());
            }
        return wrong;
    }

    static QString read(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

    MainWindow window_;
    int entries_ = 0;  ///< that were looked at

  private slots:
    void documentsCallEntriesOfMenusWhatTheyAreCalled() {
        const QString root = QStringLiteral(OVERLAP_TEST_DATA "/../../");
        QStringList pages{root + QStringLiteral("README.md")};
        for (const char* folder : {"docs", "core", "ui", "packaging"}) {
            QDirIterator all(root + QString::fromLatin1(folder), {QStringLiteral("*.md")}, QDir::Files,
                             QDirIterator::Subdirectories);
            while (all.hasNext()) pages.append(all.next());
        }
        entries_ = 0;
        QStringList wrong;
        for (const QString& page : pages)
            for (const QString& entry : wrongEntries(read(page).simplified()))
                wrong.append(page + QStringLiteral(": ") + entry);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
        QVERIFY(entries_ > 15);
    }

    void theWindowCallsEntriesOfMenusWhatTheyAreCalled() {
        static const QRegularExpression between(QStringLiteral("\"\\s*\""));
        QDirIterator sources(QStringLiteral(OVERLAP_TEST_DATA "/../../ui"), {QStringLiteral("*.cpp")}, QDir::Files,
                             QDirIterator::Subdirectories);
        entries_ = 0;
        QStringList wrong;
        while (sources.hasNext()) {
            const QString path = sources.next();
            for (const QString& entry : wrongEntries(read(path).remove(between)))
                wrong.append(path + QStringLiteral(": ") + entry);
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(u'\n')));
        QVERIFY(entries_ > 5);
    }

    void entriesThatAreNotThereAreFound() {
        for (const char* text : {"Plan ▸ Timings ▸ Cost model", "*Plan ▸ Times ▸ Cost modell…*", "File ▸ Export plans",
                                 "*Open example* in the menu File", "*File*, *Export*", "*Plan ▸ Close plan ▸ Now*"})
            QVERIFY2(!wrongEntries(QString::fromUtf8(text)).isEmpty(), text);
        for (const char* text :
             {"Plan ▸ Times ▸ Cost model… estimates them", "*File ▸ Export plan*: the plan",
              "*Attention density…* of the menu Plan", "*File*, *Export plan*", "Rules ▸ of a table"})
            QVERIFY2(wrongEntries(QString::fromUtf8(text)).isEmpty(), text);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::DocumentsTest)
#include "documents_test.moc"
