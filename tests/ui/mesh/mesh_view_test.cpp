#include "ui/mesh/mesh_view.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QScrollArea>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>
#include <cmath>

#include "core/mesh/sharding_text.h"
#include "ui/mesh/inputs_form.h"
#include "ui/mesh/path_board.h"
#include "ui/mesh/ranks/rank_canvas.h"
#include "ui/mesh/ranks/rank_stage.h"
#include "ui/mesh/sharding_board.h"
#include "ui/mesh/state_editor.h"

namespace overlap::ui {

class MeshViewTest : public QObject {
    Q_OBJECT

    std::unique_ptr<MeshView> view_;

    bool answered() {
        return QTest::qWaitFor([&] { return !view_->busy(); }, 30'000);
    }
    const ComparedPath& path(PathComparison::Planner planner) const { return view_->comparison()->paths[planner]; }
    ShardingBoard& source() { return view_->form().source().board(); }
    ShardingBoard& target() { return view_->form().target().board(); }

    /// Presses a chip and carries it to a point, without letting go.
    void carry(ShardingBoard& board, int mesh_dim, const QPoint& to) {
        const QPoint from = board.chipArea(mesh_dim).center();
        QTest::mousePress(&board, Qt::LeftButton, {}, from);
        QTest::mouseMove(&board, from + QPoint(QApplication::startDragDistance() + 1, 0));
        QTest::mouseMove(&board, to);
    }
    QPoint endOfRow(ShardingBoard& board, std::size_t row) {
        return board.rowArea(row).center() + QPoint(board.rowArea(row).width() / 2 - 4, 0);
    }

  private slots:
    void init() {
        view_ = std::make_unique<MeshView>();
        view_->resize(1000, 700);
        view_->show();
        QVERIFY(QTest::qWaitForWindowExposed(view_.get()));
        QVERIFY(answered());
    }

    void cleanup() { view_.reset(); }

    void showsAllPathsOfTheSeed() {
        QVERIFY(view_->comparison());
        QCOMPARE(view_->comparison()->paths.size(), 5u);
        for (const ComparedPath& each : view_->comparison()->paths) {
            QVERIFY2(each.plan, qPrintable(each.title + each.problems.join(u' ')));
            QCOMPARE(each.plan->states.front(), parse_state("S(0)S(0)S(0)", 3));
            QCOMPARE(each.plan->states.back(), parse_state("RS(0)S(0)", 3));
            double sum = 0;
            for (const ComparedStep& step : each.steps) sum += step.cost;
            QVERIFY(std::abs(sum - each.cost) < 1e-9 * (1 + sum));
            QVERIFY(path(PathComparison::optimal).cost <= each.cost);
        }
        QCOMPARE(path(PathComparison::fixed).own_cost.isEmpty(), false);
    }

    void orderDraggedMakesTheCostFall() {
        const double before = path(PathComparison::graph).cost;
        // 0 › 1 › 2 becomes 1 › 2 › 0: the mesh dimension to be gathered is the last one then.
        carry(source(), 0, endOfRow(source(), 0));
        QVERIFY(answered());
        QCOMPARE(view_->inputs(), MeshInputs());  // only tried
        QVERIFY(source().dragging());
        const double tried = path(PathComparison::graph).cost;
        QVERIFY(tried < before);
        QTest::mouseRelease(&source(), Qt::LeftButton, {}, endOfRow(source(), 0));
        QVERIFY(answered());
        QCOMPARE(parse_state(view_->inputs().source.toStdString(), 3), parse_state("S(0)[1,2,0]", 3));
        QCOMPARE(path(PathComparison::graph).cost, tried);
        QCOMPARE(path(PathComparison::graph).steps.size(), 1u);
        view_->undoStack().undo();
        QVERIFY(answered());
        QCOMPARE(view_->inputs(), MeshInputs());
        QCOMPARE(path(PathComparison::graph).cost, before);
    }

    void dragGivenUpChangesNothing() {
        const double before = path(PathComparison::optimal).cost;
        carry(target(), 1, endOfRow(target(), 2));
        QVERIFY(answered());
        QCOMPARE(view_->comparison()->question.target, parse_state("RRS(0)", 3));
        QTest::keyClick(&target(), Qt::Key_Escape);
        QTest::mouseRelease(&target(), Qt::LeftButton);
        QVERIFY(answered());
        QCOMPARE(view_->inputs(), MeshInputs());
        QCOMPARE(path(PathComparison::optimal).cost, before);
        QVERIFY(!view_->undoStack().canUndo());
    }

    void keysMoveMeshDimensions() {
        source().setFocus();
        source().select(2);
        QTest::keyClick(&source(), Qt::Key_Left, Qt::ControlModifier);
        QCOMPARE(to_tensor_centric_text(*source().state()), "S(0)[0,2,1]");
        QTest::keyClick(&source(), Qt::Key_Down, Qt::ControlModifier);
        QCOMPARE(to_tensor_centric_text(*source().state()), "S(0)[0,1]S(1)[2]");
        QTest::keyClick(&source(), Qt::Key_Down, Qt::ControlModifier);
        QTest::keyClick(&source(), Qt::Key_Down, Qt::ControlModifier);
        QCOMPARE(to_tensor_centric_text(*source().state()), "S(0)[0,1]P(sum)[2]");
        QTest::keyClick(&source(), Qt::Key_Up);
        QCOMPARE(source().selected(), 0);
        QTest::keyClick(&source(), Qt::Key_Right);
        QCOMPARE(source().selected(), 1);
        QVERIFY2(source().accessibleDescription().contains(QStringLiteral("place 2 of 2")),
                 qPrintable(source().accessibleDescription()));
    }

    void eitherNotationIsReadAndKept() {
        QLineEdit& field = view_->form().field(MeshField::source);
        field.setFocus();
        field.selectAll();
        QTest::keyClicks(&field, QStringLiteral("S(0)[2,0]R[1]"));
        QVERIFY(answered());
        QCOMPARE(*source().state(), parse_state("S(0)[1]RS(0)[0]", 3));
        QVERIFY(view_->comparison());
        source().select(1);
        QTest::keyClick(&source(), Qt::Key_Up, Qt::ControlModifier);
        QCOMPARE(field.text(), QStringLiteral("S(0)[2,0]S(1)[1]"));
        // What was typed is one edit.
        view_->undoStack().undo();
        // The field has no undo of its own: the window's is that of the view.
        QTest::keyClick(&field, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(field.text(), QStringLiteral("S(0)[2,0]R[1]"));
        view_->undoStack().undo();
        QCOMPARE(view_->inputs(), MeshInputs());
        view_->undoStack().redo();
        QCOMPARE(field.text(), QStringLiteral("S(0)[2,0]R[1]"));
    }

    void wrongTextIsKeptAndExplained() {
        QLineEdit& field = view_->form().field(MeshField::target);
        field.setFocus();
        field.selectAll();
        QTest::keyClicks(&field, QStringLiteral("S(0)[0,0]"));
        QVERIFY(answered());
        QCOMPARE(field.text(), QStringLiteral("S(0)[0,0]"));
        QVERIFY(!view_->comparison());
        QVERIFY(!target().state());
        QCOMPARE(view_->pathAsText(), QString());
        bool told = false;
        for (const QLabel* label : view_->form().findChildren<QLabel*>())
            told = told || (label->isVisible() && label->text().startsWith(QStringLiteral("Target: ")) &&
                            label->text().contains(QStringLiteral("twice")));
        QVERIFY(told);
        view_->undoStack().undo();
        QVERIFY(answered());
        QVERIFY(view_->comparison());
    }

    void fieldsStayWhereTheyAreWhileTextIsWrong() {
        const auto places = [&] {
            QCoreApplication::processEvents();
            QStringList tops;
            for (const MeshField field : {MeshField::mesh, MeshField::tensor, MeshField::source, MeshField::target})
                tops.append(QString::number(view_->form().field(field).mapTo(&view_->form(), QPoint()).y()));
            return tops.join(u' ');
        };
        const QString before = places();
        for (const MeshField field : {MeshField::source, MeshField::tensor, MeshField::mesh}) {
            QLineEdit& edit = view_->form().field(field);
            edit.setFocus();
            edit.selectAll();
            QTest::keyClicks(&edit, QStringLiteral("wrong"));
            QVERIFY(answered());
            QCOMPARE(places(), before);
        }
    }

    void statesCanBeFittedToAnotherMesh() {
        QLineEdit& mesh = view_->form().field(MeshField::mesh);
        mesh.setFocus();
        mesh.selectAll();
        QTest::keyClicks(&mesh, QStringLiteral("4x2"));
        QVERIFY(answered());
        QVERIFY(!view_->comparison());
        QToolButton* fit = nullptr;
        for (QToolButton* button : view_->form().source().findChildren<QToolButton*>())
            if (button->isVisible()) fit = button;
        QVERIFY(fit);
        fit->click();
        QVERIFY(answered());
        QVERIFY(view_->comparison());
        QCOMPARE(to_text(*target().state()), "RS(0)");
    }

    void saysWhatPyTorchCorrupts() {
        MeshInputs inputs;
        inputs.mesh = QStringLiteral("2 x 2");
        inputs.tensor = QStringLiteral("5");
        inputs.source = QStringLiteral("S(0)S(0)");
        inputs.target = QStringLiteral("RR");
        view_->edit(inputs, QStringLiteral("Uneven"));
        QVERIFY(answered());
        const ComparedPath& executed = path(PathComparison::executed);
        QVERIFY(executed.wrong_data);
        QVERIFY2(executed.problems.join(u' ').contains(QStringLiteral("wrong data")), "the card says so");
        QVERIFY(!executed.steps.front().problem.isEmpty());
        QVERIFY(!path(PathComparison::optimal).wrong_data);
        QVERIFY(path(PathComparison::optimal).problems.isEmpty());
    }

    void saysWhatPyTorchRefuses() {
        MeshInputs inputs;
        inputs.mesh = QStringLiteral("2 x 2");
        inputs.source = QStringLiteral("S(0)R");
        inputs.target = QStringLiteral("P(max)R");
        view_->edit(inputs, QStringLiteral("Maximum"));
        QVERIFY(answered());
        QVERIFY(!path(PathComparison::executed).problems.isEmpty());
        QVERIFY(std::isinf(path(PathComparison::executed).cost));
        QVERIFY(std::isfinite(path(PathComparison::optimal).cost));
        QVERIFY(view_->pathAsText().contains(QStringLiteral("partition")));
    }

    void pricesAnOptimalPathThatTorchRefuses() {
        const PathQuestion question{{{2, 2}, {}},
                                    MeshTensor::of({64, 48}, "float32"),
                                    parse_state("S(0)R", 2),
                                    parse_state("RP(product)", 2),
                                    costModel(QStringLiteral("torch"))};
        const std::optional<PathComparison> compared = comparePaths(question, {});
        QVERIFY(compared);
        QVERIFY(std::isinf(compared->paths[PathComparison::graph].cost));
        const ComparedPath& optimal = compared->best();
        QCOMPARE(optimal.cost, optimal.plan->total_cost);
        QVERIFY(!optimal.steps.front().needs.isEmpty());
        QCOMPARE(optimal.steps.front().cost, 0.0);
        QVERIFY(optimal.problems.isEmpty());
    }

    void stepsGoThroughTheStates() {
        view_->stage().setAnimated(false);
        view_->paths().select(PathComparison::graph, PathBoard::whole_path);
        const int steps = static_cast<int>(path(PathComparison::graph).steps.size());
        QVERIFY(steps > 1);
        RankCanvas& canvas = view_->stage().canvas();
        canvas.setFocus();
        QTest::keyClick(&canvas, Qt::Key_Right);
        QCOMPARE(view_->paths().step(), 0);
        QTest::keyClick(&canvas, Qt::Key_Right);
        QCOMPARE(view_->paths().step(), 1);
        QTest::keyClick(&canvas, Qt::Key_Left);
        QCOMPARE(view_->paths().step(), 0);
        QTest::keyClick(&canvas, Qt::Key_Down);
        QVERIFY2(canvas.rankText().contains(QStringLiteral("rank 0")), qPrintable(canvas.rankText()));
        QVERIFY(canvas.rankText().contains(QStringLiteral("[0:8, 0:48] · 8 × 48")));
        view_->stage().play();
        QVERIFY(QTest::qWaitFor([&] { return !view_->stage().playing(); }, 20'000));
        QCOMPARE(view_->paths().step(), steps - 1);
    }

    void controlsOfTheRanksAreWholeInANarrowView() {
        for (const int width : {1400, 700, 400}) {
            view_->resize(width, 900);
            QCoreApplication::processEvents();
            const RankStage& stage = view_->stage();
            for (const QToolButton* button : stage.findChildren<QToolButton*>()) {
                if (!button->isVisible()) continue;
                QVERIFY2(button->visibleRegion().boundingRect().size() == button->size(),
                         qPrintable(QStringLiteral("%1 at %2").arg(button->text()).arg(width)));
                QVERIFY(button->width() >= button->minimumSizeHint().width());
            }
        }
    }

    void cardsStandInRowsWhereTheyDoNotFit() {
        PathBoard& paths = view_->paths();
        const std::size_t count = view_->comparison()->paths.size();
        for (const int width : {400, 760, 1400}) {
            view_->resize(width, 900);
            QVERIFY(QTest::qWaitFor([&] { return paths.cardArea(0).width() + 16 <= paths.width(); }));
            for (std::size_t path = 0; path < count; ++path) {
                const QRect card = paths.cardArea(path);
                QVERIFY2(paths.rect().contains(card), qPrintable(QString::number(width)));
                for (std::size_t other = 0; other < path; ++other) QVERIFY(!paths.cardArea(other).intersects(card));
                const int last = static_cast<int>(view_->comparison()->paths[path].steps.size()) - 1;
                if (last >= 0) QVERIFY(card.contains(paths.stepArea(path, last)));
            }
        }
        // One that is scrolled away comes into view when it is chosen.
        view_->resize(1100, 340);
        const QScrollBar* bar = view_->findChild<QScrollArea*>("meshPaths")->verticalScrollBar();
        QTRY_VERIFY(bar->maximum() > 0);
        paths.select(0, PathBoard::whole_path);
        QTRY_VERIFY(bar->value() < paths.cardArea(0).bottom());
        paths.select(count - 1, PathBoard::whole_path);
        QTRY_VERIFY(bar->value() > paths.cardArea(0).bottom());
    }

    void exportsTextAndPictures() {
        const QString text = view_->pathAsText();
        QVERIFY(text.startsWith(QStringLiteral("Optimal: Spec(f32[64, 48](S(0)[0]S(0)[1]S(0)[2]))")));
        view_->copyPath();
        QCOMPARE(QApplication::clipboard()->text(), text);
        QTemporaryDir folder;
        QSignalSpy told(view_.get(), &MeshView::told);
        for (const char* name : {"path.txt", "path.png", "path.svg"}) {
            const QString file = folder.filePath(QString::fromLatin1(name));
            view_->savePath(file);
            QVERIFY(QFileInfo(file).size() > 100);
        }
        QImage picture(folder.filePath(QStringLiteral("path.png")));
        QVERIFY(picture.width() > 500);
        view_->savePath(folder.filePath(QStringLiteral("missing/path.svg")));
        QVERIFY(told.last().first().toString().contains(QStringLiteral("cannot be written")));
    }

    void comesBackFromTheSession() {
        MeshInputs inputs;
        inputs.mesh = QStringLiteral("4 x 2");
        inputs.names = QStringLiteral("dp, tp");
        inputs.source = QStringLiteral("S(0)[1,0]");
        inputs.target = QStringLiteral("RS(1)");
        inputs.cost_model = QStringLiteral("nccl:h100");
        view_->edit(inputs, QStringLiteral("Other"));
        view_->stage().setAnimated(false);
        MeshView other;
        other.restore(view_->state());
        QCOMPARE(other.inputs(), inputs);
        QVERIFY(!other.stage().animated());
        QVERIFY(!other.undoStack().canUndo());
    }

    void parametersOfAGraphFillTheInputs() {
        auto* list = view_->findChild<QListView*>(QStringLiteral("meshParameters"));
        QVERIFY(!list->isVisible());
        MeshInputs inputs;
        inputs.tensor = QStringLiteral("4096, 4096");
        view_->setParameters({{QStringLiteral("layers.0.wq"), QStringLiteral("saves 0.2 ms"), {}, {}},
                              {QStringLiteral("layers.0.wo"), QString(), {}, inputs},
                              {QStringLiteral("layers.0.").repeated(20), QString(), {}, inputs}});
        QVERIFY(list->isVisible());
        // Names are told apart by their ends, which a narrow list keeps.
        QCOMPARE(list->textElideMode(), Qt::ElideMiddle);
        QVERIFY(list->visualRect(list->model()->index(2, 0)).width() <= list->viewport()->width());
        // A narrow view begins with the inputs.
        const auto top = [&](const QWidget& widget) { return widget.mapTo(view_.get(), QPoint(0, 0)).y(); };
        view_->resize(420, 700);
        QTRY_VERIFY(top(view_->form()) < top(*list));
        view_->resize(1000, 700);
        QTRY_COMPARE(list->mapTo(view_.get(), QPoint(0, 0)).x() < view_->form().mapTo(view_.get(), QPoint(0, 0)).x(),
                     true);
        list->setCurrentIndex(list->model()->index(1, 0));
        QCOMPARE(view_->inputs(), inputs);
        view_->undoStack().undo();
        QCOMPARE(view_->inputs(), MeshInputs());
    }

    void largeMeshesDoNotHoldUpTheWindow() {
        MeshInputs inputs;
        inputs.mesh = QStringLiteral("2 x 2 x 2 x 2 x 2 x 2");
        inputs.tensor = QStringLiteral("64, 64, 64");
        inputs.source = QStringLiteral("S(0)S(1)S(2)S(0)S(1)S(2)");
        inputs.target = QStringLiteral("S(2)S(0)S(1)S(2)S(0)S(1)");
        view_->edit(inputs, QStringLiteral("Six dimensions"));
        QVERIFY(view_->busy());  // the answer comes later, from another thread
        QVERIFY(QTest::qWaitFor([&] { return !view_->busy(); }, 120'000));
        QCOMPARE(view_->comparison()->question.mesh.dims(), 6);
        QCOMPARE(view_->stage().canvas().blocks(), 1);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::MeshViewTest)
#include "mesh_view_test.moc"
