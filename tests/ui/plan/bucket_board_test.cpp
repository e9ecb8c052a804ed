#include "ui/plan/bucket_board.h"

#include <QApplication>
#include <QClipboard>
#include <QCompleter>
#include <QDragEnterEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMimeData>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <algorithm>

#include "tests/ui/ui_test_support.h"
#include "ui/document/module_mime.h"
#include "ui/edits/bucket_commands.h"
#include "ui/plan/bucket_delegate.h"
#include "ui/plan/bucket_model.h"
#include "ui/plan/bucket_view.h"
#include "ui/plan/drop_figures.h"
#include "ui/plan/drop_preview.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

class BucketBoardTest : public QObject {
    Q_OBJECT

    std::unique_ptr<Document> document_;
    std::unique_ptr<BucketBoard> board_;

    BucketView& view() { return *board_->view(); }
    QString plan() const {
        QStringList entries;
        for (int i = 0; i < static_cast<int>(document_->buckets().size()); ++i)
            entries.append(
                QString::fromStdString(display_name(document_->buckets()[static_cast<std::size_t>(i)])).remove(u' '));
        return entries.join(u' ');
    }
    void start(const QString& entries) {
        BucketCommands(*document_).addText(entries);
        QVERIFY(waitForEvaluation(*document_));
        QCoreApplication::processEvents();
    }
    QPoint cardCentre(int row) { return view().visualRect(view().buckets().index(row)).center(); }

