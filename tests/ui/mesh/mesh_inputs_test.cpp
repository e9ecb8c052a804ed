#include "ui/mesh/answers/mesh_inputs.h"

#include <QtTest>

#include "core/base/error.h"
#include "core/mesh/sharding_text.h"
#include "ui/mesh/answers/rank_slices.h"
#include "ui/mesh/ranks/state_picture.h"
#include "ui/mesh/sharding_edit.h"

namespace overlap::ui {
namespace {

QString moved(const QString& state, int mesh_dims, int mesh_dim, std::size_t row, std::size_t place) {
    const ShardingState before = parse_state(state.toStdString(), mesh_dims);
    return QString::fromStdString(to_tensor_centric_text(movedTo(before, 2, mesh_dim, row, place, ReduceOp::avg)));
}

}  // namespace

class MeshInputsTest : public QObject {
    Q_OBJECT

  private slots:
    void readsSizesAsPeopleWriteThem() {
        for (const char* text : {"2 × 4", "2x4", "2, 4", "(2, 4)", "[2,4]", "2 4", "(2, 4,)"})
            QCOMPARE(readExtents(QString::fromUtf8(text)), (Extents{2, 4}));
        QCOMPARE(readExtents(QString()), Extents());
        QVERIFY_THROWS_EXCEPTION(InputError, readExtents(QStringLiteral("2 × b")));
    }

    void readsTheFirstInputs() {
        const MeshQuestion question = readInputs({});
        QVERIFY(question.complete());
        QCOMPARE(question.mesh->rank_count(), 8);
        QCOMPARE(*question.source, parse_state("S(0)S(0)S(0)", 3));
        QCOMPARE(*question.target, parse_state("R S(0) S(0)", 3));
    }

    void saysAtEachFieldWhatIsWrong_data() {
        QTest::addColumn<int>("field");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("part");
        const auto row = [](const char* name, MeshField field, const char* text, const char* part) {
            QTest::newRow(name) << static_cast<int>(field) << QString::fromUtf8(text) << QString::fromUtf8(part);
        };
        row("no mesh", MeshField::mesh, "", "1 to 6");
        row("a size that is none", MeshField::mesh, "2 x two", "\"two\"");
        row("an empty dimension", MeshField::mesh, "2 x 0 x 2", "at least one rank");
        row("too few names", MeshField::names, "dp, tp", "2 names for 3");
        row("one name", MeshField::names, "dp", "1 name for 3 mesh dimensions");
        row("a name twice", MeshField::names, "dp, tp, dp", "\"dp\"");
        row("devices", MeshField::hosts, "many", "many");
        row("a negative size", MeshField::tensor, "64, -1", "at least 0");
        row("too few placements", MeshField::source, "S(0)R", "2");
        row("a mesh dimension twice", MeshField::source, "S(0)[0,1]R[1,2]", "twice");
        row("a mesh dimension missing", MeshField::target, "S(0)[0,1]", "2");
        row("a dimension that is not there", MeshField::target, "S(5)RR", "does not have");
    }

    void saysAtEachFieldWhatIsWrong() {
        QFETCH(int, field);
        QFETCH(QString, text);
        QFETCH(QString, part);
        MeshInputs inputs;
        inputs.text(static_cast<MeshField>(field)) = text;
        const MeshQuestion question = readInputs(inputs);
        QVERIFY(!question.complete());
        const QString problem = question.problem(static_cast<MeshField>(field));
        QVERIFY2(problem.contains(part), qPrintable(problem));
    }

    void comesBackFromTheSession() {
        MeshInputs inputs;
        inputs.names = QStringLiteral("pp, dp, tp");
        inputs.devices_per_host = QStringLiteral("4");
        inputs.source = QStringLiteral("not readable, and kept");
        inputs.cost_model = QStringLiteral("fixed");
        QCOMPARE(MeshInputs::fromJson(inputs.toJson()), inputs);
        QCOMPARE(MeshInputs::fromJson({}), MeshInputs());
    }

    void fitsStatesToOtherMeshes() {
        const ShardingState state = parse_state("S(0)[2,0]S(1)[1]", 3);
        QCOMPARE(to_tensor_centric_text(fittedState(state, 4, 2)), "S(0)[2,0]S(1)[1]R[3]");
        QCOMPARE(to_tensor_centric_text(fittedState(state, 2, 2)), "S(0)[0]S(1)[1]");
        QCOMPARE(to_tensor_centric_text(fittedState(state, 3, 1)), "S(0)[2,0]R[1]");
    }

    void movesMeshDimensions() {
        QCOMPARE(moved("S(0)[0,1,2]", 3, 2, 0, 0), "S(0)[2,0,1]");
        QCOMPARE(moved("S(0)[0,1,2]", 3, 0, 0, 2), "S(0)[1,2,0]");
        QCOMPARE(moved("S(0)[0,1,2]", 3, 1, 1, 0), "S(0)[0,2]S(1)[1]");
        QCOMPARE(moved("S(0)[0,1,2]", 3, 1, 2, 0), "S(0)[0,2]R[1]");
        QCOMPARE(moved("S(0)[0,1,2]", 3, 1, 3, 0), "S(0)[0,2]P(avg)[1]");
        QCOMPARE(moved("P(sum)P(sum)R", 3, 2, 3, 2), "P(sum)[0,1]P(avg)[2]");
        QCOMPARE(moved("S(0)[0,1,2]", 3, 1, 0, 1), "S(0)[0,1,2]");
    }

