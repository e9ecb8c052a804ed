#include "ui/plan/bucket_board.h"

#include <QApplication>
#include <QClipboard>
#include <QCompleter>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <algorithm>

#include "tests/ui/plan/shown_board.h"
#include "tests/ui/ui_test_support.h"
#include "ui/document/module_mime.h"
#include "ui/edits/automatic_commands.h"
#include "ui/edits/bucket_commands.h"
#include "ui/plan/bucket_delegate.h"
#include "ui/plan/bucket_view.h"
#include "ui/plan/drop_preview.h"

namespace overlap::ui {

/// The cards of a plan: typed, completed, changed by keys, selected.
class BucketBoardTest : public ShownBoard {
    Q_OBJECT

    /// What is said below the field; empty where nothing is.
    QString said() const {
        for (const QLabel* label : board_->findChildren<QLabel*>())
            if (label->property("role") == QStringLiteral("caution") && label->isVisible()) return label->text();
        return {};
    }
    bool saysWhy() const { return !said().isEmpty(); }

  private slots:
    void init() { open(); }
    void cleanup() { close(); }

    void typedEntriesBecomeCards() {
        QTest::keyClicks(board_->entryField(), "layers.[0-2]");
        QTest::keyClick(board_->entryField(), Qt::Key_Return);
        QCOMPARE(plan(), "layers.0 layers.1 layers.2");
        QVERIFY(board_->entryField()->text().isEmpty());
        QSignalSpy refused(board_.get(), &BucketBoard::refused);
        QTest::keyClicks(board_->entryField(), "layers.[0-");
        QTest::keyClick(board_->entryField(), Qt::Key_Return);
        QCOMPARE(refused.count(), 1);
        QCOMPARE(board_->entryField()->text(), "layers.[0-");  // what was typed stays, to be mended
        QCOMPARE(plan(), "layers.0 layers.1 layers.2");
    }

    void whatIsInACardAlreadyStaysThereAndTheRestIsTaken() {
        const auto type = [&](const char* text) {
            QTest::keyClicks(board_->entryField(), text);
            QTest::keyClick(board_->entryField(), Qt::Key_Return);
        };
        type("layers.1+layers.4");
        QSignalSpy told(board_.get(), &BucketBoard::refused);
        type("layers.[0-2]");
        QCOMPARE(plan(), "layers.1+layers.4 layers.0 layers.2");
        QCOMPARE(told.count(), 1);
        QCOMPARE(told.back().front().toString(),
                 QStringLiteral("layers.1 stays where it is: layers.1 is in bucket layers.1 + layers.4 already"));
        QVERIFY(saysWhy());
        QVERIFY(board_->entryField()->text().isEmpty());
        QCOMPARE(document_->undoGroup().undoText(), QStringLiteral("Add layers.0 and layers.2"));
        type("layers.2.attention+layers.3, layers.0");
        QCOMPARE(plan(), "layers.1+layers.4 layers.0 layers.2 layers.3");
        QVERIFY(told.back().front().toString().startsWith(
            QStringLiteral("2 of them stay where they are: layers.2.attention is in bucket layers.2 already")));
        QVERIFY(saysWhy());
        document_->undoGroup().undo();
        QVERIFY2(!saysWhy(), "what was left out of an edit is told no longer than that is there");
        QCOMPARE(plan(), "layers.1+layers.4 layers.0 layers.2");
        // Beside a name that no module has.
        type("layers.0, nrom");
        QCOMPARE(plan(), "layers.1+layers.4 layers.0 layers.2 nrom");
        const QString both = told.back().front().toString();
        QVERIFY2(both.contains("is called nrom") && both.contains("\nlayers.0 stays where it is"), qPrintable(both));
        // Of nothing that can be taken the text stays.
        type("layers.[1-2]");
        QCOMPARE(plan(), "layers.1+layers.4 layers.0 layers.2 nrom");
        QCOMPARE(board_->entryField()->text(), "layers.[1-2]");
        QVERIFY(
            told.back().front().toString().startsWith(QStringLiteral("All of them are in buckets already: layers.1")));
    }

