#include "ui/actions/plan_export.h"

#include <QFileDialog>
#include <QMenuBar>

#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/frame/actions.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/graph/graph_view.h"
#include "ui/mesh/mesh_view.h"
#include "ui/panels/log.h"
#include "ui/shell/files/export_controller.h"
#include "ui/shell/main_window.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

class PlanExportTest : public QObject {
    Q_OBJECT

    /// A window with the small graph and a plan of a bucket a block.
    static std::unique_ptr<MainWindow> openWindow() {
        auto window = std::make_unique<MainWindow>();
        window->show();
        window->openFiles({smallGraphFile()});
        if (!waitUntilIdle(*window)) return nullptr;
        BucketCommands(window->document()).addText(QStringLiteral("tok_embeddings, layers.[0-5], norm+lm_head"));
        return waitUntilIdle(*window) ? std::move(window) : nullptr;
    }

    static QByteArray read(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

  private slots:
    void everyFormatIsAnActionInTheFileMenu() {
        MainWindow window;
        const QMenu* exports = nullptr;
        for (const QAction* menu : window.menuBar()->actions()) {
            for (const QAction* action : menu->menu()->actions())
                if (action->menu() && action->text() == QStringLiteral("&Export plan")) exports = action->menu();
        }
        QVERIFY(exports);
        QCOMPARE(static_cast<std::size_t>(exports->actions().size()), export_formats().size());
        for (const ExportFormat& format : export_formats()) {
            const QAction* action =
                window.actions().find(QStringLiteral("export.%1").arg(QLatin1String(format.name.data())));
            QVERIFY2(action && exports->actions().contains(action), format.name.data());
        }
    }

    void theDialogProposesTheNamesOfGraphAndPlan() {
        const auto window = openWindow();
        QVERIFY(window);
        window->document().renameCurrent(QStringLiteral("Two / \"blocks\""));
        window->actions().find(QStringLiteral("export.report"))->trigger();
        auto* dialog = window->findChild<QFileDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        QCOMPARE(QFileInfo(dialog->selectedFiles().constFirst()).fileName(),
                 window->document().name() + QStringLiteral(".Two_blocks.report.html"));
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("chosen.report.html"));
        emit dialog->fileSelected(path);
        dialog->close();
        QVERIFY(waitUntilIdle(*window));
        QTRY_VERIFY(read(path).contains("Two / &quot;blocks&quot;"));
        QVERIFY(!window->workspace().notice().isVisible());
    }

    /// Another kind of file is another suffix of the same name.
    void pictureAndTimelineAreNamedAfterGraphAndPlan() {
        const auto window = openWindow();
        QVERIFY(window);
        window->document().renameCurrent(QStringLiteral("Two / \"blocks\""));
        const QString stem = window->document().name() + QStringLiteral(".Two_blocks");
        QStringList names;
        const auto lookAtDialog = [&names](const QString& filter) {
            QTimer::singleShot(0, qApp, [&names, filter] {
                auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
                QVERIFY(dialog);
                if (!filter.isEmpty()) emit dialog->filterSelected(filter);
                names.append(QFileInfo(dialog->selectedFiles().constFirst()).fileName());
                dialog->reject();
            });
        };
        lookAtDialog({});
        emit window->workspace().timeline().exportWanted(false);
        lookAtDialog(QStringLiteral("Table of events (*.csv)"));
        emit window->workspace().timeline().exportWanted(false);
        lookAtDialog({});
        window->actions().find(QStringLiteral("file.picture"))->trigger();
        // The graph's dialog does not wait.
        window->actions().find(QStringLiteral("graph.picture"))->trigger();
        auto* dialog = window->workspace().graphView().findChild<QFileDialog*>();
        QVERIFY(dialog);
        for (const char* filter : {"PNG picture (*.png)", "SVG drawing (*.svg)"}) {
            emit dialog->filterSelected(QLatin1String(filter));
            names.append(QFileInfo(dialog->selectedFiles().constFirst()).fileName());
        }
        dialog->close();
        lookAtDialog({});
        QTRY_VERIFY(window->workspace().mesh().comparison());
        for (QAction* action : window->findChildren<QAction*>())
            if (action->text().contains(QStringLiteral("Save as text or picture"))) action->trigger();
        QCOMPARE(names, (QStringList{stem + ".timeline.png", stem + ".timeline.csv", stem + ".png", stem + ".graph.png",
                                     stem + ".graph.svg", stem + ".redistribution.svg"}));
    }

    void everyFormatIsWrittenFromThePlanAsItStands() {
        const auto window = openWindow();
        QVERIFY(window);
        const QTemporaryDir folder;
        QStringList failures;
        connect(&window->exports().plan(), &PlanExport::failed, window.get(),
                [&](const QString& reason) { failures.append(reason); });
        for (const ExportFormat& format : export_formats()) {
            const QString path = folder.filePath(QString::fromLatin1(format.name.data()));
            window->exports().plan().write(format, path);
            QVERIFY(QTest::qWaitFor([&] { return !window->exports().plan().busy(); }, 30'000));
            // A plan of buckets has no step that Inductor's settings know.
            QCOMPARE(QFile::exists(path), format.name != "inductor");
        }
        QCOMPARE(failures.size(), 1);
        QVERIFY2(failures.front().contains(QStringLiteral("inductor")), qPrintable(failures.front()));
        QVERIFY(read(folder.filePath(QStringLiteral("graph_trainer"))).contains("\"layers.5\""));

        // An edit that has not been evaluated yet is in the export all the same.
        BucketCommands(window->document()).addText(QStringLiteral("layers.0.attention"));
        const QString table = folder.filePath(QStringLiteral("edited.csv"));
        window->exports().plan().write(require_export_format("buckets.csv"), table);
        QVERIFY(QTest::qWaitFor([&] { return !window->exports().plan().busy(); }, 30'000));
        QVERIFY(!read(table).isEmpty() || failures.size() == 2);
    }

    void whatAFormatCannotSayIsTold() {
        const auto window = openWindow();
        QVERIFY(window);
        const QTemporaryDir folder;
        window->exports().plan().write(require_export_format("fsdp2"), folder.filePath(QStringLiteral("prefetch.py")));
        QVERIFY(QTest::qWaitFor([&] { return !window->exports().plan().busy(); }, 30'000));
        QTRY_VERIFY(window->workspace().notice().isVisible());
    }

    void theBaselineAndBadPathsAreSentences() {
        const auto window = openWindow();
        QVERIFY(window);
        QStringList failures;
        connect(&window->exports().plan(), &PlanExport::failed, window.get(),
                [&](const QString& reason) { failures.append(reason); });
        window->exports().plan().write(require_export_format("report"), QStringLiteral("/no/such/folder/a.html"));
        QTRY_COMPARE(failures.size(), 1);
        QVERIFY2(failures.front().startsWith(QStringLiteral("/no/such/folder/a.html: it cannot be written: ")),
                 qPrintable(failures.front()));
        QVERIFY(window->workspace().notice().isVisible());
        window->document().setCurrentIndex(0);
        window->actions().find(QStringLiteral("export.report"))->trigger();
        QCOMPARE(failures.size(), 2);
        QVERIFY(!window->findChild<QFileDialog*>());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::PlanExportTest)
#include "plan_export_test.moc"
