#pragma once

namespace overlap {

/// Something under way whose rate changes: keeps when it will end at the present rate. As long as the rate is 1 that is
/// its start plus its work, to the last bit.
class Activity {
  public:
    void begin(double now_ms, double work_ms, double rate) {
        running_ = true;
        since_ms_ = now_ms;
        work_ms_ = work_ms;
        rate_ = rate;
        end_ms_ = now_ms + work_ms / rate;
    }

    /// @returns whether the rate is another than before.
    bool set_rate(double now_ms, double rate) {
        if (rate == rate_) return false;
        work_ms_ -= (now_ms - since_ms_) * rate_;
        if (work_ms_ < 0) work_ms_ = 0;
        since_ms_ = now_ms;
        rate_ = rate;
        end_ms_ = now_ms + work_ms_ / rate;
        return true;
    }

    void finish() { running_ = false; }

    bool running() const { return running_; }
    double since_ms() const { return since_ms_; }  ///< the present rate holds since then
    double rate() const { return rate_; }
    double end_ms() const { return end_ms_; }

  private:
    bool running_ = false;
    double since_ms_ = 0, work_ms_ = 0, rate_ = 1, end_ms_ = 0;
};

}  // namespace overlap