    void whatIsLeftOutAndWhatIsUnknownAreToldInTwoLines() {
        QSignalSpy told(board_.get(), &BucketBoard::refused);
        for (const char* text : {"layers.1", "layers.[0-1], layers.99"}) {
            QTest::keyClicks(board_->entryField(), text);
            QTest::keyClick(board_->entryField(), Qt::Key_Return);
        }
        const QStringList lines = said().split(u'\n');
        QVERIFY2(lines.size() == 2, qPrintable(said()));
        QVERIFY2(lines[0].startsWith("No module of this graph is called layers.99"), qPrintable(lines[0]));
        QVERIFY2(lines[1].contains("layers.1"), qPrintable(lines[1]));
        QCOMPARE(told.back().front().toString(), said());
    }

    /// Also where a window is too low for the Inspector and Problems.
    void aNameThatNoModuleHasIsToldWhereItWasTyped() {
        QSignalSpy told(board_.get(), &BucketBoard::refused);
        QTest::keyClicks(board_->entryField(), "layers.[0-1]");
        QTest::keyClick(board_->entryField(), Qt::Key_Return);
        QCOMPARE(told.count(), 0);
        QTest::keyClicks(board_->entryField(), "layers.99");
        QTest::keyClick(board_->entryField(), Qt::Key_Return);
        QCOMPARE(plan(), "layers.0 layers.1 layers.99");
        QCOMPARE(told.count(), 1);
        QTest::keyClicks(board_->entryField(), "layers.[40-43]");
        QTest::keyClick(board_->entryField(), Qt::Key_Return);
        // As of a stage of a job that has the graph of another stage.
        const QString ignored = QStringLiteral("No module of this graph is called %1, and PyTorch ignores such names");
        const QString there = QStringLiteral("; it has layers.[0-5]");
        QCOMPARE(told.back().front().toString(), ignored.arg("layers.[40-43]") + there);
        QCOMPARE(told[0][0].toString(), ignored.arg("layers.99") + there);
        QTest::keyClicks(board_->entryField(), "nrom");
        QTest::keyClick(board_->entryField(), Qt::Key_Return);
        QCOMPARE(told.back().front().toString(), ignored.arg("nrom") + "; nearest: norm");
        const auto figures = [&](int row) {
            return view().buckets().index(row).data(BucketModel::figures_role).toString();
        };
        QCOMPARE(figures(2), "matches no module");
        QVERIFY(figures(1).startsWith("AG "));
        // And no longer than it is so.
        QVERIFY(saysWhy());
        document_->current()->undoStack().undo();
        QVERIFY(plan().endsWith("layers.43") && !plan().contains("nrom"));
        QVERIFY(!saysWhy());
    }

    void aRefusalIsOfThePlanThatWasShown() {
        QTest::keyClicks(board_->entryField(), "layers.[0-");
        QTest::keyClick(board_->entryField(), Qt::Key_Return);
        QVERIFY(saysWhy());
        document_->addNew(document_->loaded().empty_plan);
        QVERIFY(!saysWhy());
    }

    void whatIsTypedIsCompletedToModules() {
        const ModuleTree& modules = document_->modules();
        const QAbstractItemModel* paths = board_->entryField()->completer()->model();
        QTRY_COMPARE(paths->rowCount(), static_cast<int>(modules.module_count()) - 1);
        QString before;
        for (int row = 0; row < paths->rowCount(); ++row) {
            const QString path = paths->index(row, 0).data(Qt::EditRole).toString();
            QVERIFY(modules.find(path.toStdString()) != ModuleTree::no_module);
            QVERIFY(before.compare(path, Qt::CaseInsensitive) < 0);  // which bisection needs
            before = path;
        }
        QTest::keyClicks(board_->entryField(), "LAYERS.1");
        const QAbstractItemModel* offered = board_->entryField()->completer()->completionModel();
        QVERIFY(offered->rowCount() > 0 && offered->rowCount() < paths->rowCount());
        QVERIFY(offered->index(0, 0).data().toString().startsWith("layers.1"));
    }

