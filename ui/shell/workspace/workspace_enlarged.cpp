// What else happens where one part of the window is enlarged; a part of Workspace.
#include <QMainWindow>
#include <QToolButton>

#include "ui/document/document.h"
#include "ui/frame/centre_tabs.h"
#include "ui/frame/docks/dock_layout.h"
#include "ui/frame/docks/enlarge_button.h"
#include "ui/frame/docks/enlarged_part.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/graph/graph_view.h"
#include "ui/modules/modules_panel.h"
#include "ui/plan/bucket_board.h"
#include "ui/plan/bucket_view.h"
#include "ui/shell/workspace/selection_in_sight.h"
#include "ui/shell/workspace/workspace.h"

namespace overlap::ui {

void Workspace::connectEnlarged() {
    auto* button = new EnlargeButton;
    centre_->addCorner(button);
    connect(button, &QToolButton::clicked, this, [this] { enlarged_->toggle(window_.centralWidget()); });
    connect(docks_, &DockLayout::enlargeWanted, enlarged_, &EnlargedPart::toggle);
    // Notices are in the middle.
    connect(notice_, &NoticeBar::noticeShown, this, [this] { showMiddle(); });
    connect(enlarged_, &EnlargedPart::changed, this, [this] {
        for (EnlargeButton* shown : window_.findChildren<EnlargeButton*>()) shown->setEnlarged(enlarged_->any());
    });
    auto* in_sight = new SelectionInSight(document_.selection(), *enlarged_, this);
    in_sight->add(*modules_, [this] { modules_->revealSelection(); });
    in_sight->add(*board_, [this] { board_->view()->revealSelection(); });
    in_sight->add(*graph_, [this] { graph_->revealSelection(); });
}

}  // namespace overlap::ui
