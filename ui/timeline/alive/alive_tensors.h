#pragma once

#include <QString>
#include <vector>

namespace overlap::ui {

/// One tensor's memory in a list of what is alive.
struct AliveTensor {
    quint32 reference = 0xffffffffu;  ///< of what allocates it, as in the timeline
    QString name;
    QString module;  ///< dotted path; empty where it has none
    qint64 bytes = 0;
    QString until;  ///< who uses it last; empty for what stays
};

/// What is alive at one moment.
struct AliveTensors {
    qint64 bytes = 0;  ///< of all of it
    qint64 count = 0;
    QString plan;                      ///< whose memory that is; empty where it goes without saying
    QString rule;                      ///< whose estimate that is
    std::vector<AliveTensor> largest;  ///< the largest first; not always all
};

}  // namespace overlap::ui
