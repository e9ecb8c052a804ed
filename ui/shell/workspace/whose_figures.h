#pragma once

#include <QObject>

namespace overlap::ui {

class DockLayout;
class Document;
class InspectorPanel;
class Measurements;

/// While a trace is shown, toolbar and timeline have its figures, and panels of the plan keep those of the plan. Their
/// headings say so then: "of torchtitan default".
class WhoseFigures : public QObject {
    Q_OBJECT

  public:
    WhoseFigures(Document& document, const Measurements& measurements, const InspectorPanel& inspector,
                 DockLayout& docks, QObject* parent);

  private:
    void say();

    Document& document_;
    const Measurements& measurements_;
    const InspectorPanel& inspector_;
    DockLayout& docks_;
};

}  // namespace overlap::ui