    void keysDoWhatTheMouseDoes() {
        start("layers.0\nlayers.1+layers.2\nlayers.3");
        view().setCurrentIndex(view().buckets().index(0));
        view().moveCurrent(1);
        QCOMPARE(plan(), "layers.1+layers.2 layers.0 layers.3");
        QCOMPARE(view().currentIndex().row(), 1);
        view().setCurrentIndex(view().buckets().index(0));
        QTest::keyClick(&view(), Qt::Key_Right);
        QTest::keyClick(&view(), Qt::Key_Right);
        QCOMPARE(view().currentChip(), 1);
        QTest::keyClick(&view(), Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(plan(), "layers.2+layers.1 layers.0 layers.3");
        QCOMPARE(view().currentChip(), 0);
        view().copySelected();
        QCOMPARE(modulesOf(QApplication::clipboard()->mimeData()), QStringList("layers.2"));
        view().setCurrentIndex(view().buckets().index(2));
        view().paste();
        QCOMPARE(plan(), "layers.1 layers.0 layers.3+layers.2");
        view().setCurrentIndex(view().buckets().index(2));
        view().splitCurrent();
        QCOMPARE(plan(), "layers.1 layers.0 layers.3 layers.2");
        QSignalSpy refused(board_.get(), &BucketBoard::refused);
        view().mergeSelected();
        QCOMPARE(plan(), "layers.1 layers.0 layers.3 layers.2");
        QCOMPARE(refused.count(), 1);
        view().selectAll();
        view().mergeSelected();
        QCOMPARE(plan(), "layers.1+layers.0+layers.3+layers.2");
        view().removeSelected();
        QCOMPARE(plan(), "");
    }

    void selectionIsShared() {
        start("layers.0\nlayers.1");
        document_->selection().selectModule("layers.1.attention");
        QCOMPARE(view().currentIndex().row(), 1);
        view().setCurrentIndex(view().buckets().index(0));
        QCOMPARE(document_->selection().kind(), Selection::Kind::bucket);
        QCOMPARE(document_->selection().bucket(), 0);
        const auto chip = view().buckets().chips(1).front();
        auto* delegate = static_cast<BucketDelegate*>(view().itemDelegate());
        const QModelIndex index = view().buckets().index(1);
        const QPoint at = delegate->geometry(view().visualRect(index), index).chips.front().area.center();
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, at);
        QCOMPARE(document_->selection().module(), chip.path);
        document_->selection().selectModules({"norm", "layers.1.attention", "layers.0"});
        QCOMPARE(view().selectedBuckets(), (std::vector<int>{0, 1}));
        QCOMPARE(document_->selection().kind(), Selection::Kind::modules);
        // Beside all cards: nothing is selected, here and in other views.
        document_->selection().selectBucket(0);
        QCOMPARE(view().selectedBuckets(), std::vector<int>{0});
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {},
                          view().viewport()->rect().bottomLeft() + QPoint(30, -5));
        QVERIFY(view().selectedBuckets().empty());
        QCOMPARE(document_->selection().kind(), Selection::Kind::nothing);
    }

    /// As while an edit is undone by its keys.
    void oneCardIsSelectedAlsoWhileCtrlIsHeld() {
        start("layers.0\nlayers.1\nlayers.2");
        document_->selection().selectBucket(2);
        QWindow* const window = view().window()->windowHandle();
        QTest::keyPress(window, Qt::Key_Control, Qt::ControlModifier);
        QVERIFY(QGuiApplication::keyboardModifiers().testFlag(Qt::ControlModifier));
        document_->selection().selectBucket(1);
        QCOMPARE(view().selectedBuckets(), std::vector<int>{1});
        QTest::keyRelease(window, Qt::Key_Control);
    }

    /// Deleted, or taken back; another bucket does not take its place in the selection, and it comes back with its
    /// card.
    void whatIsSelectedGoesWithItsCard() {
        start("layers.0\nlayers.1\nlayers.2");
        const Selection& selection = document_->selection();
        for (const int row : {0, 1, 2}) {
            QTest::mouseClick(view().viewport(), Qt::LeftButton, {},
                              view().visualRect(view().buckets().index(row)).topLeft() + QPoint(8, 8));
            QCOMPARE(selection.kind(), Selection::Kind::bucket);
            QCOMPARE(selection.bucket(), row);
            view().removeSelected();
            QCOMPARE(document_->buckets().size(), 2u);
            QCOMPARE(selection.kind(), Selection::Kind::nothing);
            QVERIFY(view().selectedBuckets().empty());
            document_->current()->undoStack().undo();
            QCOMPARE(selection.kind(), Selection::Kind::bucket);
            QCOMPARE(selection.bucket(), row);
            QCOMPARE(view().selectedBuckets(), std::vector<int>{row});
        }
        // Not where something else was selected meanwhile, here or in another plan.
        view().removeSelected();
        document_->selection().selectModule("norm");
        document_->current()->undoStack().undo();
        QCOMPARE(selection.module(), QStringLiteral("norm"));
        document_->selection().selectBucket(2);
        view().removeSelected();
        document_->addCopyOfCurrent();
        document_->editBuckets("again", {{{"layers.2"}, false, {}}});
        QCOMPARE(selection.kind(), Selection::Kind::nothing);
        document_->setCurrentIndex(1);
        document_->current()->undoStack().undo();
        QCOMPARE(selection.bucket(), 2);
        // One before it is deleted: its card and the selection move together.
        view().setCurrentIndex(view().buckets().index(2));
        QCOMPARE(selection.bucket(), 2);
        BucketCommands(*document_).remove({0});
        QCOMPARE(selection.bucket(), 1);
        QCOMPARE(view().currentIndex().row(), 1);
        QCOMPARE(view().selectedBuckets(), std::vector<int>{1});
    }

