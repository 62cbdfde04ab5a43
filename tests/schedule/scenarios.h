/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scenarios: the tables of them. */
#ifndef TOSAJIT_TESTS_SCHEDULE_SCENARIOS_H
#define TOSAJIT_TESTS_SCHEDULE_SCENARIOS_H

#include "tests/schedule/schedule.h"

enum { KERNEL_SCENARIOS = 9, PLACE_SCENARIOS = 5 };
extern const scenario kernel_scenarios[KERNEL_SCENARIOS], place_scenarios[PLACE_SCENARIOS];

#endif
