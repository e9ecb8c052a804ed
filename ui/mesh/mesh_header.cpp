#include "ui/mesh/mesh_header.h"

#include <QHBoxLayout>

#include "ui/mesh/inputs_form.h"

namespace overlap::ui {
namespace {

constexpr int spacing = 2;
constexpr int behind_hosts = 8;

}  // namespace

MeshHeader::MeshHeader(InputsForm& form, QWidget* costs, QWidget* more)
    : form_(form), costs_(costs), more_(more), row_(new QHBoxLayout(this)) {
    row_->setContentsMargins(0, 0, 0, 0);
    row_->setSpacing(spacing);
    form.hosts()->setContentsMargins(0, 0, behind_hosts, 0);
    for (QWidget* control : {form.hosts(), costs, more}) row_->addWidget(control);
}

int MeshHeader::widthWith(bool hosts) const {
    const int others = costs_->minimumSizeHint().width() + spacing + more_->sizeHint().width();
    return hosts ? form_.hosts()->minimumSizeHint().width() + spacing + others : others;
}

QSize MeshHeader::minimumSizeHint() const {
    return {widthWith(false), QWidget::minimumSizeHint().height()};
}

void MeshHeader::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    QWidget* hosts = form_.hosts();
    const bool here = width() >= widthWith(true);
    if (here == (hosts->parentWidget() == this)) return;
    here ? row_->insertWidget(0, hosts) : form_.showHosts();
    hosts->show();
}

}  // namespace overlap::ui
