#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <csignal>

#include "tests/ui/ui_test_support.h"
#include "ui/graph/graph_model.h"
#include "ui/graph/layout_helper_client.h"

namespace overlap::ui {

/// Graphviz in its own process, and everything that such a process can do wrong.
class LayoutHelperTest : public QObject {
    Q_OBJECT

    static LevelGraph someLevel() {
        LevelGraph graph;
        graph.nodes.assign(6, {{120, 40}});
        graph.edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}};  // the sixth box stands alone
        return graph;
    }

    static std::shared_ptr<const LevelLayout> ownLayout(const LevelGraph& graph) {
        return std::make_shared<LevelLayout>(LayeredEngine().layout(graph));
    }

    /// A program that stands in for the helper.
    QString script(const QByteArray& body) {
        const QString path = folder_.filePath(QStringLiteral("helper-%1").arg(++scripts_));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly)) return {};
        file.write("#!/bin/sh\n");
        file.write(body);
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return path;
    }

    /// One that never answers; see sleeping().
    QString sleeper() {
        pid_file_ = folder_.filePath(QStringLiteral("pid-%1").arg(scripts_));
        return script(QByteArray("echo $$ > '" + pid_file_.toUtf8() + ".new'; mv '" + pid_file_.toUtf8() + ".new' '" +
                                 pid_file_.toUtf8() + "'\nexec sleep 60\n"));
    }

    /// Whether the last sleeper has begun, and has not ended.
    bool sleeping() const {
        QFile file(pid_file_);
        return file.open(QIODevice::ReadOnly) && ::kill(file.readAll().trimmed().toInt(), 0) == 0;
    }

  private slots:
    void graphvizLaysALevelOut() {
        for (const bool backward : {false, true}) {
            LevelGraph graph = someLevel();
            for (LevelGraph::Node& node : graph.nodes) node.backward = backward;
            LayoutHelperClient client(OVERLAP_LAYOUT_HELPER);
            QSignalSpy done(&client, &LayoutHelperClient::laidOut);
            client.request(7, graph, ownLayout(graph));
            QVERIFY(done.wait(20'000));
            QCOMPARE(done[0][0].toULongLong(), 7u);
            const auto layout = done[0][1].value<std::shared_ptr<const LevelLayout>>();
            const auto rect = [&](std::size_t node) {
                return LayoutRect{layout->positions[node].x, layout->positions[node].y, 120, 40};
            };
            for (std::size_t a = 0; a < 6; ++a) {
                QVERIFY(rect(a).x >= 0 && rect(a).right() <= layout->size.width + 1);
                QVERIFY(rect(a).y >= 0 && rect(a).bottom() <= layout->size.height + 1);
                for (std::size_t b = a + 1; b < 6; ++b) QVERIFY(!rect(a).intersects(rect(b)));
            }
            QCOMPARE(layout->positions[4].y > layout->positions[0].y, !backward);
            for (const EdgeRoute& route : layout->routes) {
                QCOMPARE(route.style, RouteStyle::drawn);
                QCOMPARE(route.points.size() % 3, 1u);
            }
            QVERIFY(!client.busy());
        }
    }

    void aLevelIsAskedForOnce() {
        LayoutHelperClient client(OVERLAP_LAYOUT_HELPER);
        QSignalSpy done(&client, &LayoutHelperClient::laidOut);
        const LevelGraph graph = someLevel();
        for (const std::uint64_t key : {1, 1, 2}) client.request(key, graph, ownLayout(graph));
        QTRY_VERIFY_WITH_TIMEOUT(!client.busy(), 20'000);
        QCOMPARE(done.count(), 2);
        QCOMPARE(done[0][0].toULongLong(), 1u);
        QCOMPARE(done[1][0].toULongLong(), 2u);
    }

    void aCrashIsToldOnceAndTheRestGoesOn() {
        // Ends at the first request of each process.
        LayoutHelperClient client(script("read line\nkill -SEGV $$\n"));
        QSignalSpy done(&client, &LayoutHelperClient::laidOut), failed(&client, &LayoutHelperClient::failed);
        const LevelGraph graph = someLevel();
        for (std::uint64_t key = 1; key <= 3; ++key) client.request(key, graph, ownLayout(graph));
        QTRY_VERIFY_WITH_TIMEOUT(!client.busy(), 20'000);
        QCOMPARE(failed.count(), 1);
        QVERIFY(failed[0][0].toString().contains("unexpectedly"));
        QCOMPARE(done.count(), 0);
    }

    /// And deleted when it is gone: Qt warns of a process that is deleted earlier.
    void aSlowOneIsKilled() {
        QTest::failOnWarning(QRegularExpression("Destroyed while process"));
        LayoutHelperClient client(sleeper());
        client.setPatience(60'000);
        QSignalSpy failed(&client, &LayoutHelperClient::failed);
        const LevelGraph graph = someLevel();
        client.request(1, graph, ownLayout(graph));
        QTRY_VERIFY_WITH_TIMEOUT(sleeping(), 20'000);
        client.setPatience(1);
        QVERIFY(failed.wait(10'000));
        QVERIFY(failed[0][0].toString().contains("too long"));
        QVERIFY(!client.busy());
        QTRY_VERIFY_WITH_TIMEOUT(!sleeping(), 20'000);
        QTRY_COMPARE(failed.count(), 1);
    }

    void nonsenseAndAMissingProgramAreTold() {
        for (const QString& program :
             {script("echo 5\necho nonsense\nexec sleep 60\n"), folder_.filePath("there-is-none")}) {
            LayoutHelperClient client(program);
            QSignalSpy failed(&client, &LayoutHelperClient::failed);
            const LevelGraph graph = someLevel();
            client.request(1, graph, ownLayout(graph));
            QVERIFY(failed.count() == 1 || failed.wait(10'000));
            QVERIFY(!client.busy());
        }
    }

    void cancellingForgetsWhatWasAsked() {
        LayoutHelperClient client(sleeper());
        QSignalSpy failed(&client, &LayoutHelperClient::failed);
        const LevelGraph graph = someLevel();
        client.request(1, graph, ownLayout(graph));
        QVERIFY(client.busy());
        QTRY_VERIFY_WITH_TIMEOUT(sleeping(), 20'000);
        client.cancel();
        QVERIFY(!client.busy());
        QTRY_VERIFY_WITH_TIMEOUT(!sleeping(), 20'000);
        QCOMPARE(failed.count(), 0);  // it was no failure
        client.request(1, graph, ownLayout(graph));
        QVERIFY(client.busy());
    }

    void levelsOfBothDirectionsStayOurs() {
        LevelGraph graph = someLevel();
        graph.nodes[4].backward = true;
        LayoutHelperClient client(OVERLAP_LAYOUT_HELPER);
        client.request(1, graph, ownLayout(graph));
        QVERIFY(!client.busy());
    }

    void theModelShowsOurLayoutFirstAndGraphvizAfterwards() {
        const auto document = openDocument();
        GraphModel model(*document);
        const BoxId layer = model.tree().box_of(document->modules().find("layers.0.attention"), Phase::forward);
        model.reveal(layer);
        model.setOpen(layer, true);
        model.setGraphviz(true, OVERLAP_LAYOUT_HELPER);
        const auto own = model.sharedArrangement();
        QVERIFY(own->find(layer)->open);
        QTRY_VERIFY_WITH_TIMEOUT(!model.busy(), 30'000);
        QVERIFY(model.sharedArrangement() != own);
        QVERIFY(model.arrangement().find(layer)->open);
        model.setGraphviz(false);
        for (std::size_t i = 0; i < own->boxes.size(); ++i)
            QCOMPARE(model.arrangement().boxes[i].rect, own->boxes[i].rect);
    }

  private:
    QTemporaryDir folder_;
    int scripts_ = 0;
    QString pid_file_;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::LayoutHelperTest)
#include "layout_helper_test.moc"
