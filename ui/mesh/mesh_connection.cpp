#include "ui/mesh/mesh_connection.h"

#include <QFile>
#include <QFileInfo>
#include <QInputDialog>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/mesh/sharding_text.h"
#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/mesh/answers/cost_models.h"
#include "ui/mesh/device_order_list.h"
#include "ui/mesh/mesh_view.h"
#include "ui/mesh/placement_rows.h"
#include "ui/tasks/released_elsewhere.h"
#include "ui/tasks/task_failure.h"
#include "ui/theme/counted_text.h"

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

/// Which field says how the parameter is stored: a gradient's chain ends there.
MeshField storageField(const ParameterChains& parameter) {
    const bool gradient = parameter.chains.front().role == RedistributionChain::Role::gradient;
    return gradient ? MeshField::target : MeshField::source;
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

/// The meshes that the parameters of a graph are redistributed over.
std::shared_ptr<const GraphLinks> linksOf(std::shared_ptr<const Graph> graph, const ComparedChains& compared) {
    auto links = std::make_shared<GraphLinks>(GraphLinks{std::move(graph), {}});
    for (const ParameterChains& parameter : compared.chains.parameters)
        if (parameter.inferred() && !links->find(parameter.mesh.mesh)) links->meshes.push_back(parameter.mesh);
    return links;
}

/// The rows of the parameters that can be redistributed.
std::vector<MeshParameter> rowsOf(const ComparedChains& compared) {
    std::vector<MeshParameter> rows;
    for (std::size_t index = 0; index < compared.chains.parameters.size(); ++index) {
        const ParameterChains& parameter = compared.chains.parameters[index];
        if (!parameter.inferred()) continue;
        const OrderComparison& comparison = compared.comparisons[index];
        MeshParameter& offered = rows.emplace_back();
        offered.name = QString::fromStdString(parameter.name);
        if (const OrderAlternative* best = comparison.best(); best && best->saved_ms > 0)
            offered.detail = MeshView::tr("saves %1").arg(QString::fromStdString(time_text(best->saved_ms)));
        offered.help = helpOf(parameter, comparison);
        offered.inputs = inputsOf(parameter);
    }
    return rows;
}

QString savingText(double ms) {
    const QString time = QString::fromStdString(time_text(std::abs(ms)));
    return ms > 0 ? MeshView::tr("saves %1").arg(time) : ms < 0 ? MeshView::tr("costs %1").arg(time) : QString();
}

QString warningOf(const DeviceOrder& order, const DeviceOrderStatus& status) {
    if (!status.effect.obstacle.empty()) return QString::fromStdString(status.effect.obstacle);
    if (status.unknown()) return MeshView::tr("matches no parameter of this graph");
    if (status.effect.parameters.empty() && status.effect.misfits.empty())
        return MeshView::tr("earlier orders count for all it matches");
    if (!status.effect.misfits.empty())
        return MeshView::tr("does not fit %1 that it matches").arg(status.effect.misfits.size());
    if (!status.stale) return {};
    return MeshView::tr("out of date: the plan expects %1").arg(QString::fromStdString(time_text(order.saving_ms)));
}

DeviceOrderRow rowOf(const DeviceOrder& order, const DeviceOrderStatus& status) {
    DeviceOrderRow row;
    row.pattern = QString::fromStdString(order.parameters);
    const QString saving = savingText(status.effect.saved_ms);
    row.detail = QString::fromStdString(order.order) + (saving.isEmpty() ? saving : QStringLiteral(" · ") + saving);
    row.warning = warningOf(order, status);
    const QString count =
        countedText(status.effect.parameters.size(), MeshView::tr("%1 parameter"), MeshView::tr("%1 parameters"));
    row.help =
        QStringList{QString::fromStdString(display_name(order)), count, saving, row.warning}.join(u'\n').trimmed();
    return row;
}

/// @param graph the open one, or nullptr.
QString placementsText(const QString& path, const ShardingDocument& placements, const Graph* graph) {
    QString sentence = MeshView::tr("%1: placements of %2, of which the Mesh view lists %3")
                           .arg(QFileInfo(path).fileName(),
                                countedText(placements.nodes.size(), MeshView::tr("%1 node"), MeshView::tr("%1 nodes")),
                                countedText(placementRows(placements).size(), MeshView::tr("%1 redistribution"),
                                            MeshView::tr("%1 redistributions")));
    const std::size_t unknown = graph ? placements.unknown_nodes(*graph).size() : 0;
    if (unknown > 0) sentence += MeshView::tr("; the open graph has no node of the names of %1").arg(unknown);
    return sentence;
}

}  // namespace