    void equalSlicesHaveEqualHues() {
        const DeviceMesh mesh{{2, 2}, {}};
        const MeshTensor tensor = MeshTensor::of({5, 4}, "float32");
        const RankBlock block = rankBlock(mesh, 0);
        SliceHues hues;
        const auto sharded = rankSlices(parse_state("S(0)R", 2), mesh, tensor, block, hues);
        QCOMPARE(sharded[0].hue, sharded[1].hue);
        QVERIFY(sharded[0].hue != sharded[2].hue);
        const auto whole = rankSlices(parse_state("RP(sum)", 2), mesh, tensor, block, hues);
        QCOMPARE(whole[3].hue, -1);
        QVERIFY(whole[3].partial);
        const auto other = rankSlices(parse_state("RS(0)", 2), mesh, tensor, block, hues);
        QCOMPARE(other[0].hue, sharded[0].hue);
        QCOMPARE(other[1].hue, sharded[2].hue);
    }

    void tellsExactRanges() {
        const DeviceMesh mesh{{2, 2}, {"dp", "tp"}};
        const MeshTensor tensor = MeshTensor::of({5, 4}, "float32");
        SliceHues hues;
        const ShardingState nested = parse_state("S(0)S(0)", 2);
        const auto slices = rankSlices(nested, mesh, tensor, rankBlock(mesh, 0), hues);
        const QString text = sliceText(slices[1], nested, mesh, tensor);
        QVERIFY2(text.startsWith(QStringLiteral("rank 1 (dp 0, tp 1): [2:3, 0:4] · 1 × 4")), qPrintable(text));
        const ShardingState strided = parse_state("_S(0, 2)R", 2);
        const auto ranges = rankSlices(strided, mesh, MeshTensor::of({8, 4}, "float32"), rankBlock(mesh, 0), hues);
        QVERIFY(sliceText(ranges[0], strided, mesh, tensor).contains(QStringLiteral("[0:2+4:6, 0:4]")));
        const ShardingState empty = parse_state("S(1)S(1)", 2);
        const auto nothing = rankSlices(empty, mesh, MeshTensor::of({5, 1}, "float32"), rankBlock(mesh, 0), hues);
        QVERIFY(nothing[3].empty());
        QVERIFY(sliceText(nothing[3], empty, mesh, tensor).contains(QStringLiteral("nothing")));
    }

    void drawsAtMostSixtyFourRanks() {
        const DeviceMesh mesh{{8, 4, 16}, {"pp", "dp", "tp"}};
        const RankBlock first = rankBlock(mesh, 0);
        QCOMPARE(first.shape, (Extents{4, 16}));
        QCOMPARE(first.count, 8);
        const RankBlock last = rankBlock(mesh, 99);
        QCOMPARE(last.first_rank, 7 * 64);
        const ShardingState cut = parse_state("S(0)RR", 3), whole = parse_state("RRR", 3);
        const QString text = blockText(last, mesh, cut, cut);
        QVERIFY2(text.contains(QStringLiteral("pp = 7")) && text.contains(QStringLiteral("dimension 0")),
                 qPrintable(text));
        QVERIFY(!text.contains(QStringLiteral("before")));
        // Both states are drawn, so the sentence is on both.
        QVERIFY2(blockText(last, mesh, cut, whole)
                     .endsWith(QStringLiteral("along pp blocks hold other parts of dimension 0 before and are alike "
                                              "after")),
                 qPrintable(blockText(last, mesh, cut, whole)));
        QVERIFY(blockText(last, mesh, whole, whole).endsWith(QStringLiteral("along pp blocks are alike")));
        const DeviceMesh small{{8, 8}, {}};
        QVERIFY(blockText(rankBlock(small, 0), small, parse_state("RR", 2), parse_state("RR", 2)).isEmpty());
        const RankBlock rest = rankBlock(DeviceMesh{{100}, {}}, 1);
        QCOMPARE(rest.first_rank, 64);
        QCOMPARE(rest.ranks(), 36);
    }

    void aDimensionRunsOverSeveralRowsWhereThatIsMuchLarger() {
        const RankBlock block = rankBlock(DeviceMesh{{8, 3}, {}}, 0);
        const RankGrid grid = layOutRanks(block, QRectF(0, 0, 520, 190), 0.7);
        QVERIFY(grid.labelled);
        QVERIFY2(grid.cells.front().height() > 50, qPrintable(QString::number(grid.cells.front().height())));
        QCOMPARE(grid.column_dims, 2);
        // Ranks of the inner dimension stay in one row.
        for (std::size_t rank = 0; rank < 24; rank += 3) QCOMPARE(grid.cells[rank].top(), grid.cells[rank + 2].top());
        // Where it is not, dimensions are kept apart.
        QCOMPARE(layOutRanks(rankBlock(DeviceMesh{{4, 16}, {}}, 0), QRectF(0, 0, 640, 160), 1.5).column_dims, 1);
    }

    void laysOutRanksWithoutOverlap() {
        for (const Extents& shape :
             {Extents{2, 2, 2}, Extents{64}, Extents{7}, Extents{1}, Extents{4, 16}, Extents{8, 3}, Extents{5, 3, 2}}) {
            const RankBlock block = rankBlock(DeviceMesh{shape, {}}, 0);
            for (const QRectF& area : {QRectF(10, 20, 640, 160), QRectF(0, 0, 140, 90), QRectF(0, 0, 90, 400)}) {
                const RankGrid grid = layOutRanks(block, area, 1.5);
                QCOMPARE(grid.cells.size(), static_cast<std::size_t>(block.ranks()));
                for (std::size_t cell = 0; cell < grid.cells.size(); ++cell) {
                    QVERIFY(area.adjusted(-0.5, -0.5, 0.5, 0.5).contains(grid.cells[cell]));
                    for (std::size_t other = 0; other < cell; ++other)
                        QVERIFY(!grid.cells[cell].intersects(grid.cells[other]));
                }
            }
        }
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::MeshInputsTest)
#include "mesh_inputs_test.moc"
