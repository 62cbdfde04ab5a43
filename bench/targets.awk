# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The targets beside what a report has measured, as a Markdown table. In: a report. Out: one row per target; "-" where the report lacks the
# case, "no" with the distance where the target is missed. Then a line "verdict: " that counts them and names what is missed. With
# -v short=1 what the report lacks is left out.
#   awk -f bench/targets.awk TABLES
function trim(s) { gsub(/^ +| +$/, "", s); return s }
function number(s) { return s + 0 }
function has(row, contender) { return (row SUBSEP contender) in value }
function of(row, contender) { return value[row, contender] }
function print_row(what, wanted, measured, distance) {
    if (distance == "" && short) return
    if (distance != "") targets++
    if (distance != "" && distance > 1) missed[++misses] = sprintf("%s (%.2f times)", what, distance)
    printf "| %s | %s | %s | %s |\n", what, wanted, measured, distance == "" ? "-" : distance <= 1 ? "yes" : sprintf("no, %.2f times", distance)
}
# At most `limit`, in `unit`.
function at_most(what, row, contender, limit, unit) {
    if (has(row, contender)) print_row(what, "at most " limit " " unit, of(row, contender) " " unit, of(row, contender) / limit)
    else print_row(what, "at most " limit " " unit, "-", "")
}
# Time of one contender over that of another.
function ratio(what, row, contender, other, limit,    r) {
    if (!has(row, contender) || !has(row, other)) { print_row(what, "at most " limit, "-", ""); return }
    r = of(row, contender) / of(row, other)
    print_row(what, "at most " limit, sprintf("%.2f", r), r / limit)
}
# The largest ratio of two contenders over the rows that match.
function worst(what, pattern, contender, other, limit,    row, k, r, most, where) {
    for (k = 1; k <= rows; k++) {
        row = order[k]
        if (row !~ pattern || !has(row, contender) || !has(row, other)) continue
        r = of(row, contender) / of(row, other)
        if (r > most) { most = r; where = row }
    }
    if (where == "") print_row(what, "at most " limit, "-", "")
    else print_row(what, "at most " limit, sprintf("%.2f (%s)", most, where), most / limit)
}
# The median of that ratio.
function typical(what, pattern, except, contender, other, limit,    row, k, j, count, all, r) {
    for (k = 1; k <= rows; k++) {
        row = order[k]
        if (row !~ pattern || row ~ except || !has(row, contender) || !has(row, other)) continue
        r = of(row, contender) / of(row, other)
        for (j = count++; j > 0 && all[j] > r; j--) all[j + 1] = all[j]
        all[j + 1] = r
    }
    if (!count) { print_row(what, "at most " limit, "-", ""); return }
    r = (all[int((count + 1) / 2)] + all[int(count / 2) + 1]) / 2
    print_row(what, "at most " limit, sprintf("%.2f of %d", r, count), r / limit)
}
# Time of one case over that of another.
function across(what, row, contender, other_row, other, limit,    r) {
    if (!has(row, contender) || !has(other_row, other)) { print_row(what, "at most " limit, "-", ""); return }
    r = of(row, contender) / of(other_row, other)
    print_row(what, "at most " limit, sprintf("%.2f", r), r / limit)
}
# The same over pairs of contenders, "dynamic/static dynamic_two/static_two", and how many of all are above the limit. Rows that match
# `except` are left out, and so are those where `bound` is not empty and its pair has a ratio above 1.1.
function worst_pair(what, pattern, except, pairs, limit, bound,    row, k, p, count, pair, part, r, most, where, above, all) {
    count = split(pairs, pair, " ")
    for (k = 1; k <= rows; k++) {
        row = order[k]
        if (row !~ pattern || (except != "" && row ~ except)) continue
        if (bound != "") {
            split(bound, part, "/")
            if (!has(row, part[1]) || !has(row, part[2]) || of(row, part[1]) / of(row, part[2]) > 1.1) continue
        }
        for (p = 1; p <= count; p++) {
            split(pair[p], part, "/")
            if (!has(row, part[1]) || !has(row, part[2])) continue
            r = of(row, part[1]) / of(row, part[2]); all++
            if (r > limit) above++
            if (r > most) { most = r; where = row "/" part[1] }
        }
    }
    if (!all) print_row(what, "at most " limit, "-", "")
    else print_row(what, "at most " limit, sprintf("%.2f (%s); %d of %d above", most, where, above, all), most / limit)
}
# A ratio that is to be large.
function at_least(what, row, contender, limit) {
    if (has(row, contender)) print_row(what, "at least " limit, of(row, contender), limit / of(row, contender))
    else print_row(what, "at least " limit, "-", "")
}
function is_peer(c) { return c ~ /^(loop|xnnpack|onednn|mlir|sleef_u10)$/ }
# The best peer's time over ours, for every row that matches and where a peer leaves room below the limit: worst and geometric mean. Where
# there is a result within 1 ulp ("fast"), it is ours; the loop, which is up to 4 ulp off there, is no peer.
function against_peers(pattern, dynamic, only_room,    k, row, c, best, r, least, where, sum, count, ours) {
    least = 1e9
    for (k = 1; k <= rows; k++) {
        row = order[k]; best = 1e9
        ours = has(row, "fast") ? "fast" : dynamic
        if (row !~ pattern || !has(row, ours)) continue
        for (c = 1; c <= contenders; c++) if (is_peer(name[c]) && !(ours == "fast" && name[c] == "loop") && has(row, name[c]) && of(row, name[c]) < best) best = of(row, name[c])
        if (best == 1e9 || (only_room && has(row, "copy") && of(row, "copy") / best > 0.9)) continue
        r = best / of(row, ours); sum += log(r); count++
        if (r < least) { least = r; where = row }
    }
    if (only_room) print_row("best peer where it leaves room, geometric mean of " count, "at least 1.5", count ? sprintf("%.2f", exp(sum / count)) : "-", count ? 1.5 / exp(sum / count) : "")
    else print_row("best peer, worst of " count " cases", "at least 0.97", count ? sprintf("%.2f (%s)", least, where) : "-", count ? 0.97 / least : "")
}
/^$/ { columns = 0 }
/^\|/ {
    count = split($0, cell, "|")
    if (!columns) {
        family = trim(cell[2]); sub(/,.*/, "", family); columns = count - 1
        for (c = 3; c <= columns; c++) {
            head[c] = trim(cell[c])
            if (!(head[c] in known)) { known[head[c]] = 1; name[++contenders] = head[c] }
        }
    } else if (cell[2] !~ /---/) {
        row = family "/" trim(cell[2])
        if (!(row in seen)) { seen[row] = 1; order[++rows] = row }
        for (c = 3; c <= columns; c++) if (trim(cell[c]) != "-") value[row, head[c]] = number(trim(cell[c]))
    }
}
END {
    print "| target | wanted | measured | met |\n| --- | --- | --- | --- |"
    split("exp 1.75 log 1.4 tanh 0.38 erf 0.30 sin 1.2 cos 0.95 pow 0.5", exact, " ")
    for (k = 1; k <= 14; k += 2) ratio("exact " exact[k] " over SLEEF u10", "math/" exact[k] "/4K", "exact", "sleef_u10", exact[k + 1])
    for (k = 1; k <= 14; k += 2) ratio("fast " exact[k] " over SLEEF u10", "math/" exact[k] "/4K", "fast", "sleef_u10", 0.7)
    ratio("fast sigmoid over XNNPACK", "math/sigmoid/4K", "fast", "xnnpack", 1.1)
    at_most("a call of 16 elements, static", "call/add_16", "run_static", 15, "ns")
    at_most("the same of rank 4", "call/add_16", "static_4d", 15, "ns")
    at_most("dynamic, rank 4, sizes as before", "call/add_16", "dynamic_4d", 30, "ns")
    at_most("dynamic, rank 4, sizes that were not met before", "call/add_16", "changing_4d", 30, "ns")
    ratio("a bound call of 16 elements over XNNPACK's run", "call/add_16", "bound_static", "xnnpack_4d", 1.3)
    ratio("a bound call of 1023 elements over XNNPACK's run", "call/add_1023", "bound_static", "xnnpack_4d", 1.0)
    if (has("call/add_16", "bound_static") && has("call/add_16", "loop")) {
        beyond = of("call/add_16", "bound_static") - of("call/add_16", "loop")
        print_row("a bound call of 16 elements, over the loop", "at most 8 ns", sprintf("%.2f ns", beyond), beyond / 8)
    }
    at_most("its raw entry", "call/add_16", "raw_dynamic", 4, "ns")
    at_most("compiling a static add", "compile/add_static", "tosajit", 1.2, "ms")
    at_most("compiling a dynamic add", "compile/add_dynamic", "tosajit", 2.5, "ms")
    split("exp log tanh sigmoid erf sin cos pow", compiled)
    for (k = 1; k in compiled; k++) at_most("compiling " compiled[k], "compile/" compiled[k] "_dynamic", "tosajit", 6, "ms")
    at_most("compiling a static op of a list of sixteen", "compile/sixteen_static_each", "at_once", 1.2, "ms")
    at_most("compiling a dynamic op of a list of sixteen", "compile/sixteen_dynamic_each", "at_once", 2.5, "ms")
    at_most("finding a kernel again", "compile/cache_hit", "tosajit", 1000, "ns")
    at_most("compiling ten operations", "compile/ten_ops_dynamic", "tosajit", 6, "ms")
    at_most("first kernel of a process", "compile/fresh_process, tosajit", "first_kernel_ms", 15, "ms")
    at_most("a kernel, its code and pages", "memory/thousand_kernels, tosajit", "bytes_per_kernel", 65536, "bytes")
    tiny = "/1d/(7|16|1023|1K)$|/3x5x7x1_and" # below 4K elements
    undivided = "/(7|16|1023|1K|4K|16K|64K|rows_of_[0-9]+)$|/[0-9N][^/]*_and_" # by an engine of two threads; but pow is
    four = "dynamic/static dynamic_in_place/static_in_place dynamic_two/static_two dynamic_two_in_place/static_two_in_place"
    worst_pair("dynamic over static, from 4K", "^(forms_.*|add|broadcast|op|shape|view)/", tiny "|/1K$", four, 1.03)
    worst_pair("in place over out of place", "^forms_(add|shape|op|math|chain)/", "", "static_in_place/static dynamic_in_place/dynamic static_two_in_place/static_two dynamic_two_in_place/dynamic_two", 1.05)
    worst_pair("buffers at 16 or 4 modulo 64 over whole lines", "^offset/", "", "static_16/static static_4/static", 1.1)
    worst_pair("the same over the loop in C at that offset", "^offset/", "", "static/loop static_16/loop_16 static_4/loop_4", 1.03)
    worst_pair("bool and 16 bits over the loop in C", "^narrow/", "", "static/loop dynamic/loop", 1.03)
    worst("add over moving the bytes, from 4K", "^add/(same|scalar|row|column)/(4K|64K|1M|16M)$", "dynamic", "copy", 1.05)
    worst("channels, two sides, 64M, over moving the bytes", "^shape/(channel|two_sided|same_64M)", "dynamic", "copy", 1.05)
    worst("short rows over long ones", "^(add/(same|scalar|row|column|outer)/rows_of_11|shape/(Nx1|1x3|3x5).*)$", "dynamic", "copy", 1.67)
    at_least("sweep: the worst pattern beside moving the bytes", "sweep: dynamic beside/limit", "worst ratio", 0.6)
    at_least("sweep: one in twenty is worse than", "sweep: dynamic beside/limit", "5%", 0.6)
    worst("transposed and strided views over a blocked copy", "^view/", "dynamic", "blocked", 1.05)
    two = "static_two/static dynamic_two/dynamic static_two_in_place/static_in_place dynamic_two_in_place/dynamic_in_place"
    worst_pair("two threads over one: functions in the caches", "^forms_math/.*/1M$", "reciprocal", two, 0.556)
    worst_pair("two threads over a copy on two, where one thread is as fast as a copy", "^forms_", "", "static_two/copy_two dynamic_two/copy_two", 1.05, "dynamic/copy")
    worst_pair("two threads over one: work too small to divide", "^forms_.*(" undivided ")", "/pow", two, 1.05)
    worst_pair("two threads over one: all other work", "^forms_", undivided, two, 1)
    worst("int8 between products, from L2, over a copy: the worst", "^int8/", "static", "copy", 1.5)
    typical("int8 between products, from L2, over a copy: the median", "^int8/", "^$", "static", "copy", 1.5)
    single = "^(add|broadcast|op|shape)/"; several = "/(1K|maximum_i8)" # below 4K elements; three ops in one kernel
    typical("one precompiled op over compiled, from 4K, median", single, several, "precompiled", "dynamic", 1.05)
    worst_pair("the same, worst", single, several, "precompiled/dynamic", 1.3)
    sweep = "sweep: dynamic beside/precompiled" # whose ratios are its time over the dynamic kernel's
    at_most("one precompiled op over compiled, patterns of the sweep, median", sweep, "median", 1.05, "")
    at_most("the same, worst", sweep, "best", 1.3, "")
    worst("GELU, swish and layer-norm tail by precompiled ops over compiled", "^chain/(gelu_erf|silu|layer_norm_tail)/", "precompiled", "dynamic", 1.5)
    worst("ten cheap precompiled ops over compiled", "^chain/ten_ops/", "precompiled", "dynamic", 4)
    across("ten cheap precompiled ops over numexpr, 64K", "python/ten_ops_64K", "precompiled", "python/ten_ops_64K", "numexpr", 0.5)
    across("a call of 16 elements: one precompiled op over compiled", "precompiled/call_16_one_op", "precompiled", "precompiled/call_16_one_op", "native", 1.3)
    across("five precompiled ops over one", "precompiled/call_16_five_ops", "precompiled", "precompiled/call_16_one_op", "precompiled", 5)
    at_most("making a kernel of one precompiled op", "precompiled/make_one_op", "precompiled", 20000, "ns")
    at_most("making a kernel of ten", "precompiled/make_ten_ops", "precompiled", 60000, "ns")
    at_most("engine to first result in a fresh process", "precompiled/fresh_process, precompiled", "first_result_ms", 1, "ms")
    fresh = "precompiled/fresh_process, precompiled"
    if (has(fresh, "llvm_mapped")) print_row("such processes that map LLVM", "none", of(fresh, "llvm_mapped"), 2 * of(fresh, "llvm_mapped"))
    else print_row("such processes that map LLVM", "none", "-", "")
    across("in the background: first result over later ones", "precompiled/background_1M_five_ops, background", "first_result_ms", "precompiled/background_1M_five_ops, background", "steady_ms", 3)
    against_peers("^(add|broadcast|op|chain|shape|view)/", "dynamic", 0)
    against_peers("^(add|broadcast|op|chain|shape|view)/", "dynamic", 1)
    printf "verdict: %d of %d targets met%s", targets - misses, targets, misses ? "; missed: " : "\n"
    for (k = 1; k <= misses; k++) printf "%s%s", missed[k], k < misses ? "; " : "\n"
}
