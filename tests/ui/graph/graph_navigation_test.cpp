#include <QWheelEvent>
#include <cmath>
#include <set>

#include "tests/ui/graph/shown_graph.h"
#include "ui/graph/edge_labels.h"
#include "ui/graph/graph_metrics.h"
#include "ui/graph/graph_painter.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {

/// How a person gets about in the graph: wheel, keys and minimap.
class GraphNavigationTest : public ShownGraph {
    Q_OBJECT

    bool minimapCoversABox() const {
        for (const PlacedBox& placed : model_->arrangement().boxes) {
            QRectF closed = view_->boxRect(placed.box);
            if (model_->isOpen(placed.box)) closed.setHeight(std::min(closed.height(), headerHeight * view_->scale()));
            if (placed.box != BoxTree::root && closed.intersects(view_->minimapRect())) return true;
        }
        return false;
    }

  private slots:
    void init() { open(); }
    void cleanup() { close(); }

    void openingKeepsTheBoxWhereItIs() {
        const QPointF before = view_->boxRect(box("layers.0")).topLeft();
        view_->toggle(box("layers.0"));
        const QPointF after = view_->boxRect(box("layers.0")).topLeft();
        QVERIFY((after - before).manhattanLength() < 1);
        QVERIFY(!view_->boxRect(box("layers.0.attention")).isEmpty());
        view_->toggle(box("layers.0"));
        QVERIFY((view_->boxRect(box("layers.0")).topLeft() - before).manhattanLength() < 1);
    }

    void wheelWithControlZoomsAtThePointer() {
        const QPointF at(300, 200);
        const QPointF plane = view_->toPlane(at);
        turnWheel(at, 120, Qt::ControlModifier);
        QVERIFY(view_->scale() > 1);
        QVERIFY((view_->toScreen(plane) - at).manhattanLength() < 0.01);
        const double scale = view_->scale();
        turnWheel(at, -120, Qt::NoModifier);
        QCOMPARE(view_->scale(), scale);
        QVERIFY(view_->toScreen(plane).y() < at.y());
    }

    void everyBoxIsReachedByKeys() {
        QTest::keyClick(view_.get(), Qt::Key_Down);
        QVERIFY(view_->current() != no_box);
        view_->select(box("layers.0"));
        QTest::keyClick(view_.get(), Qt::Key_Return);
        QVERIFY(model_->isOpen(box("layers.0")));
        QTest::keyClick(view_.get(), Qt::Key_Down, Qt::ControlModifier);
        QCOMPARE(model_->tree().box(view_->current()).parent, box("layers.0"));
        // In order of execution, every child is passed once.
        std::set<BoxId> passed{view_->current()};
        for (std::uint32_t i = 1; i < model_->tree().box(box("layers.0")).child_count; ++i) {
            QTest::keyClick(view_.get(), Qt::Key_Period);
            passed.insert(view_->current());
        }
        QCOMPARE(passed.size(), std::size_t{model_->tree().box(box("layers.0")).child_count});
        QTest::keyClick(view_.get(), Qt::Key_Up, Qt::ControlModifier);
        QCOMPARE(view_->current(), box("layers.0"));
        // Beside it lies the other direction.
        QTest::keyClick(view_.get(), Qt::Key_Right);
        QCOMPARE(view_->current(), box("layers.0", Phase::backward));
        QTest::keyClick(view_.get(), Qt::Key_Left);
        QCOMPARE(view_->current(), box("layers.0"));
        QTest::keyClick(view_.get(), Qt::Key_Escape);
        QCOMPARE(view_->current(), no_box);
        QCOMPARE(document_->selection().kind(), Selection::Kind::nothing);
    }

    void dataIsFollowedByKeys() {
        view_->select(box("tok_embeddings"));
        QTest::keyClick(view_.get(), Qt::Key_BracketRight);
        const BoxId next = view_->current();
        QVERIFY(next != box("tok_embeddings"));
        bool flows = false;
        for (const LevelEdge& edge : model_->neighbours(box("tok_embeddings")).outgoing) flows |= edge.to == next;
        QVERIFY(flows);
    }

