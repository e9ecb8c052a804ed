#include "ui/cost/attention_density_dialog.h"

#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QRadioButton>
#include <QSpinBox>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/predict/flex_attention.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

constexpr double causal_half = 0.5;
constexpr int decimals = 4;  ///< of a share that is typed

}  // namespace

AttentionDensityDialog::AttentionDensityDialog(double density, std::int64_t length, QWidget* parent)
    : QDialog(parent),
      length_(std::max<std::int64_t>(length, 1)),
      one_document_(new QRadioButton(tr("&Causal, one document"))),
      documents_(new QRadioButton(tr("Causal, &documents of"))),
      share_(new QRadioButton(tr("A &share of all scores"))),
      document_length_(new QSpinBox),
      share_value_(new QDoubleSpinBox),
      summary_(new QLabel) {
    setWindowTitle(tr("Attention density"));
    setObjectName("attentionDensityDialog");
    const auto most = std::min<std::int64_t>(length_, std::numeric_limits<int>::max());
    document_length_->setRange(1, static_cast<int>(most));
    document_length_->setSuffix(tr(" tokens"));
    document_length_->setAccessibleName(tr("Tokens of a document"));
    share_value_->setRange(0, 1);
    share_value_->setDecimals(decimals);
    share_value_->setSingleStep(0.05);
    share_value_->setAccessibleName(tr("Share of all scores"));
    auto* form = new QFormLayout(this);
    auto* question = new QLabel(
        tr("Which scores of flex attention does the mask leave? The graph does not say; its sequences have %1 tokens.")
            .arg(formatCount(length_)));
    question->setWordWrap(true);
    form->addRow(question);
    form->addRow(one_document_);
    form->addRow(documents_, document_length_);
    form->addRow(share_, share_value_);
    form->addRow(summary_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    form->addRow(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    choose(density);
    for (QRadioButton* button : {one_document_, documents_, share_})
        connect(button, &QRadioButton::toggled, this, &AttentionDensityDialog::update);
    connect(document_length_, &QSpinBox::valueChanged, this, &AttentionDensityDialog::update);
    connect(share_value_, &QDoubleSpinBox::valueChanged, this, &AttentionDensityDialog::update);
    update();
}

double AttentionDensityDialog::density() const {
    if (one_document_->isChecked()) return causal_half;
    return documents_->isChecked() ? causal_density(document_length_->value(), length_) : share_value_->value();
}

/// Shows a density as what it most likely was given as.
void AttentionDensityDialog::choose(double density) {
    const auto document = static_cast<std::int64_t>(std::llround(density * 2 * static_cast<double>(length_)));
    document_length_->setValue(static_cast<int>(std::clamp<std::int64_t>(document, 1, document_length_->maximum())));
    share_value_->setValue(density);
    const bool of_documents = document >= 1 && document < length_ && causal_density(document, length_) == density;
    (density == causal_half ? one_document_ : of_documents ? documents_ : share_)->setChecked(true);
}

void AttentionDensityDialog::update() {
    document_length_->setEnabled(documents_->isChecked());
    share_value_->setEnabled(share_->isChecked());
    summary_->setText(tr("%1 of all scores").arg(formatPercent(density())));
}

}  // namespace overlap::ui
