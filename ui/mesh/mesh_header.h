#pragma once

#include <QWidget>

class QHBoxLayout;

namespace overlap::ui {

class InputsForm;

/// The controls beside the tabs of the views: the devices of a host, the costs, and what can be done with a path. In a
/// narrow window the devices of a host stand in the form instead: what does not fit here would squeeze the docks.
class MeshHeader : public QWidget {
  public:
    /// @param form whose hosts() are shown.
    MeshHeader(InputsForm& form, QWidget* costs, QWidget* more);

    QSize minimumSizeHint() const override;

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    int widthWith(bool hosts) const;

    InputsForm& form_;
    QWidget *costs_, *more_;
    QHBoxLayout* row_;
};

}  // namespace overlap::ui
