#include "ui/mesh/answers/cost_models.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/io/measured_times_file.h"
#include "core/mesh/nccl/nccl_times.h"
#include "core/redistribution/link_times.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

const QString table_prefix = QStringLiteral("table:");

QString tr(const char* text) {
    return QCoreApplication::translate("CostModel", text);
}

std::vector<CostModel> allModels() {
    std::vector<CostModel> models{
        {QStringLiteral("torch"), tr("PyTorch's topology"),
         tr("Ring formulas with the latency and bandwidth that PyTorch guesses from the mesh"), true, torch_times},
        {QStringLiteral("fixed"), tr("Fixed costs"),
         tr("all_reduce 4, all_gather and reduce_scatter 2, all_to_all and permute 1, whatever the size"), false,
         [](const DeviceMesh&) { return fixed_times(); }}};
    for (const std::string_view name : nccl_config_names()) {
        const QString config = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
        models.push_back({QStringLiteral("nccl:") + config, tr("NCCL model, %1").arg(config),
                          tr("autoparallel's model of NCCL: measured curves and tables, NCCL's tuning beyond them"),
                          true, [name](const DeviceMesh& mesh) { return nccl_times(mesh, find_nccl_config(name)); }});
    }
    return models;
}

/// Times by a graph's links, with the graph and the mesh that they refer to.
class OpenGraphTimes final : public CollectiveTimes {
  public:
    OpenGraphTimes(std::shared_ptr<const GraphLinks> links, const GroupMesh& mesh)
        : links_(std::move(links)), times_(*links_->graph, mesh) {}

    double time(StepKind kind, std::span<const int> mesh_dims, double local_gib) const override {
        return times_.time(kind, mesh_dims, local_gib);
    }

  private:
    std::shared_ptr<const GraphLinks> links_;
    LinkTimes times_;
};

CostModel linksModel(std::shared_ptr<const GraphLinks> links) {
    return {linksId, tr("Links of the open graph"),
            tr("Latency and bandwidth that the open graph gives its process groups, as simulations use them"), true,
            [links = std::move(links)](const DeviceMesh& mesh) -> std::unique_ptr<CollectiveTimes> {
                if (const QString problem = linksProblem(links.get(), mesh); !problem.isEmpty())
                    throw InputError("", problem.toStdString());
                return std::make_unique<OpenGraphTimes>(links, *links->find(mesh));
            }};
}

CostModel tableModel(const QString& file) {
    return {
        tableId(file), tr("Measured: %1").arg(QFileInfo(file).fileName()),
        tr("Times measured by kind, communicator and size, from %1; PyTorch's topology for the rest").arg(file), true,
        [file = file.toStdString()](const DeviceMesh& mesh) { return table_times(read_measured_table(file), mesh); }};
}

}  // namespace

const GroupMesh* GraphLinks::find(const DeviceMesh& mesh) const {
    const auto found = std::ranges::find_if(meshes, [&](const GroupMesh& known) {
        return known.mesh.shape == mesh.shape && known.mesh.dim_names == mesh.dim_names;
    });
    return found == meshes.end() ? nullptr : &*found;
}

const std::vector<CostModel>& costModels() {
    static const std::vector<CostModel> models = allModels();
    return models;
}

CostModel costModel(const QString& id, const std::shared_ptr<const GraphLinks>& links) {
    if (id == linksId) return linksModel(links);
    if (const QString file = tableFile(id); !file.isEmpty()) return tableModel(file);
    const auto& models = costModels();
    const auto found = std::ranges::find(models, id, &CostModel::id);
    return found == models.end() ? models.front() : *found;
}

QString tableId(const QString& file) {
    return table_prefix + file;
}

QString tableFile(const QString& id) {
    return id.startsWith(table_prefix) ? id.mid(table_prefix.size()) : QString();
}

QString linksProblem(const GraphLinks* links, const DeviceMesh& mesh) {
    if (links && !links->awaited.isEmpty()) return links->awaited;
    if (!links || links->meshes.empty())
        return tr("No graph is open that has links and parameters with collectives of their own");
    if (!links->find(mesh)) return tr("This mesh is none of the open graph's; choose one of its parameters");
    return {};
}

QString formatCost(const CostModel& model, double cost) {
    if (!std::isfinite(cost)) return QStringLiteral("–");
    if (model.microseconds) return formatTime(cost / 1000);
    return cost == 1 ? tr("1 unit") : tr("%1 units").arg(formatNumber(cost));
}

QString formatCostDifference(const CostModel& model, double difference) {
    if (model.microseconds) return formatDifference(difference / 1000, Unit::Time);
    const QString sign = difference > 0   ? QStringLiteral("+")
                         : difference < 0 ? QString(minusSign)
                                          : QStringLiteral("±");
    return sign + formatNumber(std::abs(difference));
}

}  // namespace overlap::ui
