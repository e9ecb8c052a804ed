#include "ui/mesh/cost_models.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "core/mesh/nccl_times.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

const QString nccl_prefix = QStringLiteral("nccl:");

QString tr(const char* text) {
    return QCoreApplication::translate("CostModel", text);
}

std::vector<CostModel> allModels() {
    std::vector<CostModel> models{
        {QStringLiteral("torch"), tr("PyTorch's topology"),
         tr("Ring formulas with the latency and bandwidth that PyTorch guesses from the mesh"), true},
        {QStringLiteral("fixed"), tr("Fixed costs"),
         tr("all_reduce 4, all_gather and reduce_scatter 2, all_to_all and permute 1, whatever the size"), false}};
    for (const std::string_view name : nccl_config_names()) {
        const QString config = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
        models.push_back({nccl_prefix + config, tr("NCCL model, %1").arg(config),
                          tr("autoparallel's model of NCCL: measured curves and tables, NCCL's tuning beyond them"),
                          true});
    }
    return models;
}

}  // namespace

const std::vector<CostModel>& costModels() {
    static const std::vector<CostModel> models = allModels();
    return models;
}

const CostModel& costModel(const QString& id) {
    const auto& models = costModels();
    const auto found = std::ranges::find(models, id, &CostModel::id);
    return found == models.end() ? models.front() : *found;
}

std::unique_ptr<CollectiveTimes> makeTimes(const CostModel& model, const DeviceMesh& mesh) {
    if (model.id == u"fixed") return fixed_times();
    if (model.id.startsWith(nccl_prefix))
        return nccl_times(mesh, find_nccl_config(model.id.mid(nccl_prefix.size()).toStdString()));
    return torch_times(mesh);
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