MeshConnection::MeshConnection(Document& document, MeshView& view, QObject* parent)
    : QObject(parent), document_(document), view_(view) {
    connect(&document, &Document::graphChanged, this, [this] {
        rememberFormer();
        findChains();
    });
    connect(&document, &Document::timesChanged, this, [this] {
        if (searched_ != document_.graph()) findChains();  // another cost model: links are others
    });
    connect(&view, &MeshView::parameterSelected, this, [this](const QString& name) {
        selected_ = name;
        showRefusal();
    });
    connect(&view, &MeshView::stateChanged, this, &MeshConnection::showRefusal);
    connect(&document, &Document::planChanged, this, &MeshConnection::showOrders);
    whenReadingChanges(document, this, [this] {
        showRefusal();
        showLinks();
    });
    DeviceOrderList& orders = view.orders();
    connect(&orders, &DeviceOrderList::takeWanted, this, [this] { askAndTakeOrder(view_.window()); });
    connect(&orders, &DeviceOrderList::chosen, this, &MeshConnection::showOrder);
    connect(&orders, &DeviceOrderList::editWanted, this, &MeshConnection::askForPattern);
    connect(&orders, &DeviceOrderList::removeWanted, this, &MeshConnection::removeOrder);
    findChains();
}

void MeshConnection::rememberFormer() {
    if (!found_.compared) return;
    bool found = false;
    for (const ParameterChains& parameter : found_.compared->chains.parameters) {
        if (!parameter.inferred() || !view_.inputs().asksTheSame(inputsOf(parameter))) continue;
        // Several may be asked alike, of which one was chosen.
        const QString name = QString::fromStdString(parameter.name);
        if (found && name != selected_) continue;
        found = true;
        former_ = MeshParameter{name, {}, {}, inputsOf(parameter)};
    }
}

void MeshConnection::replaceFormer(const std::vector<MeshParameter>& rows) {
    if (!former_ || rows.empty()) return;
    const std::optional<MeshParameter> former = std::exchange(former_, std::nullopt);
    if (!view_.inputs().asksTheSame(former->inputs)) return;  // the user typed
    const auto same = std::ranges::find(rows, former->name, &MeshParameter::name);
    const MeshParameter& shown = same == rows.end() ? rows.front() : *same;
    view_.showParameter(shown.name, shown.inputs);
}

void MeshConnection::findChains() {
    show({});
    task_.cancel();
    const std::shared_ptr<const Graph> graph = document_.graph();
    searched_ = graph;
    if (!graph) return;
    task_.start([this, graph](std::stop_token stop) -> LatestTask::Delivery {
        Found found;
        try {
            found.compared = std::make_shared<const ComparedChains>(compare_chains(*graph, stop));
        } catch (const InputError&) {
            return [this] { showLinks(); };  // Times are not known; the evaluation says why.
        }
        if (stop.stop_requested()) return {};
        found.links = linksOf(graph, *found.compared);
        if (graph->node_count() >= large_graph_nodes) found.compared = releasedElsewhere(found.compared);
        return [this, found] { show(found); };
    });
    showLinks();
}

