#include "core/run/run.h"

namespace overlap {

std::vector<double> run_steps(const Program& program, Executor& executor, Ranks& ranks, const RunOptions& options) {
    std::vector<double> step_ms;
    const std::uint32_t steps = options.warm_up + options.iterations;
    for (std::uint32_t step = 0; step < steps; ++step) {
        ranks.meet(options.longest_wait);
        executor.begin_step();
        for (const Command& command : program.commands) {
            switch (command.kind) {
                case Command::Kind::compute:
                    executor.compute(command.index, program.compute[command.index]);
                    break;
                case Command::Kind::collective:
                    executor.collective(command.index, program.collectives[command.index]);
                    break;
                case Command::Kind::wait:
                    executor.wait(command.index);
                    break;
                case Command::Kind::transfer:
                    executor.transfer(command.index, program.transfers[command.index]);
                    break;
                case Command::Kind::transfer_wait:
                    executor.wait_for_transfer(command.index);
                    break;
            }
        }
        const double taken_ms = executor.end_step();
        if (step >= options.warm_up) step_ms.push_back(taken_ms);
        if (options.progress) options.progress(step + 1, steps);
    }
    return step_ms;
}

}  // namespace overlap
