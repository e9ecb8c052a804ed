#include "ui/mesh/mesh_connection.h"

#include <QInputDialog>
#include <algorithm>

#include "core/graph/error.h"
#include "core/graph/number_text.h"
#include "core/mesh/sharding_text.h"
#include "ui/document/document.h"
#include "ui/mesh/mesh_view.h"

namespace overlap::ui {
namespace {

QString pathText(const RedistributionChain& chain) {
    std::string text;
    for (const ShardingState& state : chain.states) text += (text.empty() ? "" : " → ") + to_text(state);
    return QString::fromStdString(text);
}

/// What the view is asked about a parameter: its first chain, from how it is stored to what it is for.
MeshInputs inputsOf(const ParameterChains& parameter) {
    const RedistributionChain& chain = parameter.chains.front();
    MeshInputs inputs;
    inputs.mesh = extentsText(parameter.mesh.mesh.shape, QStringLiteral(" × "));
    QStringList names;
    for (const std::string& name : parameter.mesh.mesh.dim_names) names.append(QString::fromStdString(name));
    inputs.names = names.join(QStringLiteral(", "));
    inputs.tensor = extentsText(chain.tensor.shape, QStringLiteral(", "));
    inputs.dtype = QString::fromStdString(chain.tensor.dtype);
    inputs.source = QString::fromStdString(to_text(chain.source()));
    inputs.target = QString::fromStdString(to_text(chain.target()));
    return inputs;
}

QString helpOf(const ParameterChains& parameter, const OrderComparison& comparison) {
    QStringList lines;
    for (const RedistributionChain& chain : parameter.chains) {
        const bool gradient = chain.role == RedistributionChain::Role::gradient;
        lines.append((gradient ? MeshView::tr("Gradient: %1, %2") : MeshView::tr("Use: %1, %2"))
                         .arg(pathText(chain), QString::fromStdString(time_text(chain.time_ms))));
    }
    if (const OrderAlternative* best = comparison.best(); best && best->saved_ms > 0) {
        lines.append(MeshView::tr("Stored as %1 it takes %2 and %3 less communication a step")
                         .arg(QString::fromStdString(to_text(best->storage)),
                              QString::fromStdString(time_text(best->saved_ms)),
                              QString::fromStdString(bytes_text(best->saved_bytes))));
    }
    return lines.join('\n');
}

}  // namespace

MeshConnection::MeshConnection(Document& document, MeshView& view, QObject* parent)
    : QObject(parent), document_(document), view_(view) {
    connect(&document, &Document::graphChanged, this, &MeshConnection::findChains);
    connect(&view, &MeshView::parameterSelected, this, [this](const QString& name) { selected_ = name; });
    findChains();
}

void MeshConnection::findChains() {
    show(nullptr);
    task_.cancel();
    const std::shared_ptr<const Graph> graph = document_.graph();
    if (!graph) return;
    task_.start([this, graph](std::stop_token) -> LatestTask::Delivery {
        std::shared_ptr<const ComparedChains> compared;
        try {
            compared = std::make_shared<const ComparedChains>(compare_chains(*graph));
        } catch (const InputError&) {
            return {};  // Times are not known; the evaluation tells why.
        }
        return [this, compared] { show(compared); };
    });
}

void MeshConnection::show(std::shared_ptr<const ComparedChains> compared) {
    compared_ = std::move(compared);
    selected_.clear();
    std::vector<MeshParameter> parameters;
    for (std::size_t index = 0; compared_ && index < compared_->chains.parameters.size(); ++index) {
        const ParameterChains& parameter = compared_->chains.parameters[index];
        if (!parameter.inferred()) continue;
        const OrderComparison& comparison = compared_->comparisons[index];
        MeshParameter& offered = parameters.emplace_back();
        offered.name = QString::fromStdString(parameter.name);
        if (const OrderAlternative* best = comparison.best(); best && best->saved_ms > 0)
            offered.detail = MeshView::tr("saves %1").arg(QString::fromStdString(time_text(best->saved_ms)));
        offered.help = helpOf(parameter, comparison);
        offered.inputs = inputsOf(parameter);
    }
    view_.setParameters(std::move(parameters));
}

const ParameterChains* MeshConnection::selected() const {
    if (!compared_) return nullptr;
    const auto found = std::ranges::find(compared_->chains.parameters, selected_.toStdString(), &ParameterChains::name);
    return found == compared_->chains.parameters.end() ? nullptr : &*found;
}

const OrderAlternative* MeshConnection::shownOrder() const {
    const ParameterChains* parameter = selected();
    const MeshQuestion question = readInputs(view_.inputs());
    if (!parameter || !question.source || !question.mesh || question.mesh->shape != parameter->mesh.mesh.shape)
        return nullptr;
    const auto index = static_cast<std::size_t>(parameter - compared_->chains.parameters.data());
    return compared_->comparisons[index].find(*question.source);
}

QString MeshConnection::refusal() const {
    if (!document_.isOpen()) return Document::tr("No graph is open");
    if (!document_.editable()) return Document::tr("The baseline is the graph as it is; choose or add a plan to edit");
    if (!selected()) return MeshView::tr("Select one of the parameters beside the Mesh view first");
    if (!shownOrder()) return MeshView::tr("The source is no order of how %1 is stored").arg(selected_);
    return {};
}

QString MeshConnection::suggestedPattern() const {
    return QString::fromStdString(pattern_of_alikes(selected_.toStdString()));
}

void MeshConnection::takeOrder(const QString& pattern) {
    if (!refusal().isEmpty()) return;
    Plan plan = document_.current()->plan();
    DeviceOrder order = device_order(pattern.toStdString(), *selected(), shownOrder()->storage, *compared_);
    const auto known = std::ranges::find(plan.device_orders, order.parameters, &DeviceOrder::parameters);
    if (known == plan.device_orders.end()) {
        plan.device_orders.push_back(std::move(order));
    } else {
        *known = std::move(order);
    }
    document_.editPlan(MeshView::tr("Store %1 in another order").arg(pattern), std::move(plan));
}

void MeshConnection::askAndTakeOrder(QWidget* window) {
    if (const QString why = refusal(); !why.isEmpty()) {
        emit told(why);
        return;
    }
    const QString order = QString::fromStdString(to_text(shownOrder()->storage));
    bool accepted = false;
    const QString pattern =
        QInputDialog::getText(window, MeshView::tr("Use this device order"),
                              MeshView::tr("Parameters to store as %1; * stands for any letters").arg(order),
                              QLineEdit::Normal, suggestedPattern(), &accepted);
    if (!accepted || pattern.trimmed().isEmpty()) return;
    takeOrder(pattern.trimmed());
    emit told(MeshView::tr("The plan has the order; Problems tell what it is expected to save"));
}

}  // namespace overlap::ui