void MeshConnection::showLinks() {
    QString awaited;
    if (!document_.isOpen() && document_.loading()) awaited = noGraphOpen(document_);
    if (document_.isOpen() && !found_.links && task_.busy())
        awaited = MeshView::tr("The collectives of the open graph are being looked through");
    view_.setLinks(awaited.isEmpty() ? found_.links
                                     : std::make_shared<const GraphLinks>(GraphLinks{nullptr, {}, awaited}));
}

void MeshConnection::openPlacements(const QString& path) {
    placements_task_.start([this, path, graph = document_.graph()](std::stop_token stop) -> LatestTask::Delivery {
        try {
            auto read = std::make_shared<const ShardingDocument>(
                read_sharding_document(QFile::encodeName(path).toStdString(), stop));
            if (stop.stop_requested()) return {};
            const QString sentence = placementsText(path, *read, graph.get());
            return [this, read, sentence] {
                placements_ = read;
                listRows();
                emit told(sentence);
            };
        } catch (const std::exception& error) {
            return [this, reason = reasonOf(error)] { emit failed(reason); };
        }
    });
}

void MeshConnection::show(Found found) {
    found_ = std::move(found);
    selected_.clear();
    showLinks();
    if (!found_.compared) view_.setParameters({});
    listRows();
    showOrders();
}

void MeshConnection::listRows() {
    if (!found_.compared && !placements_) return rows_task_.cancel();
    rows_task_.start(
        [this, compared = found_.compared, placements = placements_](std::stop_token stop) -> LatestTask::Delivery {
            auto rows = std::make_shared<std::vector<MeshParameter>>();
            if (compared) *rows = rowsOf(*compared);
            if (stop.stop_requested()) return {};
            if (placements) std::ranges::move(placementRows(*placements), std::back_inserter(*rows));
            // Handed over rather than copied.
            return [this, rows] {
                selected_.clear();
                const bool of_graph = found_.compared != nullptr;
                const std::vector<MeshParameter> copy = former_ && of_graph ? *rows : std::vector<MeshParameter>();
                view_.setParameters(std::move(*rows));
                replaceFormer(copy);
                showOrders();
            };
        });
}

void MeshConnection::showOrders() {
    showRefusal();
    if (!found_.compared || !document_.isOpen()) return view_.orders().show({}, false);
    const std::vector<DeviceOrder>& orders = document_.current()->plan().device_orders;
    const std::vector<DeviceOrderStatus> statuses = device_order_statuses(orders, *found_.compared);
    std::vector<DeviceOrderRow> rows;
    std::vector<QString> of_parameters(found_.compared->chains.parameters.size());
    for (std::size_t row = 0; row < orders.size(); ++row) {
        rows.push_back(rowOf(orders[row], statuses[row]));
        for (const std::size_t index : statuses[row].effect.parameters)
            of_parameters[index] = QString::fromStdString(orders[row].order);
    }
    view_.orders().show(rows, document_.editable());
    std::vector<QString> marks;
    for (std::size_t index = 0; index < of_parameters.size(); ++index)
        if (found_.compared->chains.parameters[index].inferred()) marks.push_back(of_parameters[index]);
    view_.markParameters(marks);
}

void MeshConnection::showRefusal() {
    view_.orders().setRefusal(refusal());
}

void MeshConnection::showOrder(int row) {
    const std::vector<DeviceOrder>& orders = document_.current()->plan().device_orders;
    const DeviceOrder& order = orders[static_cast<std::size_t>(row)];
    const DeviceOrderStatus status = device_order_statuses(orders, *found_.compared)[static_cast<std::size_t>(row)];
    if (status.effect.parameters.empty()) return;
    const ParameterChains& parameter = found_.compared->chains.parameters[status.effect.parameters.front()];
    MeshInputs inputs = inputsOf(parameter);
    inputs.text(storageField(parameter)) = QString::fromStdString(order.order);
    view_.showParameter(QString::fromStdString(parameter.name), inputs);
}