    /// As in a window of 1024 x 640: what a pass finds by itself is said only where cards have room all the same.
    void cardsHaveRoomInAnAutomaticPlan() {
        AutomaticCommands(*document_).addAutomatic();
        start("layers.0");
        const auto* words = board_->findChild<QWidget*>("automaticBuckets");
        QVERIFY(words->isVisible() && board_->findChild<QWidget*>("untakenCards")->isVisible());
        board_->resize(330, 190);
        QTRY_COMPARE(board_->height(), 190);
        QTRY_VERIFY2(view().height() >= 90, qPrintable(QString::number(view().height())));
        QVERIFY(!words->isVisible() && board_->findChild<QWidget*>("untakenCards")->isVisible());
    }

    void cardsOfAnotherGraphBeginAtTheTop() {
        board_->resize(360, 300);
        start("layers.0\nlayers.1\nlayers.2\nlayers.3\nlayers.4\nlayers.5\nnorm");
        QScrollBar& bar = *view().verticalScrollBar();
        QTRY_VERIFY(bar.maximum() > 0);
        bar.setValue(bar.maximum());
        document_->setVariantSource([buckets = document_->buckets()](const LoadedGraph& loaded) {
            RestoredVariants kept;
            kept.current = 1;
            kept.variants.emplace_back();
            kept.variants.back().plan = loaded.empty_plan;
            kept.variants.back().plan.buckets = buckets;
            return kept;
        });
        document_->setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")));
        runAllDue();
        QVERIFY(view().buckets().rowCount() > 0 && bar.maximum() > 0);
        QCOMPARE(bar.value(), 0);
    }

    /// In a low board they are scrolled, and not squeezed over one another.
    void whatAPassFindsIsToldInWholeLines() {
        AutomaticCommands(*document_).addAutomatic();
        Plan plan = document_->current()->plan();
        for (PassStep& step : plan.pipeline)
            for (const char* merging : {"collective_bucketing", "pre_bucketing_fsdp_collectives"})
                step.options[merging] = false;
        document_->editPlan(QStringLiteral("test"), plan);
        QVERIFY(waitForEvaluation(*document_));
        auto* area = board_->findChild<QScrollArea*>(QStringLiteral("automaticBuckets"));
        QVERIFY(area && area->isVisible());
        const auto labels = area->findChildren<QLabel*>();
        QCOMPARE(labels.size(), 2);
        QTRY_VERIFY(std::ranges::all_of(labels, &QLabel::isVisible));
        for (const int height : {130, 170, 300}) {
            board_->resize(260, height);
            runAllDue();
            for (const QLabel* label : labels) {
                QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
            }
            const auto* button = area->findChild<QToolButton*>();
            QVERIFY(button->height() >= button->sizeHint().height());
            const int hidden = area->widget()->height() - area->viewport()->height();
            QCOMPARE(area->verticalScrollBar()->maximum(), std::max(hidden, 0));
        }
        QCOMPARE(area->verticalScrollBar()->maximum(), 0);  // all of it has room
    }

    void theBaselineIsNotEdited() {
        document_->setCurrentIndex(0);
        QVERIFY(!board_->entryField()->isEnabled());
        const std::unique_ptr<QMimeData> data(moduleMimeData({"layers.1"}));
        QSignalSpy refused(board_.get(), &BucketBoard::refused);
        dragTo(*data, QPoint(50, 50));
        QCOMPARE(refused.count(), 1);
        QCOMPARE(document_->variant(1).plan().buckets.size(), 0u);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::BucketBoardTest)
#include "bucket_board_test.moc"
