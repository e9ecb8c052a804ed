#include <cmath>
#include <memory>
#include <utility>

#include "core/pipeline/evaluation.h"
#include "core/pipeline/time_source.h"
#include "tests/ui/graph/shown_graph.h"
#include "ui/document/measured_times.h"

namespace overlap::ui {

/// What the graph shows in a view of another size.
class GraphSizesTest : public ShownGraph {
    Q_OBJECT

  private slots:
    void init() { open(); }
    void cleanup() { close(); }

    void aViewOfAnotherSizeKeepsItsMiddle() {
        view_->zoomBy(3, {100, 100});
        const QPointF middle = view_->toPlane(QRectF(view_->rect()).center());
        const double scale = view_->scale();
        for (const QSize size : {QSize(500, 300), QSize(1200, 420), QSize(300, 700)}) {
            view_->resize(size);
            const QPointF now = view_->toPlane(QRectF(view_->rect()).center());
            QVERIFY2((now - middle).manhattanLength() < 2,
                     qPrintable(QStringLiteral("%1, %2").arg(now.x()).arg(now.y())));
            QCOMPARE(view_->scale(), scale);
        }
    }

    void allOfItStaysInViewInAnotherSize() {
        view_->toggle(box("layers.0"));
        view_->fitAll();
        for (const QSize size : {QSize(500, 300), QSize(1200, 900), QSize(300, 700)}) {
            view_->resize(size);
            const auto& whole = model_->arrangement().size;
            const QRectF all(view_->toScreen({0, 0}), view_->toScreen({whole.width, whole.height}));
            QVERIFY(QRectF(view_->rect()).contains(all));
            QVERIFY2(std::abs(all.center().x() - size.width() / 2.0) < 1, "in the middle");
        }
        view_->panBy({40, 0});
        const double scale = view_->scale();
        view_->resize(900, 600);
        QVERIFY2(view_->scale() == scale, "it was moved since");
        // The scale at first is never far from 1: the place tells more.
        const auto at_first = [this] {
            GraphView fresh(*model_);
            fresh.resize(900, 600);
            fresh.show();
            return std::pair(fresh.scale(), fresh.toPlane({0, 0}));
        }();
        GraphView other(*model_);
        other.resize(300, 200);
        other.show();
        other.resize(900, 600);
        QCOMPARE(std::pair(other.scale(), other.toPlane({0, 0})), at_first);
    }

    /// Boxes are as wide as what they say: other times move all of it, and nobody has moved the view.
    void whatIsFittedStaysFittedWithOtherTimes() {
        document_->setCurrentIndex(0);  // of which the other times are
        GraphView at_first(*model_);
        at_first.resize(900, 600);
        at_first.show();
        view_->fitAll();
        const double width = model_->arrangement().size.width;
        showTimes(1e15);
        QVERIFY(model_->arrangement().size.width != width);
        for (const QSize size : {view_->size(), QSize(500, 300)}) {
            view_->resize(size);
            const auto& whole = model_->arrangement().size;
            const QRectF all(view_->toScreen({0, 0}), view_->toScreen({whole.width, whole.height}));
            QVERIFY(QRectF(view_->rect()).contains(all));
            QVERIFY2(std::abs(all.center().x() - size.width() / 2.0) < 1, "in the middle");
        }
        GraphView fresh(*model_);
        fresh.resize(900, 600);
        fresh.show();
        QCOMPARE(at_first.toPlane({0, 0}), fresh.toPlane({0, 0}));
        QCOMPARE(at_first.scale(), fresh.scale());

        view_->panBy({40, 0});
        const double scale = view_->scale();
        showTimes(1);
        QVERIFY2(view_->scale() == scale, "it was moved since");
    }

    /// Older sessions have the corner, which tells the middle once the view has its size.
    void theCornerOfAnOlderSessionStays() {
        view_->zoomBy(3, {100, 100});
        QJsonObject kept = view_->state();
        const QPointF corner = view_->toPlane({0, 0});
        for (const char* key : {"centre_x", "centre_y"}) kept.remove(QLatin1String(key));
        kept["x"] = corner.x();
        kept["y"] = corner.y();

        Document document;
        GraphModel model(document);
        GraphView view(model);
        view.restore(kept);
        document.setGraph(loadGraph(smallGraphFile()));
        QVERIFY2(view.state()["x"].toDouble() == corner.x() && !view.state().contains("centre_x"),
                 "a session that ends before it is seen");
        view.resize(1000, 700);
        view.show();
        const QPointF now = view.toPlane({0, 0});
        QVERIFY2((now - corner).manhattanLength() < 1e-6,
                 qPrintable(QStringLiteral("%1, %2").arg(now.x()).arg(now.y())));
        QCOMPARE(view.scale(), view_->scale());
        QVERIFY(view.state().contains("centre_x"));
    }

  private:
    /// @param factor of the modelled times.
    void showTimes(double factor) {
        auto baseline = std::make_shared<Evaluation>(*document_->loaded().baseline);
        for (double& time_ms : baseline->times_ms) time_ms *= factor;
        auto times = std::make_shared<MeasuredTimes>();
        times->source = modelled_source(false, {});
        times->baseline = std::move(baseline);
        times->module_figures = document_->loaded().module_figures;
        document_->setTimes(times);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::GraphSizesTest)
#include "graph_sizes_test.moc"