    /// Drags `data` to a point of the cards and, unless `drop` is false, lets it go there.
    void dragTo(const QMimeData& data, const QPoint& position, bool drop = true) {
        QDragEnterEvent enter(position, Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(view().viewport(), &enter);
        QVERIFY(enter.isAccepted());
        QDragMoveEvent move(position, Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(view().viewport(), &move);
        if (!drop) return;
        QDropEvent release(QPointF(position), Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(view().viewport(), &release);
    }

  private slots:
    void init() {
        document_ = openDocument();
        board_ = std::make_unique<BucketBoard>(*document_);
        board_->resize(360, 700);
        board_->show();
        QVERIFY(QTest::qWaitForWindowExposed(board_.get()));
    }
    void cleanup() {
        board_.reset();
        document_.reset();
    }

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
        QCOMPARE(told.back().front().toString(), "No module of this graph is called layers.[40-43]");
        QCOMPARE(told[0][0].toString(), "No module of this graph is called layers.99");
    }

    void aRefusalIsOfThePlanThatWasShown() {
        QTest::keyClicks(board_->entryField(), "layers.[0-");
        QTest::keyClick(board_->entryField(), Qt::Key_Return);
        const auto says_why = [&] {
            return std::ranges::any_of(board_->findChildren<QLabel*>(), [](const QLabel* label) {
                return label->property("role") == QStringLiteral("caution") && label->isVisible();
            });
        };
        QVERIFY(says_why());
        document_->addNew(document_->loaded().empty_plan);
        QVERIFY(!says_why());
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

    void modulesAreDroppedOnCards() {
        start("layers.0\nlayers.1");
        const std::unique_ptr<QMimeData> data(moduleMimeData({"layers.2"}));
        dragTo(*data, cardCentre(0), false);
        QVERIFY(view().preview().active());
        QCOMPARE(view().preview().target(), 0);
        QTRY_VERIFY(!view().preview().outcome().isEmpty());

        dragTo(*data, cardCentre(0));
        QVERIFY(!view().preview().active());
        QCOMPARE(plan(), "layers.0+layers.2 layers.1");
        QCOMPARE(view().currentIndex().row(), 0);
        QCOMPARE(document_->selection().bucket(), 0);
        document_->undoGroup().undo();
        QCOMPARE(plan(), "layers.0 layers.1");
    }

    void dropsAreWeighedWithLinksShared() {
        document_->setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")));
        start("layers.0\nlayers.1");
        const auto before = document_->evaluation();
        QVERIFY(before->on_shared_links);
        const std::unique_ptr<QMimeData> data(moduleMimeData({"layers.2"}));
        dragTo(*data, cardCentre(0), false);
        QCOMPARE(view().preview().roomText().count(u'\n'), 2);  // before anything is known
        QTRY_VERIFY(!view().preview().outcome().isEmpty());
        const QString shared = view().preview().outcome().section(u'\n', 1);
        QVERIFY2(shared.startsWith("with links shared "), qPrintable(shared));
        dragTo(*data, cardCentre(0));
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY2(shared.endsWith(formatTime(document_->evaluation()->on_shared_links->step_ms)), qPrintable(shared));

        // Where all figures share links, so does the preview.
        auto times = std::make_shared<MeasuredTimes>();
        times->source = modelled_source(false, {}, true);
        times->baseline = evaluate_baseline(document_->graph(), {}, times->source);
        times->module_figures = document_->loaded().module_figures;
        document_->setTimes(times);
        QVERIFY(waitForEvaluation(*document_));
        const std::unique_ptr<QMimeData> more(moduleMimeData({"layers.3"}));
        dragTo(*more, cardCentre(0), false);
        QTRY_VERIFY(!view().preview().outcome().isEmpty());
        const QString weighed = view().preview().outcome();
        QVERIFY2(!weighed.contains("with links shared"), qPrintable(weighed));
        dragTo(*more, cardCentre(0));
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY2(weighed.contains(formatTime(document_->evaluation()->simulation.step_ms)), qPrintable(weighed));
    }

    /// Two steps that differ are never the same text.
    void aSmallChangeOfTheStepIsSeen() {
        constexpr double change = 1e-6;  // of the step: four digits do not show it
        const LoadedGraph loaded = loadGraph(smallGraphFile());
        Plan after = loaded.empty_plan;
        after.buckets = {{{"layers.0", "layers.2"}, false, {}}};
        const double after_ms = evaluate(loaded.graph, after)->simulation.step_ms;
        auto document = openDocument(
            [after_ms](const auto& graph, const Plan& plan, std::stop_token stop, auto source, auto cache) {
                const auto evaluated = evaluate(graph, plan, std::move(stop), std::move(source), std::move(cache));
                if (!evaluated) return evaluated;
                auto shifted = std::make_shared<Evaluation>(*evaluated);
                shifted->simulation.step_ms = after_ms * (1 - change);
                return std::shared_ptr<const Evaluation>(std::move(shifted));
            });
        document->addNew(document->loaded().empty_plan);
        BucketCommands(*document).addText("layers.0");
        QVERIFY(waitForEvaluation(*document));
        DropPreview preview(*document);
        preview.show({"layers.2"}, 0, -1);
        QTRY_VERIFY(!preview.outcome().isEmpty());
        const QString step = preview.outcome().section(QStringLiteral("peak"), 0, 0);
        static const QRegularExpression numbers(QStringLiteral("([\\d.]+)\\D+([\\d.]+)"));
        const QRegularExpressionMatch match = numbers.match(step);
        QVERIFY2(match.hasMatch() && match.captured(1) != match.captured(2), qPrintable(step));
    }

    void figuresOfADropAreWholeInALowWindow() {
        start("layers.0\nlayers.1");
        const std::unique_ptr<QMimeData> data(moduleMimeData({"layers.2"}));
        const auto figures = [&] { return board_->window()->findChild<DropFigures*>(); };
        dragTo(*data, cardCentre(0), false);
        QTRY_VERIFY(!view().preview().outcome().isEmpty());
        QVERIFY2(!figures(), "the card has the room");
        QDragLeaveEvent leave;
        QApplication::sendEvent(view().viewport(), &leave);
        board_->resize(240, 130);
        QTRY_VERIFY2(view().viewport()->height() < 80, qPrintable(QString::number(view().viewport()->height())));
        dragTo(*data, QPoint(view().visualRect(view().buckets().index(0)).center().x(), 20), false);
        QVERIFY(figures() && figures()->isVisible());
        QTRY_VERIFY(figures()->text().contains(view().preview().outcome()) && !view().preview().outcome().isEmpty());
        QVERIFY(board_->rect().contains(figures()->geometry()));
        QVERIFY(DropFigures::plateOf(figures()->text(), figures()->rect()).height() <= figures()->height());
        QApplication::sendEvent(view().viewport(), &leave);
        QTRY_VERIFY(!figures());
    }

    /// Cards that scroll below a pointer that rests show anew where the drop would land, and there it lands.
    void aDropLandsWhereItIsShown() {
        start("layers.[0-4]");
        board_->resize(360, 300);
        QTRY_VERIFY(view().verticalScrollBar()->maximum() > 40);
        const std::unique_ptr<QMimeData> data(moduleMimeData({"layers.5"}));
        const QPoint rest = cardCentre(0);
        dragTo(*data, rest, false);
        QCOMPARE(view().preview().target(), 0);
        view().verticalScrollBar()->setValue(view().verticalScrollBar()->maximum());
        QTRY_VERIFY(view().preview().target() != 0);
        const BucketView::DropPlace under = view().dropPlace(rest, false);
        QCOMPARE(view().preview().target(), under.kind == BucketView::DropPlace::Kind::onto ? under.row : -1);
        const int shown = view().preview().target();
        QDropEvent release(QPointF(rest), Qt::MoveAction, data.get(), Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(view().viewport(), &release);
        const int landed = bucket_of_module(document_->buckets(), "layers.5");
        QCOMPARE(landed, shown >= 0 ? shown : under.row);
    }

    void aDropWhereTheModuleIsAlreadyIsTold() {
        start("layers.0\nlayers.1");
        const std::unique_ptr<QMimeData> data(moduleMimeData({"layers.1"}));
        QSignalSpy refused(board_.get(), &BucketBoard::refused);
        dragTo(*data, cardCentre(1), false);
        QCOMPARE(view().preview().refusal(), "layers.1 is in bucket layers.1 already");
        dragTo(*data, cardCentre(1));
        QCOMPARE(refused.count(), 1);
        QCOMPARE(plan(), "layers.0 layers.1");
    }

    void modulesAreDroppedBetweenCards() {
        start("layers.0\nlayers.1");
        const std::unique_ptr<QMimeData> data(moduleMimeData({"layers.2"}));
        const QRect second = view().visualRect(view().buckets().index(1));
        dragTo(*data, QPoint(second.center().x(), second.top() + 1));
        QCOMPARE(plan(), "layers.0 layers.2 layers.1");
    }

    void modulesAreDroppedBelow() {
        start("layers.0");
        const std::unique_ptr<QMimeData> data(moduleMimeData({"layers.1", "layers.2"}));
        dragTo(*data, QPoint(100, view().viewport()->height() - 5));
        QCOMPARE(plan(), "layers.0 layers.1+layers.2");
    }

    void refusedDropsSayWhy() {
        start("layers.0\nlayers.1");
        const std::unique_ptr<QMimeData> data(moduleMimeData({"layers.0.attention"}));
        QSignalSpy refused(board_.get(), &BucketBoard::refused);
        dragTo(*data, cardCentre(1), false);
        QVERIFY(view().preview().refusal().contains("overlaps layers.0"));
        dragTo(*data, cardCentre(1));
        QCOMPARE(refused.count(), 1);
        QCOMPARE(plan(), "layers.0 layers.1");
    }

    void leavingEndsThePreview() {
        start("layers.0");
        const std::unique_ptr<QMimeData> data(moduleMimeData({"layers.1"}));
        dragTo(*data, cardCentre(0), false);
        QDragLeaveEvent leave;
        QApplication::sendEvent(view().viewport(), &leave);
        QVERIFY(!view().preview().active());
        QCOMPARE(plan(), "layers.0");
    }

    void cardsAreReorderedByDragging() {
        start("layers.0\nlayers.1\nlayers.2");
        QMimeData data;
        data.setData(module_mime_type, R"(["layers.0"])");
        data.setData(bucket_mime_type, "[0]");
        const QRect last = view().visualRect(view().buckets().index(2));
        dragTo(data, QPoint(last.center().x(), last.bottom() - 1));
        QCOMPARE(plan(), "layers.1 layers.2 layers.0");
        dragTo(data, cardCentre(0));  // card 0 upon itself
        QCOMPARE(plan(), "layers.1 layers.2 layers.0");
    }

    void modulesLeaveThroughTheListOfTheUncovered() {
        start("layers.0+layers.1");
        auto* title = board_->findChild<QPushButton*>("uncoveredTitle");
        const std::unique_ptr<QMimeData> data(moduleMimeData({"layers.1"}));
        QDragEnterEvent enter(QPoint(5, 5), Qt::MoveAction, data.get(), Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(title, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(5, 5), Qt::MoveAction, data.get(), Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(title, &drop);
        QCOMPARE(plan(), "layers.0");
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
    }

    /// Deleted, or taken back; another bucket does not take its place in the selection.
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
            QCOMPARE(selection.kind(), Selection::Kind::nothing);
        }
        // One before it is deleted: its card and the selection move together.
        view().setCurrentIndex(view().buckets().index(2));
        QCOMPARE(selection.bucket(), 2);
        BucketCommands(*document_).remove({0});
        QCOMPARE(selection.bucket(), 1);
        QCOMPARE(view().currentIndex().row(), 1);
        QCOMPARE(view().selectedBuckets(), std::vector<int>{1});
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
