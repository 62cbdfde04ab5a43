/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Findings of the exhaustive proof, and their files: text, one per job, replaced as a whole so that
 * an interrupted run leaves the previous state. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/numbers/exhaustive.h"

enum { PATH = 1024 };
static const char header[] = "tosajit exhaustive 1";

void finding_merge(finding *into, const finding *from) {
    if (from->checked > 0 && (into->checked == 0 || from->widest > into->widest)) {
        into->widest = from->widest;
        memcpy(into->widest_operands, from->widest_operands, sizeof into->widest_operands);
    }
    if (from->wrong > 0 && (into->wrong == 0 || from->wrong_distance > into->wrong_distance)) {
        into->wrong_distance = from->wrong_distance;
        into->wrong_result = from->wrong_result;
        into->expected_result = from->expected_result;
        memcpy(into->wrong_operands, from->wrong_operands, sizeof into->wrong_operands);
    }
    into->checked += from->checked;
    into->wrong += from->wrong;
    into->beyond += from->beyond;
}

static void path_of(char *path, const char *directory, const char *id, const char *suffix) {
    snprintf(path, PATH, "%s/%s%s", directory, id, suffix);
}

static void write_finding(FILE *file, const finding *f) {
    fprintf(file,
            "%" PRIu64 " %" PRIu64 " %" PRIu64 " %a %" PRIx64 " %" PRIx64 " %" PRIx64 " %a %" PRIx64
            " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 "\n",
            f->checked, f->wrong, f->beyond, f->widest, f->widest_operands[0],
            f->widest_operands[1], f->widest_operands[2], f->wrong_distance, f->wrong_operands[0],
            f->wrong_operands[1], f->wrong_operands[2], f->wrong_result, f->expected_result);
}

static bool read_finding(FILE *file, finding *f) {
    return fscanf(file,
                  "%" SCNu64 " %" SCNu64 " %" SCNu64 " %la %" SCNx64 " %" SCNx64 " %" SCNx64
                  " %la %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64,
                  &f->checked, &f->wrong, &f->beyond, &f->widest, &f->widest_operands[0],
                  &f->widest_operands[1], &f->widest_operands[2], &f->wrong_distance,
                  &f->wrong_operands[0], &f->wrong_operands[1], &f->wrong_operands[2],
                  &f->wrong_result, &f->expected_result) == 13;
}

bool progress_save(const progress *p, const char *directory, const char *id) {
    char path[PATH], temporary[PATH];
    path_of(path, directory, id, ".state");
    path_of(temporary, directory, id, ".new");
    FILE *file = fopen(temporary, "w");
    if (!file) return false;
    fprintf(file, "%s\n%" PRIx64 " %" PRIu64 " %" PRIu64 " %d %" PRIu64 "\n", header,
            p->fingerprint, p->total, p->step, p->lane_count, p->block_count);
    for (int k = 0; k < p->lane_count; k++) write_finding(file, &p->lanes[k]);
    for (uint64_t b = 0; b < p->block_count; b++) fputc(p->done[b] ? '1' : '0', file);
    fputs("\nend\n", file);
    bool written = !ferror(file);
    return (fclose(file) == 0) & written && rename(temporary, path) == 0;
}

static bool read_progress(progress *p, FILE *file) {
    char line[64];
    uint64_t fingerprint, total, step, block_count;
    int lane_count;
    if (!fgets(line, sizeof line, file) || strncmp(line, header, strlen(header)) != 0) return false;
    if (fscanf(file, "%" SCNx64 " %" SCNu64 " %" SCNu64 " %d %" SCNu64, &fingerprint, &total, &step,
               &lane_count, &block_count) != 5)
        return false;
    if (fingerprint != p->fingerprint || total != p->total || step != p->step ||
        lane_count != p->lane_count || block_count != p->block_count)
        return false;
    for (int k = 0; k < lane_count; k++)
        if (!read_finding(file, &p->lanes[k])) return false;
    if (fscanf(file, " ") < 0) return false;
    for (uint64_t b = 0; b < block_count; b++) {
        int c = fgetc(file);
        if (c != '0' && c != '1') return false;
        p->done[b] = c == '1';
    }
    return fscanf(file, "%63s", line) == 1 && strcmp(line, "end") == 0;
}

bool progress_load(progress *p, const char *directory, const char *id) {
    char path[PATH];
    path_of(path, directory, id, ".state");
    FILE *file = fopen(path, "r");
    if (!file) return false;
    bool valid = read_progress(p, file);
    fclose(file);
    if (!valid) {
        memset(p->lanes, 0, sizeof p->lanes);
        memset(p->done, 0, (size_t)p->block_count);
    }
    return valid;
}
