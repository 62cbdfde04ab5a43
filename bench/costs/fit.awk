# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Costs that are fitted to measured ways. In: the lines of ways.c; the costs' names and what they are now. Out: the table, and what choices
# by either cost; and what each choice gains. The time of a way is the sum of counts by costs. Least squares of the relative error give the
# costs, none below 0: one
# after the other is set to its best while the others stay, until nothing moves.
#   awk -v terms="PER_CALL ..." -v built_in="4.2 ..." -f fit.awk WAYS
function fit(way, from, end,    turn, k, n, left, num, den, new) {
    for (turn = 0; turn < 150; turn++)
        for (k = from; k < end; k++) {
            num = den = 0
            for (n = 1; n <= lines; n++) {
                if (ns[n, way] == "-" || count[n, k] == 0) continue
                left = ns[n, way] - sum[n, way] + count[n, k] * cost[k]
                num += count[n, k] * left / ns[n, way] / ns[n, way]
                den += count[n, k] * count[n, k] / ns[n, way] / ns[n, way]
            }
            if (den == 0) { cost[k] = now[k]; continue } # nothing has it here
            new = num > 0 ? num / den : 0
            if (new == cost[k]) continue
            for (n = 1; n <= lines; n++) sum[n, way] += count[n, k] * (new - cost[k])
            cost[k] = new
        }
}
function estimate(n, from, end, costs,    k, total) {
    for (k = from; k < end; k++) total += count[n, k] * costs[k]
    return total
}
function sort(list, count,    gap, i, j, t) {
    for (gap = int(count / 2); gap > 0; gap = int(gap / 2))
        for (i = gap + 1; i <= count; i++) {
            t = list[i]
            for (j = i; j > gap && list[j - gap] > t; j -= gap) list[j] = list[j - gap]
            list[j] = t
        }
}
# The time of chosen ways over that of the best.
function tell(what, where_at,    n, all, over, ratio, best, worst, where, above) {
    for (n = 1; n <= lines; n++) {
        if (placed[n] != where_at) continue
        best = ns[n, "collapsed"] == "-" || ns[n, "direct"] < ns[n, "collapsed"] ? ns[n, "direct"] : ns[n, "collapsed"]
        if (ns[n, "plain"] != "-" && ns[n, "plain"] < best) best = ns[n, "plain"]
        ratio = ns[n, chosen[n, what]] / best
        over[++all] = ratio
        above += ratio > 1.05
        if (ratio > worst) { worst = ratio; where = shape[n] }
    }
    if (!all) return
    sort(over, all)
    printf "| %s, %s | %d | %d | %.2f | %.2f | %.2f (%s) |\n", what, where_at, all, above, over[int(all / 2) + 1], over[int(all * 0.95) + 1], worst, where
}
# What a choice gains: the time of `without` over that of the way that is chosen, where that is `way`.
function tell_gain(what, way, without, where_at,    n, all, gain) {
    for (n = 1; n <= lines; n++)
        if (placed[n] == where_at && chosen[n, "as built"] == way && ns[n, without] != "-") gain[++all] = ns[n, without] / ns[n, way]
    if (!all) return
    sort(gain, all)
    printf "| %s, %s | %d | %.2g | %.2g | %.2g |\n", what, where_at, all, gain[int(all * 0.05) + 1], gain[int(all / 2) + 1], gain[int(all * 0.95) + 1]
}
BEGIN {
    term_count = split(terms, term, " ")
    split(built_in, now, " ")
    for (first_collapsed = 1; term[first_collapsed] != "PER_CHUNK"; first_collapsed++) {}
}
{
    lines++
    if (!($2 in seen)) { seen[$2] = 1; place[++places] = $2 }
    shape[lines] = $1; placed[lines] = $2; chosen[lines, "as built"] = $3
    ns[lines, "plain"] = $4; ns[lines, "direct"] = $5; ns[lines, "collapsed"] = $6
    for (k = 1; k <= term_count; k++) count[lines, k] = $(6 + k)
}
END {
    fit("direct", 1, first_collapsed)
    fit("collapsed", first_collapsed, term_count + 1)
    for (n = 1; n <= lines; n++)
        chosen[n, "as fitted"] = ns[n, "collapsed"] != "-" && estimate(n, first_collapsed, term_count + 1, cost) < estimate(n, 1, first_collapsed, cost) ? "collapsed" : "direct"
    for (k = 1; k <= term_count; k++) printf "    [%s] = %.3g,%s\n", term[k], cost[k], now[k] == "" ? "" : " /* is " now[k] " */"
    print "\n| choice | patterns | above 1.05 of the best way | median | 95 % | worst |\n| --- | ---: | ---: | ---: | ---: | ---: |"
    for (k = 1; k <= places; k++) { tell("as built", place[k]); tell("as fitted", place[k]) }
    print "\n| time without over with | patterns | 5 % | median | 95 % |\n| --- | ---: | ---: | ---: | ---: |"
    for (k = 1; k <= places; k++) {
        tell_gain("short rows collapsed", "collapsed", "direct", place[k])
        tell_gain(place[k] ~ /in_place/ ? "other rows, or interleaved" : "other rows", "direct", "plain", place[k])
    }
}
