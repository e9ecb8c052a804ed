#include "ui/mesh/placement_rows.h"

#include <QCoreApplication>
#include <algorithm>
#include <unordered_map>

#include "core/base/number_text.h"
#include "core/mesh/sharding_text.h"
#include "ui/mesh/answers/mesh_inputs.h"

namespace overlap::ui {
namespace {

struct Redistribution {
    const ShardedNode* from;
    const ShardedNode* to;
    const ShardedInput* input;
};

MeshInputs inputsOf(const ShardingDocument& placements, const Redistribution& redistribution) {
    MeshInputs inputs;
    inputs.mesh = extentsText(placements.mesh_shape, QStringLiteral(" × "));
    QStringList names;
    for (const std::string& name : placements.mesh_names) names.append(QString::fromStdString(name));
    inputs.names = names.join(QStringLiteral(", "));
    inputs.tensor = extentsText(*redistribution.from->shape, QStringLiteral(", "));
    if (!redistribution.from->dtype.empty()) inputs.dtype = QString::fromStdString(redistribution.from->dtype);
    inputs.source = QString::fromStdString(to_text(*redistribution.input->made));
    inputs.target = QString::fromStdString(to_text(*redistribution.input->taken));
    return inputs;
}

}  // namespace

std::vector<MeshParameter> placementRows(const ShardingDocument& placements) {
    std::unordered_map<std::string_view, const ShardedNode*> by_name;
    for (const ShardedNode& node : placements.nodes) by_name.emplace(node.name, &node);
    std::vector<Redistribution> found;
    for (const ShardedNode& node : placements.nodes) {
        for (const ShardedInput& input : node.inputs) {
            const auto from = by_name.find(input.name);
            if (input.is_redistributed() && from != by_name.end() && from->second->shape)
                found.push_back({from->second, &node, &input});
        }
    }
    std::ranges::stable_sort(found, std::greater<>(), [](const Redistribution& redistribution) {
        return redistribution.input->redistribution_us;
    });
    std::vector<MeshParameter> rows;
    for (const Redistribution& redistribution : found) {
        MeshParameter& row = rows.emplace_back();
        row.name = QStringLiteral("%1 → %2").arg(QString::fromStdString(redistribution.from->name),
                                                 QString::fromStdString(redistribution.to->name));
        row.inputs = inputsOf(placements, redistribution);
        const QString time = QString::fromStdString(time_text(redistribution.input->redistribution_us / 1e3));
        row.detail = QStringLiteral("%1 → %2 · %3").arg(row.inputs.source, row.inputs.target, time);
        row.help = QCoreApplication::translate("MeshView", "Placed by autoparallel, which takes %1 for it").arg(time);
    }
    return rows;
}

}  // namespace overlap::ui