    void aClickedBoxStaysUnderThePointerWhereItOutgrowsTheView() {
        view_->resize(700, 260);
        view_->fitAll();
        view_->zoomBy(2.5, {100, 100});
        const BoxId layer = box("layers.0");
        view_->select(layer);
        const QRectF before = view_->boxRect(layer);
        const QPointF triangle = before.topLeft() + QPointF(14, 12) * view_->scale();
        click(triangle);
        QVERIFY(model_->isOpen(layer));
        const QRectF after = view_->boxRect(layer);
        QVERIFY(after.height() > view_->height());
        QVERIFY2(std::abs(after.top() - before.top()) < 1 && std::abs(after.left() - before.left()) < 1,
                 qPrintable(QStringLiteral("%1 to %2").arg(before.top()).arg(after.top())));
        click(triangle);
        QVERIFY(!model_->isOpen(layer));
    }

    void homeShowsAllAndBackspaceReturns() {
        view_->toggle(box("layers.0"));
        view_->toggle(box("layers.0.attention"));
        view_->zoomBy(3, {100, 100});
        const double before = view_->scale();
        QTest::keyClick(view_.get(), Qt::Key_Home);
        for (const PlacedBox& placed : model_->arrangement().boxes)
            QVERIFY(QRectF(view_->rect()).adjusted(-1, -1, 1, 1).contains(view_->boxRect(placed.box)));
        QVERIFY(view_->minimapRect().isEmpty());
        QTest::keyClick(view_.get(), Qt::Key_Backspace);
        QCOMPARE(view_->scale(), before);
        QVERIFY(!view_->minimapRect().isEmpty());
    }

    void theMinimapMovesTheView() {
        view_->zoomBy(3, {100, 100});
        const QRectF map = view_->minimapRect();
        const QPointF before = view_->toPlane({0, 0});
        click(map.bottomRight() - QPointF(3, 3));
        const QPointF after = view_->toPlane({0, 0});
        QVERIFY(after.y() > before.y() && after.x() > before.x());
    }

    void theMinimapIsInAFreeCorner() {
        view_->zoomBy(1.6, {0, 0});
        // Wherever the graph is moved to, some corner of this view is free.
        const double step = 60;
        for (const QPointF by : {QPointF(0, 0), QPointF(step, 0), QPointF(0, step), QPointF(-2 * step, -step)}) {
            view_->panBy(by);
            QVERIFY(!view_->minimapRect().isEmpty());
            QVERIFY(view_->rect().contains(view_->minimapRect().toRect()));
            QVERIFY(!minimapCoversABox());
        }
    }

    /// What flows along an edge can be read beside the minimap.
    void theMinimapNeverCoversALabel() {
        view_->resize(420, 300);
        int shown = 0, seen = 0;
        for (const PlacedBox& placed : std::vector(model_->arrangement().boxes)) {
            if (placed.box == BoxTree::root) continue;
            view_->select(placed.box);
            view_->zoomBy(2, view_->boxRect(placed.box).center());
            const QRectF map = view_->minimapRect();
            shown += !map.isEmpty();
            const QRectF plane(view_->toPlane({0, 0}), QSizeF(view_->size()) / view_->scale());
            for (const EdgeLabel& label : GraphPainter(*model_, currentTheme(), view_->scale()).labelsIn(plane)) {
                const QPointF corner = view_->toPlane(map.topLeft());
                QVERIFY2(!QRectF(corner, map.size() / view_->scale()).intersects(label.room), qPrintable(label.text));
                ++seen;
            }
            view_->zoomBy(0.5, view_->boxRect(placed.box).center());
        }
        QVERIFY2(shown > 5 && seen > 20, qPrintable(QStringLiteral("%1 shown, %2 seen").arg(shown).arg(seen)));
    }

    void theMinimapNeverCoversABox() {
        view_->resize(330, 200);  // too small for a free corner everywhere
        int hidden = 0, shown = 0;
        for (const PlacedBox& placed : std::vector(model_->arrangement().boxes)) {
            if (placed.box == BoxTree::root) continue;
            view_->select(placed.box);
            for (const double zoom : {1.0, 3.0}) {
                view_->zoomBy(zoom, view_->boxRect(placed.box).center());
                ++(view_->minimapRect().isEmpty() ? hidden : shown);
                QVERIFY(!minimapCoversABox());
            }
            view_->zoomBy(1 / 3.0, view_->boxRect(placed.box).center());
        }
        QVERIFY(hidden > 0 && shown > 0);
    }

  private:
    void turnWheel(QPointF at, int angle, Qt::KeyboardModifiers modifiers) {
        QWheelEvent event(at, view_->mapToGlobal(at), {}, {0, angle}, Qt::NoButton, modifiers, Qt::NoScrollPhase,
                          false);
        QCoreApplication::sendEvent(view_.get(), &event);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::GraphNavigationTest)
#include "graph_navigation_test.moc"
