#include <QApplication>
#include <QPushButton>
#include <QRegularExpression>

#include "tests/ui/plan/shown_board.h"
#include "tests/ui/ui_test_support.h"
#include "ui/document/module_mime.h"
#include "ui/edits/bucket_commands.h"
#include "ui/plan/bucket_view.h"
#include "ui/plan/drag_picture.h"
#include "ui/plan/drop_figures.h"
#include "ui/plan/drop_preview.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

/// Modules and cards that are dragged onto cards, between them and away.
class BucketDropTest : public ShownBoard {
    Q_OBJECT

  private slots:
    void init() { open(); }
    void cleanup() { close(); }

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

    /// What hangs at the pointer covers no figures of the drop, wherever the pointer is.
    void whatIsDraggedCoversNoFigures() {
        QWidget window;
        window.resize(800, 260);
        board_->setParent(&window);
        board_->setGeometry(430, 0, 360, 260);
        window.show();
        board_->show();
        start("layers.0\nlayers.1");
        const QStringList modules{"layers.2", "layers.3", "layers.4", "layers.5"};
        const std::unique_ptr<QMimeData> data(moduleMimeData(modules));
        int beside = 0;
        for (int y = 10; y < view().viewport()->height(); y += 9) {
            const QPoint pointer(view().viewport()->width() - 20, y);
            dragTo(*data, pointer, false);
            QTRY_VERIFY(!view().preview().outcome().isEmpty());
            const QRect picture = dragPictureAt(modules, pointer);
            QVERIFY(picture.right() < pointer.x() && picture.bottom() < y - 12 && picture.width() > 100);
            const auto* figures = window.findChild<DropFigures*>();
            if (!figures) continue;
            ++beside;
            QVERIFY(figures->text().contains(view().preview().outcome()));
            const QRect covered(view().viewport()->mapTo(&window, picture.topLeft()), picture.size());
            QVERIFY2(!figures->geometry().intersects(covered), qPrintable(QString::number(y)));
            QVERIFY(window.rect().contains(figures->geometry()));
        }
        QVERIFY(beside > 2);
        QDragLeaveEvent leave;
        QApplication::sendEvent(view().viewport(), &leave);
        QVERIFY(!window.findChild<DropFigures*>());
        board_->setParent(nullptr);
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

    /// Of a pile a card takes what it can: what others have comes out of them, what overlaps them stays.
    void aPileIsDroppedAsFarAsItCanBe() {
        start("layers.0\nlayers.1.attention\nlayers.2");
        const std::unique_ptr<QMimeData> data(moduleMimeData({"layers.1", "layers.2", "layers.3"}));
        const DropPreview& preview = view().preview();
        dragTo(*data, cardCentre(0), false);
        QCOMPARE(preview.refusal(), QString());
        QTRY_VERIFY(!preview.outcome().isEmpty());
        QVERIFY2(preview.remark().contains("layers.2 comes out of bucket layers.2"), qPrintable(preview.remark()));
        QVERIFY2(preview.remark().contains("layers.1 stays where it is: layers.1 overlaps layers.1.attention"),
                 qPrintable(preview.remark()));
        QVERIFY(preview.text().endsWith(preview.remark()));
        QCOMPARE(preview.roomText().count(u'\n'), preview.text().count(u'\n'));
        const QString weight = preview.weight(), outcome = preview.outcome();
        QSignalSpy told(board_.get(), &BucketBoard::refused);
        dragTo(*data, cardCentre(0));
        QCOMPARE(plan(), "layers.0+layers.2+layers.3 layers.1.attention");
        QCOMPARE(told.count(), 1);
        QVERIFY(told.front().front().toString().startsWith("layers.1 stays where it is"));
        QCOMPARE(document_->selection().bucket(), 0);
        QVERIFY(waitForEvaluation(*document_));
        const QString step = formatTime(document_->evaluation()->simulation.step_ms).replace(u' ', QChar(QChar::Nbsp));
        QVERIFY2(outcome.contains(step), qPrintable(outcome + " / " + step));
        document_->undoGroup().undo();
        QCOMPARE(plan(), "layers.0 layers.1.attention layers.2");
        // Without what stays, the figures are the same.
        const std::unique_ptr<QMimeData> rest(moduleMimeData({"layers.2", "layers.3"}));
        dragTo(*rest, cardCentre(0), false);
        QCOMPARE(preview.weight(), weight);
        QCOMPARE(preview.remark(), "layers.2 comes out of bucket layers.2");
        // Into a new bucket, too.
        const QPoint below(100, view().viewport()->height() - 5);
        dragTo(*data, below, false);
        QVERIFY(preview.refusal().isEmpty() && preview.remark().contains("stays where it is"));
        dragTo(*data, below);
        QCOMPARE(plan(), "layers.0 layers.1.attention layers.2+layers.3");
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
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::BucketDropTest)
#include "bucket_drop_test.moc"
