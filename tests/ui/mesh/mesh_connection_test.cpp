// The open graph's parameters in the Mesh view, and its order in the plan.

#include "ui/mesh/mesh_connection.h"

#include <QFile>
#include <QLabel>
#include <QListView>
#include <QListWidget>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QUndoGroup>
#include <cmath>
#include <memory>

#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/mesh/answers/cost_models.h"
#include "ui/mesh/cost_box.h"
#include "ui/mesh/device_order_list.h"
#include "ui/mesh/mesh_view.h"

namespace overlap::ui {
namespace {

class MeshConnectionTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        view_ = std::make_unique<MeshView>();
        document_ = std::make_unique<Document>();
        connection_ = std::make_unique<MeshConnection>(*document_, *view_);
        document_->openGraph(QStringLiteral(OVERLAP_TEST_DATA "/redistribution_graphs/fsdp_tp.graph.json"));
        QTRY_VERIFY(document_->isOpen());
        QTRY_VERIFY(connection_->chains() && !connection_->busy());
    }

    void cleanup() {
        connection_.reset();
        document_.reset();
        view_.reset();
    }

    void offersWhatTheGraphRedistributes() {
        const QAbstractItemModel& list = *parameters();
        QCOMPARE(list.rowCount(), 1);
        QCOMPARE(list.index(0, 0).data().toString(), QStringLiteral("parameter_1\nsaves 40.56 µs"));
        const QString help = list.index(0, 0).data(Qt::ToolTipRole).toString();
        QVERIFY2(help.contains("S(0)[0]S(0)[1] → S(0)R → RR → RS(0)"), qPrintable(help));
        QVERIFY2(help.contains("S(0)[1]S(0)[0]"), qPrintable(help));
        select();
        QCOMPARE(view_->inputs().mesh, QStringLiteral("2 × 4"));
        QCOMPARE(view_->inputs().source, QStringLiteral("S(0)[0]S(0)[1]"));
        QCOMPARE(view_->inputs().target, QStringLiteral("RS(0)"));
    }

