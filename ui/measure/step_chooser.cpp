#include "ui/measure/step_chooser.h"

#include <QAbstractItemView>
#include <QHBoxLayout>
#include <algorithm>

#include "ui/measure/measurement.h"
#include "ui/theme/harmless_text.h"

namespace overlap::ui {

namespace {

constexpr int narrowest_box = 56;

/// Puts `texts` into a box, which is there only for a choice of several. What was chosen stays where it is among them.
void fill(QComboBox& box, const QStringList& texts, int otherwise) {
    const QVariant chosen = box.currentData();
    box.clear();
    for (const QString& text : texts) box.addItem(shownName(text), text);
    const int same = box.findData(chosen);
    box.setCurrentIndex(same >= 0 ? same : otherwise);
    box.setVisible(texts.size() > 1);
}

}  // namespace

StepChooser::StepChooser(QWidget* parent)
    : QWidget(parent), ranks_(new ElidedBox), devices_(new ElidedBox), steps_(new ElidedBox) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    ranks_->setAccessibleName(tr("Rank of the trace"));
    devices_->setAccessibleName(tr("GPU of the trace"));
    steps_->setAccessibleName(tr("Step of the trace"));
    for (ElidedBox* box : {ranks_, devices_, steps_}) {
        box->setElideMode(Qt::ElideMiddle);  // they end in numbers
        box->view()->setAccessibleName(box->accessibleName());
        box->setToolTip(box->accessibleName());
        box->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
        box->setMinimumWidth(narrowest_box);
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        box->hide();
        layout->addWidget(box);
    }
    // Only `activated`: what is filled in was not chosen by the user.
    connect(ranks_, &QComboBox::activated, this, [this] {
        fillDevices();
        emit changed();
    });
    connect(devices_, &QComboBox::activated, this, [this] {
        fillSteps();
        emit changed();
    });
    connect(steps_, &QComboBox::activated, this, &StepChooser::changed);
}

void StepChooser::setMeasurement(std::shared_ptr<const Measurement> measurement) {
    if (measurement == measurement_) return;
    measurement_ = std::move(measurement);
    for (QComboBox* box : {ranks_, devices_, steps_}) box->clear();  // names of another job mean nothing here
    fillRanks();
}

void StepChooser::fillRanks() {
    QStringList names;
    for (std::size_t rank = 0; measurement_ && rank < measurement_->traces.size(); ++rank)
        names.append(measurement_->rankName(rank));
    fill(*ranks_, names, 0);
    fillDevices();
}

void StepChooser::fillDevices() {
    QStringList names;
    if (measurement_)
        for (const MeasuredDevice& device : measurement_->devices[rank()])
            names.append(tr("GPU %1").arg(QString::fromStdString(device.device)));
    fill(*devices_, names, 0);
    fillSteps();
}

void StepChooser::fillSteps() {
    QStringList names;
    int last_counted = 0;
    if (devices_->currentIndex() >= 0) {
        const auto device = static_cast<std::size_t>(devices_->currentIndex());
        const MeasuredDevice& chosen = measurement_->devices[rank()][device];
        for (const std::string& step : chosen.steps) names.append(QString::fromStdString(step));
        last_counted = static_cast<int>(chosen.last_counted);
    }
    fill(*steps_, names, last_counted);
}

std::size_t StepChooser::rank() const {
    return static_cast<std::size_t>(std::max(0, ranks_->currentIndex()));
}

StepSelection StepChooser::step() const {
    if (devices_->currentIndex() < 0) return {};
    const auto device = static_cast<std::size_t>(devices_->currentIndex());
    return {measurement_->devices[rank()][device].device, steps_->currentData().toString().toStdString()};
}

QString StepChooser::description() const {
    QStringList chosen;
    for (const QComboBox* box : {ranks_, devices_, steps_})
        if (box->count() > 1) chosen.append(box->currentData().toString());
    return chosen.join(QStringLiteral(", "));
}

}  // namespace overlap::ui
