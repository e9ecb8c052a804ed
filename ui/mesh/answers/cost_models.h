#pragma once

#include <QString>
#include <functional>
#include <memory>
#include <vector>

#include "core/graph/graph.h"
#include "core/mesh/collective_times.h"
#include "core/redistribution/redistribution_mesh.h"

namespace overlap::ui {

/// A cost model that paths are found and compared by.
struct CostModel {
    QString id;                ///< for the session, such as `torch`, `nccl:h100`, `links` or `table:FILE`
    QString title;             ///< for display
    QString help;              ///< where the figures come from
    bool microseconds = true;  ///< false: units of the model's own
    /// The model's figures for a mesh, on any thread. Throws InputError where it has none.
    std::function<std::unique_ptr<CollectiveTimes>(const DeviceMesh&)> times;
};

/// A graph whose links price collectives on the meshes that its process groups form.
struct GraphLinks {
    std::shared_ptr<const Graph> graph;
    std::vector<GroupMesh> meshes;
    /// Why there are none yet, as a sentence without full stop: the graph is being read, or looked through.
    QString awaited{};

    /// The mesh with shape and names of `mesh`, or nullptr.
    const GroupMesh* find(const DeviceMesh& mesh) const;
};

/// Every model that needs neither graph nor file, torch's own first.
const std::vector<CostModel>& costModels();
/// The model called `id`, or torch's where there is none with this id.
/// @param links of the open graph, or nullptr: then the model `links` has no figures.
CostModel costModel(const QString& id, const std::shared_ptr<const GraphLinks>& links = nullptr);

/// Id of the model of a graph's links.
inline constexpr QLatin1String linksId("links");
/// Id of the model of a file of measured times, which is read whenever it is asked; and the file of such an id, or
/// nothing for others.
QString tableId(const QString& file);
QString tableFile(const QString& id);
/// Why links have no figures for `mesh`, as a sentence without full stop; empty where they have.
QString linksProblem(const GraphLinks* links, const DeviceMesh& mesh);

/// A cost as the model means it: "14.2 µs", or "3 units".
QString formatCost(const CostModel& model, double cost);
/// A difference of costs with its sign: "−6.1 µs".
QString formatCostDifference(const CostModel& model, double difference);

}  // namespace overlap::ui