    void placementsOfAutoparallelStandBehindTheParameters() {
        QTemporaryDir folder;
        QFile file(folder.filePath("placements.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"json({"mesh": {"shape": [4, 2], "dim_names": ["dp", "tp"]}, "nodes": [
            {"name": "x", "op": "placeholder", "placement": "S(0)S(1)", "inputs": [], "shape": [64, 32],
             "dtype": "bfloat16"},
            {"name": "cheap", "op": "aten.relu.default", "placement": "S(0)R", "shape": [64, 32],
             "inputs": [{"name": "x", "src_placement": "S(0)S(1)", "dst_placement": "S(0)R", "comm_cost": 1}]},
            {"name": "dear", "op": "aten.mm.default", "placement": "RR", "shape": [64, 32],
             "inputs": [{"name": "x", "src_placement": "S(0)S(1)", "dst_placement": "RR", "comm_cost": 12.5},
                        {"name": "cheap", "src_placement": "S(0)R", "dst_placement": "S(0)R"}]}]})json");
        file.close();
        connection_->openPlacements(file.fileName());
        const QAbstractItemModel& list = *parameters();
        QTRY_COMPARE(list.rowCount(), 3);
        QCOMPARE(list.index(0, 0).data().toString(), QStringLiteral("parameter_1\nsaves 40.56 µs"));
        QCOMPARE(list.index(1, 0).data().toString(), QStringLiteral("x → dear\nS(0)S(1) → RR · 12.5 µs"));
        QVERIFY(list.index(2, 0).data().toString().startsWith(QStringLiteral("x → cheap")));
        auto* view = view_->findChild<QListView*>(QStringLiteral("meshParameters"));
        view->setCurrentIndex(list.index(1, 0));
        QCOMPARE(view_->inputs().mesh, QStringLiteral("4 × 2"));
        QCOMPARE(view_->inputs().tensor, QStringLiteral("64, 32"));
        QCOMPARE(view_->inputs().dtype, QStringLiteral("bfloat16"));
        QCOMPARE(view_->inputs().source, QStringLiteral("S(0)S(1)"));
        QCOMPARE(view_->inputs().target, QStringLiteral("RR"));
        QVERIFY(!connection_->refusal().isEmpty());  // it is no parameter that a plan could store otherwise

        QString reason;
        QObject::connect(connection_.get(), &MeshConnection::failed, view_.get(),
                         [&](const QString& sentence) { reason = sentence; });
        connection_->openPlacements(QStringLiteral("/nowhere/at/all"));
        QTRY_VERIFY(reason.contains(QStringLiteral("/nowhere/at/all")));
        QCOMPARE(list.rowCount(), 3);
    }

    void takesTheShownOrderIntoThePlan() {
        QVERIFY(!connection_->refusal().isEmpty());
        select();
        MeshInputs inputs = view_->inputs();
        inputs.source = QStringLiteral("S(0)[1]S(0)[0]");
        view_->edit(inputs, QStringLiteral("order"));
        QCOMPARE(connection_->refusal(), QString());
        connection_->takeOrder(QStringLiteral("parameter_*"));
        QCOMPARE(orders().size(), std::size_t{1});
        QCOMPARE(orders()[0].order, std::string("S(0)[1]S(0)[0]"));
        QCOMPARE(orders()[0].parameters, std::string("parameter_*"));
        QVERIFY(orders()[0].saving_ms > 0);
        // The same pattern again replaces the entry; each is one step back.
        inputs.source = QStringLiteral("S(0)[0]S(0)[1]");
        view_->edit(inputs, QStringLiteral("order"));
        connection_->takeOrder(QStringLiteral("parameter_*"));
        QCOMPARE(orders().size(), std::size_t{1});
        QCOMPARE(orders()[0].saving_ms, 0.0);
        document_->undoGroup().undo();
        QCOMPARE(orders()[0].order, std::string("S(0)[1]S(0)[0]"));
        document_->undoGroup().undo();
        QVERIFY(orders().empty());
    }

    void listsThePlansOrders() {
        auto* list = view_->findChild<QListWidget*>("deviceOrders");
        QCOMPARE(list->count(), 0);
        QVERIFY(!view_->findChild<QPushButton*>("takeOrder")->isEnabled());
        select();
        QVERIFY(view_->findChild<QPushButton*>("takeOrder")->isEnabled());
        MeshInputs inputs = view_->inputs();
        inputs.source = QStringLiteral("S(0)[1]S(0)[0]");
        view_->edit(inputs, QStringLiteral("order"));
        connection_->takeOrder(QStringLiteral("parameter_*"));
        QCOMPARE(list->count(), 1);
        QCOMPARE(list->item(0)->text(), QStringLiteral("parameter_*\nS(0)[1]S(0)[0] · saves 40.56 µs"));
        QCOMPARE(parameters()->index(0, 0).data().toString(),
                 QStringLiteral("✓ parameter_1\nstored as S(0)[1]S(0)[0]"));
        QCOMPARE(connection_->suggestedPattern(), QStringLiteral("parameter_*"));

        connection_->changePattern(0, QStringLiteral("other.*"));
        QVERIFY(list->item(0)->text().contains("matches no parameter"));
        QCOMPARE(orders()[0].saving_ms, 0.0);
        QCOMPARE(parameters()->index(0, 0).data().toString(), QStringLiteral("parameter_1\nsaves 40.56 µs"));
        document_->undoGroup().undo();
        QCOMPARE(orders()[0].parameters, std::string("parameter_*"));

        // Choosing an entry shows it, as one edit of the view.
        inputs.source = QStringLiteral("S(0)[0]S(0)[1]");
        view_->edit(inputs, QStringLiteral("order"));
        view_->orders().setCurrent(-1);
        view_->orders().setCurrent(0);
        QCOMPARE(view_->inputs().source, QStringLiteral("S(0)[1]S(0)[0]"));

        view_->findChild<QToolButton*>("removeOrder")->click();
        QVERIFY(orders().empty());
        QCOMPARE(list->count(), 0);
        document_->undoGroup().undo();
        QCOMPARE(list->count(), 1);
    }

    void pricesByTheGraphsLinks() {
        const QComboBox& costs = view_->costs();
        const int links = costs.findData(QStringLiteral("links"));
        // The seed's mesh is none of this graph's.
        QVERIFY(!(costs.model()->flags(costs.model()->index(links, 0)) & Qt::ItemIsEnabled));
        select();
        QVERIFY(costs.model()->flags(costs.model()->index(links, 0)) & Qt::ItemIsEnabled);
        MeshInputs inputs = view_->inputs();
        inputs.cost_model = QStringLiteral("links");
        view_->edit(inputs, QStringLiteral("costs"));
        QTRY_VERIFY(!view_->busy() && view_->comparison());
        // The same figure as that of the chain: torch's path of its first use.
        const ChainAlternative& chain =
            connection_->chains()->comparisons[0].find(connection_->chains()->chains.parameters[0].storage)->chains[0];
        QVERIFY(std::abs(view_->comparison()->best().cost - chain.optimal.time_ms * 1000) < 1e-6);
        inputs.mesh = QStringLiteral("4 × 2");
        view_->edit(inputs, QStringLiteral("mesh"));
        QTRY_VERIFY(!view_->busy() && !view_->comparison());
    }

    /// No graph is said to be missing while it is read, or while its collectives are looked through.
    void saysWhyThereAreNoLinksYet() {
        MeshView view;
        Document document;
        MeshConnection connection(document, view);
        const auto why = [&] {
            return view.costs().itemData(view.costs().findData(QString(linksId)), Qt::ToolTipRole).toString();
        };
        QVERIFY2(why().startsWith("No graph is open that has links"), qPrintable(why()));
        QStringList said, while_read;
        connect(&document, &Document::graphChanged, &view, [&] { said.append(why()); });
        whenReadingChanges(document, &view, [&] { while_read.append(why()); });
        // One that takes so long that this is told before it has been read.
        document.openGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64.graph.json.gz"));
        QTRY_VERIFY2(why().startsWith("This mesh is none of the open graph's"), qPrintable(why()));
        QCOMPARE(while_read, QStringList{QStringLiteral("The graph is being read")});
        QCOMPARE(said, QStringList{QStringLiteral("The collectives of the open graph are being looked through")});
    }

    void saysWhereCostsAreNotTheGraphs() {
        const auto* note = view_->findChild<QLabel*>("meshCostNote");
        auto* use = view_->findChild<QToolButton*>("meshUseGraphCosts");
        QVERIFY2(note->text().contains("PyTorch's topology, not by the open graph's"), qPrintable(note->text()));
        QVERIFY(note->text().endsWith("which has no such mesh"));
        QVERIFY(use->isHidden());
        select();
        QVERIFY(!note->parentWidget()->isHidden());
        QVERIFY(!note->text().contains("no such mesh"));
        QVERIFY(!use->isHidden());
        use->click();
        QCOMPARE(view_->inputs().cost_model, QString(linksId));
        QVERIFY(note->parentWidget()->isHidden());
        view_->undoStack().undo();
        QVERIFY(!note->parentWidget()->isHidden());
        // Without a graph there are no other costs to be taken for these.
        MeshView alone;
        QVERIFY(alone.findChild<QLabel*>("meshCostNote")->parentWidget()->isHidden());
    }

    void pricesByATable() {
        QTemporaryDir folder;
        QFile file(folder.filePath("times.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"series": [{"collective": "all_gather", "mesh_dims": [0, 1], "points": [[0, 5]]},
                                  {"collective": "all_gather", "mesh_dims": [0], "points": [[0, 4]]},
                                  {"collective": "all_gather", "mesh_dims": [1], "points": [[0, 4]]}]})");
        file.close();
        select();
        MeshInputs inputs = view_->inputs();
        inputs.target = QStringLiteral("RR");
        view_->edit(inputs, QStringLiteral("target"));
        view_->costs().chooseTable(file.fileName());
        QCOMPARE(view_->costs().currentText(), QStringLiteral("Measured: times.json"));
        QTRY_VERIFY(!view_->busy() && view_->comparison());
        QCOMPARE(view_->comparison()->best().cost, 5.0);
        view_->costs().chooseTable(folder.filePath("none.json"));
        QTRY_VERIFY(!view_->busy() && !view_->comparison());
    }

    void ofAnotherGraphItShowsThatOnesParameter() {
        const auto open = [&](const QString& name) {
            const auto former = document_->graph();
            document_->openGraph(QStringLiteral(OVERLAP_TEST_DATA "/redistribution_graphs/%1.graph.json").arg(name));
            QTRY_VERIFY(document_->graph() != former && connection_->chains() && !connection_->busy());
        };
        select();
        const MeshInputs first = view_->inputs();
        open(QStringLiteral("fsdp_3d"));
        QVERIFY(view_->inputs().mesh != first.mesh);
        QVERIFY(!connection_->refusal().contains("Select one of the parameters"));
        // What was typed is no graph's.
        MeshInputs typed = view_->inputs();
        typed.tensor = QStringLiteral("24, 24");
        view_->edit(typed, QStringLiteral("typed"));
        open(QStringLiteral("fsdp_tp"));
        QCOMPARE(view_->inputs(), typed);
    }

    void saysWhyNot() {
        select();
        MeshInputs inputs = view_->inputs();
        inputs.source = QStringLiteral("S(1)S(0)");
        view_->edit(inputs, QStringLiteral("other placements"));
        QCOMPARE(connection_->refusal(), QStringLiteral("The source is no order of how parameter_1 is stored"));
        connection_->takeOrder(QStringLiteral("*"));
        QVERIFY(orders().empty());
        document_->setCurrentIndex(0);
        QCOMPARE(connection_->refusal(),
                 QStringLiteral("The baseline is the graph as it is; choose or add a plan to edit"));
    }

  private:
    QAbstractItemModel* parameters() const { return view_->findChild<QListView*>("meshParameters")->model(); }
    const std::vector<DeviceOrder>& orders() const { return document_->current()->plan().device_orders; }

    void select() {
        auto* list = view_->findChild<QListView*>("meshParameters");
        list->setCurrentIndex(list->model()->index(0, 0));
    }

    std::unique_ptr<MeshView> view_;
    std::unique_ptr<Document> document_;
    std::unique_ptr<MeshConnection> connection_;
};

}  // namespace
}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::MeshConnectionTest)
#include "mesh_connection_test.moc"
