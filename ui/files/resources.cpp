#include "ui/files/resources.h"

#include <QDir>

// Q_INIT_RESOURCE declares a function, so it cannot be in a namespace.
static void initialiseResources() {
    Q_INIT_RESOURCE(resources);
}

namespace overlap::ui {

void loadResources() {
    initialiseResources();
}

}  // namespace overlap::ui
