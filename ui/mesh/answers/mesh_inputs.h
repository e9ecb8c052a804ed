#pragma once

#include <QJsonObject>
#include <QString>
#include <array>
#include <optional>

#include "core/mesh/sharding_state.h"

namespace overlap::ui {

/// A field that the user types into.
enum class MeshField : std::uint8_t { mesh, names, hosts, tensor, source, target };
inline constexpr std::size_t mesh_field_count = 6;

/// The inputs of the view, as they were typed: texts that cannot be read are kept as they are, and the field says why.
struct MeshInputs {
    QString mesh = QStringLiteral("2 × 2 × 2");
    QString names;  ///< of mesh dimensions, with commas; may be empty
    QString devices_per_host = QStringLiteral("8");
    QString tensor = QStringLiteral("64, 48");
    QString dtype = QStringLiteral("float32");
    QString source = QStringLiteral("S(0)[0]S(0)[1]S(0)[2]");
    QString target = QStringLiteral("RS(0)[0]S(0)[1]");
    QString cost_model = QStringLiteral("torch");

    QString& text(MeshField field);
    const QString& text(MeshField field) const;

    QJsonObject toJson() const;
    /// What is missing stays as it is at first.
    static MeshInputs fromJson(const QJsonObject& json);

    /// Whatever the costs are.
    bool asksTheSame(const MeshInputs& other) const;

    bool operator==(const MeshInputs&) const = default;
};

/// Inputs as core understands them: what could be read, and for each field why not.
struct MeshQuestion {
    std::optional<DeviceMesh> mesh;
    std::optional<MeshTensor> tensor;
    std::optional<ShardingState> source, target;
    std::array<QString, mesh_field_count> problems;  ///< one sentence or nothing, by field

    const QString& problem(MeshField field) const { return problems[static_cast<std::size_t>(field)]; }
    /// Every field could be read.
    bool complete() const;
};

MeshQuestion readInputs(const MeshInputs& inputs);

/// "2 × 2 × 2", "2x2x2", "2, 2, 2", "(2, 2, 2)" or "[2 2 2]" as sizes. An empty text has none.
/// @throws InputError for anything else.
Extents readExtents(const QString& text);
/// Sizes with `separator` between them.
QString extentsText(const Extents& extents, const QString& separator);

/// A state made to fit another number of mesh or tensor dimensions: mesh dimensions that are new or cut a dimension
/// that is gone replicate, those that are gone are left out.
ShardingState fittedState(const ShardingState& state, int mesh_dims, int tensor_dims);

}  // namespace overlap::ui
