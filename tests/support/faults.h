#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace overlap::test {

/// As a disk that is full once a file has `bytes`, for as long as the object lives.
class FullDisk {
  public:
    explicit FullDisk(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &before_);
        handler_ = signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FullDisk() {
        setrlimit(RLIMIT_FSIZE, &before_);
        signal(SIGXFSZ, handler_);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

  private:
    rlimit before_{};
    void (*handler_)(int) = nullptr;
};

/// A user without root's rights, who is subject to permissions, for as long as the object lives.
class OrdinaryUser {
  public:
    OrdinaryUser() {
        if (root_ && seteuid(nobody) != 0) throw std::system_error(errno, std::generic_category(), "seteuid");
    }
    ~OrdinaryUser() {
        if (root_ && seteuid(0) != 0) std::abort();  // nothing after this would run as it should
    }
    OrdinaryUser(const OrdinaryUser&) = delete;
    OrdinaryUser& operator=(const OrdinaryUser&) = delete;

  private:
    static constexpr uid_t nobody = 65534;
    const bool root_ = geteuid() == 0;
};

}  // namespace overlap::test
