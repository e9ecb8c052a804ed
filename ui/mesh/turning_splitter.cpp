#include "ui/mesh/turning_splitter.h"

#include <QJsonArray>
#include <utility>

namespace overlap::ui {
namespace {

QJsonArray asJson(const QList<int>& sizes) {
    QJsonArray json;
    for (const int size : sizes) json.append(size);
    return json;
}

void take(const QJsonValue& json, QList<int>& sizes) {
    QList<int> read;
    for (const QJsonValue& size : json.toArray()) read.append(size.toInt());
    if (read.size() == sizes.size()) sizes = read;
}

}  // namespace

TurningSplitter::TurningSplitter(QList<int> beside, QList<int> above, QWidget* parent)
    : QSplitter(parent), beside_(std::move(beside)), above_(std::move(above)) {
    setChildrenCollapsible(false);
    connect(this, &QSplitter::splitterMoved, this, [this] { wanted() = sizes(); });
}

void TurningSplitter::turn(Qt::Orientation orientation) {
    if (orientation == this->orientation()) return;
    setOrientation(orientation);
    setSizes(wanted());
}

QJsonObject TurningSplitter::state() const {
    return {{"beside", asJson(beside_)}, {"above", asJson(above_)}};
}

void TurningSplitter::restore(const QJsonObject& state) {
    take(state["beside"], beside_);
    take(state["above"], above_);
    setSizes(wanted());
}

}  // namespace overlap::ui
