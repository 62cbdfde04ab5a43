/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// Benchmark shim: the only C++ of the benchmarks, because Google Benchmark's interface is C++.
// In: cases of C functions. Out: Google Benchmark's states around them, and its runs as plain
// structs.
#include "bench/benchmark_shim.h"

#include <benchmark/benchmark.h>
#include <regex.h>

#include <map>
#include <string>

struct bench_run {
    benchmark::State *state;
    double seconds;
};

namespace {

struct Registered {
    int order;
    int64_t items;
    std::string full_name; // as filters see it
};

std::map<std::string, Registered> registered_cases;

// As Google Benchmark reads its filter, which it does only when it runs.
bool matches_filter(const std::string &name) {
    std::string filter = benchmark::GetBenchmarkFilter();
    bool negative = filter[0] == '-';
    regex_t expression;
    if (regcomp(&expression, filter.c_str() + negative, REG_EXTENDED | REG_NOSUB)) return true;
    bool matched = regexec(&expression, name.c_str(), 0, nullptr, 0) == 0;
    regfree(&expression);
    return matched != negative;
}

void measure(benchmark::State &state, const bench_case &c) {
    bench_run run = {&state, 0};
    if (c.prepare && !c.prepare(&run, c.context)) return;
    int64_t iterations = static_cast<int64_t>(state.max_iterations);
    // One batch holds all iterations: the body's own loop is timed, without a call into this
    // library per iteration.
    while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(iterations))) {
        c.body(&run, iterations, c.context);
        if (c.manual) state.SetIterationTime(run.seconds);
    }
    if (c.items) state.SetItemsProcessed(iterations * c.items);
    if (c.bytes) state.SetBytesProcessed(iterations * c.bytes);
}

class Collector : public benchmark::BenchmarkReporter {
  public:
    Collector(bench_sink sink, void *context) : sink_(sink), context_(context) {}
    bool ReportContext(const Context &) override { return true; }

    void ReportRuns(const std::vector<Run> &runs) override {
        for (const Run &run : runs) {
            if (run.run_type != Run::RT_Iteration) continue;
            bool manual = run.run_name.time_type == "manual_time";
            double total = manual ? run.real_accumulated_time : run.cpu_accumulated_time;
            bench_result result = {};
            result.name = run.run_name.function_name.c_str();
            result.error = run.error_occurred ? run.error_message.c_str() : nullptr;
            result.seconds = run.iterations ? total / static_cast<double>(run.iterations) : 0;
            const Registered &registered = registered_cases[run.run_name.function_name];
            result.order = registered.order;
            result.items = registered.items;
            for (const auto &counter : run.counters) {
                bool derived =
                    counter.first == "items_per_second" || counter.first == "bytes_per_second";
                if (derived || result.counter_count == BENCH_MAX_COUNTERS) continue;
                result.counters[result.counter_count++] = {counter.first.c_str(),
                                                           counter.second.value};
            }
            sink_(&result, context_);
        }
    }

  private:
    bench_sink sink_;
    void *context_;
};

} // namespace

void bench_register(const bench_case *c) {
    bench_case copy = *c;
    int order = static_cast<int>(registered_cases.size());
    std::string full_name = c->name;
    if (c->iterations) full_name += "/iterations:" + std::to_string(c->iterations);
    if (c->repetitions) full_name += "/repeats:" + std::to_string(c->repetitions);
    if (c->manual) full_name += "/manual_time";
    registered_cases[c->name] = {order, c->items, full_name};
    auto *registered = benchmark::RegisterBenchmark(
        c->name, [copy](benchmark::State &state) { measure(state, copy); });
    if (c->iterations)
        registered->Iterations(static_cast<benchmark::IterationCount>(c->iterations));
    if (c->repetitions) registered->Repetitions(c->repetitions);
    if (c->manual) registered->UseManualTime();
}

bool bench_selected(const char *name) { return matches_filter(registered_cases[name].full_name); }

void bench_context(const char *name, const char *value) {
    benchmark::AddCustomContext(name, value);
}
void bench_seconds(bench_run *run, double seconds) { run->seconds = seconds; }
void bench_counter(bench_run *run, const char *name, double value) {
    run->state->counters[name] = value;
}
void bench_fail(bench_run *run, const char *message) { run->state->SkipWithError(message); }
void bench_clobber(void) { benchmark::ClobberMemory(); }

int bench_main(int *argc, char **argv, bench_sink sink, void *context) {
    benchmark::Initialize(argc, argv);
    if (benchmark::ReportUnrecognizedArguments(*argc, argv)) return 1;
    // Where all are asked for, in one of three ways, the library has room made for each case anew:
    // a minute for 26,000 of them. It does not know this fourth way.
    const std::string filter = benchmark::GetBenchmarkFilter();
    if (filter.empty() || filter == "all" || filter == ".") benchmark::SetBenchmarkFilter(".*");
    Collector collector(sink, context);
    size_t count =
        sink ? benchmark::RunSpecifiedBenchmarks(&collector) : benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return count ? 0 : 1;
}
