#include "ui/shell/help_controller.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QSignalSpy>

#include "tests/ui/ui_test_support.h"
#include "ui/frame/actions.h"
#include "ui/frame/command_palette.h"
#include "ui/frame/shortcut_help.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

class HelpControllerTest : public QObject {
    Q_OBJECT

    struct Fixture {
        std::unique_ptr<Document> document = openDocument();
        QWidget window;
        Actions actions{&window};
        HelpController help{actions, *document, window};

        Fixture() {
            help.registerActions();
            window.show();
        }
        void trigger(const char* id) { actions.find(QString::fromLatin1(id))->trigger(); }
    };

  private slots:
    /// The programs that the window starts are asked first, so the text comes later.
    void diagnosticsSayWhatIsOpenAndWhereTheSessionIs() {
        Fixture fixture;
        fixture.help.setSessionFolder("/kept/here");
        QSignalSpy told(&fixture.help, &NoticeSource::told);
        fixture.trigger("help.diagnostics");
        QTRY_VERIFY_WITH_TIMEOUT(!told.isEmpty() && told.back()[0].toString() == "Diagnostics were copied", 30'000);
        const QString text = QGuiApplication::clipboard()->text();
        const QString nodes = formatCount(fixture.document->graph()->node_count());
        QVERIFY2(text.contains(QStringLiteral("a graph of %1 nodes, 1 plan").arg(nodes)), qPrintable(text));
        QVERIFY2(!text.contains("1 plans"), qPrintable(text));
        QVERIFY2(text.contains("/kept/here"), qPrintable(text));
    }

    void thePaletteOpensOverItsWindow() {
        Fixture fixture;
        QVERIFY(!fixture.help.palette().isVisible());
        fixture.trigger("help.palette");
        QVERIFY(fixture.help.palette().isVisible());
        QCOMPARE(fixture.help.palette().window(), &fixture.window);
    }

    void theListOfShortcutsIsGoneOnceItIsClosed() {
        Fixture fixture;
        fixture.trigger("help.shortcuts");
        const QPointer<ShortcutHelp> list = fixture.window.findChild<ShortcutHelp*>();
        QVERIFY(list && list->isVisible());
        list->close();
        QTRY_VERIFY(!list);
    }

    void keysThatViewsHandleAreListed() {
        const Fixture fixture;
        QStringList views;
        for (const Actions::ViewKey& key : fixture.actions.viewKeys()) views.append(key.view);
        for (const char* view : {"Modules", "Buckets", "Process groups", "Problems"})
            QVERIFY2(views.contains(QLatin1String(view)), view);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::HelpControllerTest)
#include "help_controller_test.moc"
