#include "ui/mesh/answers/mesh_inputs.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>

#include "core/base/error.h"
#include "core/base/wording.h"
#include "core/mesh/sharding_text.h"

namespace overlap::ui {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("MeshInputs", text);
}

/// What `read` returns, or nothing and the reason as a sentence.
template <typename Read>
auto readOr(QString& problem, Read read) -> std::optional<decltype(read())> {
    try {
        return read();
    } catch (const InputError& error) {
        // The field is the place.
        problem = QString::fromStdString(error.problem());
        problem[0] = problem[0].toUpper();
    }
    return std::nullopt;
}

std::vector<std::string> readNames(const QString& text, std::size_t mesh_dims) {
    std::vector<std::string> names;
    static const QRegularExpression separator(QStringLiteral("[,;\\s]+"));
    for (const QString& name : text.split(separator, Qt::SkipEmptyParts)) {
        const std::string taken = name.toStdString();
        if (std::find(names.begin(), names.end(), taken) != names.end())
            throw InputError("names", "\"" + taken + "\" names two mesh dimensions");
        names.push_back(taken);
    }
    if (!names.empty() && names.size() != mesh_dims)
        throw InputError("names", counted(names.size(), "name") + " for " + counted(mesh_dims, "mesh dimension"));
    return names;
}

std::int64_t readDevices(const QString& text) {
    bool number = false;
    const qlonglong devices = text.trimmed().toLongLong(&number);
    if (!number || devices < 0)
        throw InputError("devices", tr("\"%1\" is not a number of devices").arg(text).toStdString());
    return devices;
}

}  // namespace

QString& MeshInputs::text(MeshField field) {
    switch (field) {
        case MeshField::mesh:
            return mesh;
        case MeshField::names:
            return names;
        case MeshField::hosts:
            return devices_per_host;
        case MeshField::tensor:
            return tensor;
        case MeshField::source:
            return source;
        case MeshField::target:
            break;
    }
    return target;
}

const QString& MeshInputs::text(MeshField field) const {
    return const_cast<MeshInputs*>(this)->text(field);
}

bool MeshInputs::asksTheSame(const MeshInputs& other) const {
    MeshInputs by_these_costs = other;
    by_these_costs.cost_model = cost_model;
    by_these_costs.devices_per_host = devices_per_host;
    return by_these_costs == *this;
}

QJsonObject MeshInputs::toJson() const {
    return {{"mesh", mesh},     {"names", names},     {"devices_per_host", devices_per_host},
            {"tensor", tensor}, {"dtype", dtype},     {"source", source},
            {"target", target}, {"costs", cost_model}};
}

MeshInputs MeshInputs::fromJson(const QJsonObject& json) {
    MeshInputs inputs;
    inputs.mesh = json["mesh"].toString(inputs.mesh);
    inputs.names = json["names"].toString(inputs.names);
    inputs.devices_per_host = json["devices_per_host"].toString(inputs.devices_per_host);
    inputs.tensor = json["tensor"].toString(inputs.tensor);
    inputs.dtype = json["dtype"].toString(inputs.dtype);
    inputs.source = json["source"].toString(inputs.source);
    inputs.target = json["target"].toString(inputs.target);
    inputs.cost_model = json["costs"].toString(inputs.cost_model);
    return inputs;
}

bool MeshQuestion::complete() const {
    return std::ranges::all_of(problems, &QString::isEmpty) && source && target;
}

MeshQuestion readInputs(const MeshInputs& inputs) {
    MeshQuestion question;
    const auto problem = [&](MeshField field) -> QString& {
        return question.problems[static_cast<std::size_t>(field)];
    };
    question.mesh = readOr(problem(MeshField::mesh), [&] {
        DeviceMesh mesh{readExtents(inputs.mesh), {}};
        mesh.validate();
        return mesh;
    });
    const auto devices = readOr(problem(MeshField::hosts), [&] { return readDevices(inputs.devices_per_host); });
    question.tensor = readOr(problem(MeshField::tensor),
                             [&] { return MeshTensor::of(readExtents(inputs.tensor), inputs.dtype.toStdString()); });
    if (!question.mesh) return question;
    if (auto names =
            readOr(problem(MeshField::names), [&] { return readNames(inputs.names, question.mesh->shape.size()); }))
        question.mesh->dim_names = std::move(*names);
    if (devices) question.mesh->devices_per_host = *devices;
    if (!question.tensor) return question;
    const auto state = [&](MeshField field) {
        return readOr(problem(field), [&] {
            ShardingState read = parse_state(inputs.text(field).trimmed().toStdString(), question.mesh->dims());
            validate_state(read, *question.mesh, question.tensor->dims());
            return read;
        });
    };
    question.source = state(MeshField::source);
    question.target = state(MeshField::target);
    return question;
}

Extents readExtents(const QString& text) {
    QString list = text.trimmed();
    if ((list.startsWith(u'(') && list.endsWith(u')')) || (list.startsWith(u'[') && list.endsWith(u']')))
        list = list.mid(1, list.size() - 2).trimmed();
    if (list.isEmpty()) return {};
    static const QRegularExpression separator(QStringLiteral("\\s*[x×X*,;]\\s*|\\s+"));
    QStringList parts = list.split(separator);
    if (parts.size() > 1 && parts.back().isEmpty()) parts.removeLast();  // "(8,)", and while the next one is typed
    Extents extents;
    for (const QString& part : parts) {
        bool number = false;
        const qlonglong size = part.toLongLong(&number);
        if (!number)
            throw InputError("sizes",
                             tr("\"%1\" is not a size; write sizes such as 2 × 4 or 64, 48").arg(part).toStdString());
        extents.push_back(size);
    }
    return extents;
}

QString extentsText(const Extents& extents, const QString& separator) {
    QStringList parts;
    for (const std::int64_t size : extents) parts.append(QString::number(size));
    return parts.join(separator);
}

ShardingState fittedState(const ShardingState& state, int mesh_dims, int tensor_dims) {
    std::vector<Placement> placements = state.placements;
    placements.resize(static_cast<std::size_t>(mesh_dims));
    for (Placement& placement : placements)
        if (placement.cuts() && placement.tensor_dim >= tensor_dims) placement = Placement::replicate();
    ShardingState fitted = state_in_default_order(placements);
    for (ShardOrderEntry& entry : fitted.shard_order) {
        // What was in an order stays in it; a shard keeps its tensor dimension, so none is new.
        std::vector<int> order;
        for (const int mesh_dim : mesh_dims_of(state.shard_order, entry.tensor_dim))
            if (mesh_dim < mesh_dims) order.push_back(mesh_dim);
        entry.mesh_dims = std::move(order);
    }
    return fitted;
}

}  // namespace overlap::ui