void MeshConnection::changePattern(int row, const QString& pattern) {
    if (!document_.editable() || !found_.compared) return;
    Plan plan = document_.current()->plan();
    DeviceOrder& order = plan.device_orders[static_cast<std::size_t>(row)];
    const bool taken = std::ranges::any_of(plan.device_orders, [&](const DeviceOrder& other) {
        return &other != &order && other.parameters == pattern.toStdString();
    });
    if (taken) return emit told(MeshView::tr("The plan has an order for %1 already").arg(pattern));
    order.parameters = pattern.toStdString();
    const DeviceOrderEffect effect = effect_of(order, found_.compared->chains.parameters, found_.compared->comparisons);
    order.saving_ms = effect.saved_ms;
    order.saving_bytes = effect.saved_bytes;
    if (plan == document_.current()->plan()) return;
    document_.editPlan(MeshView::tr("Use a device order for %1").arg(pattern), std::move(plan));
}

void MeshConnection::removeOrder(int row) {
    if (!document_.editable()) return;
    Plan plan = document_.current()->plan();
    const auto removed = plan.device_orders.begin() + row;
    const QString text = MeshView::tr("Remove the device order of %1").arg(QString::fromStdString(removed->parameters));
    plan.device_orders.erase(removed);
    document_.editPlan(text, std::move(plan));
}

void MeshConnection::askForPattern(int row) {
    const DeviceOrder order = document_.current()->plan().device_orders[static_cast<std::size_t>(row)];
    bool accepted = false;
    const QString pattern = QInputDialog::getText(
        view_.window(), MeshView::tr("Change device order"),
        MeshView::tr("Parameters to store as %1; * stands for any letters").arg(QString::fromStdString(order.order)),
        QLineEdit::Normal, QString::fromStdString(order.parameters), &accepted);
    if (accepted && !pattern.trimmed().isEmpty()) changePattern(row, pattern.trimmed());
}

const ParameterChains* MeshConnection::selected() const {
    if (!found_.compared) return nullptr;
    const auto found =
        std::ranges::find(found_.compared->chains.parameters, selected_.toStdString(), &ParameterChains::name);
    return found == found_.compared->chains.parameters.end() ? nullptr : &*found;
}

const OrderAlternative* MeshConnection::shownOrder() const {
    const ParameterChains* parameter = selected();
    const MeshQuestion question = readInputs(view_.inputs());
    if (!parameter || !question.mesh || question.mesh->shape != parameter->mesh.mesh.shape) return nullptr;
    const bool target = storageField(*parameter) == MeshField::target;
    const std::optional<ShardingState>& storage = target ? question.target : question.source;
    if (!storage) return nullptr;
    const auto index = static_cast<std::size_t>(parameter - found_.compared->chains.parameters.data());
    return found_.compared->comparisons[index].find(*storage);
}

QString MeshConnection::refusal() const {
    if (!document_.isOpen()) return noGraphOpen(document_);
    if (!document_.editable()) return Document::tr("The baseline is the graph as it is; choose or add a plan to edit");
    if (!selected()) return MeshView::tr("Select one of the parameters beside the Mesh view first");
    if (!shownOrder()) return MeshView::tr("The source is no order of how %1 is stored").arg(selected_);
    return {};
}

QString MeshConnection::suggestedPattern() const {
    const std::string name = selected_.toStdString();
    // An order that the plan has for it is changed rather than joined by another.
    const std::vector<DeviceOrder>& orders = document_.current()->plan().device_orders;
    const auto known =
        std::ranges::find_if(orders, [&](const DeviceOrder& order) { return matches_pattern(order.parameters, name); });
    return QString::fromStdString(known == orders.end() ? pattern_of_alikes(name) : known->parameters);
}

void MeshConnection::takeOrder(const QString& pattern) {
    if (!refusal().isEmpty()) return;
    Plan plan = document_.current()->plan();
    DeviceOrder order = device_order(pattern.toStdString(), *selected(), shownOrder()->storage, *found_.compared);
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
    emit told(MeshView::tr("The plan has the order; what it is expected to save stands under the parameters"));
}

}  // namespace overlap::ui
