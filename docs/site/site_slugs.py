# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Anchors of headings as forges make them, so that a link of a page leads to one place here and there."""
import re


def forge(text, separator):
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", separator)
