/* SPDX-FileCopyrightText: 2026 The tosajit developers */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where there are times they come first, as that is what somebody asks for; then what each tensor
 * does, the loops, and the call in words. Every rule of style begins with the element's class, so
 * that it leaves a notebook around it alone. */
#include "tools/base/explain_page.h"

#include <stdint.h>
#include <string.h>

#include "tools/base/plan_svg.h"

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<style>body{margin:0;background:#fff}"
    "@media (prefers-color-scheme:dark){body{background:#11161d}}</style>\n"; /* the drawing's */

static const char style[] =
    "<style>\n"
    ".tosajit{--ink:#1d2733;--muted:#66727f;--line:#d5dbe2;--bar:#2f6fde;--other:#9aa7b5;"
    "color:var(--ink);font:15px/1.45 system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;"
    "max-width:70rem;margin:0 auto;padding:1rem}\n"
    ".tosajit h1{font:600 1.25rem/1.4 ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;"
    "margin:0;overflow-wrap:anywhere;white-space:pre-wrap}\n"
    ".tosajit h2{font-size:1.05rem;margin:1.8rem 0 .6rem;padding-bottom:.25rem;"
    "border-bottom:1px solid var(--line)}\n"
    ".tosajit p{margin:.4rem 0;color:var(--muted)}\n"
    ".tosajit pre{overflow:auto;margin:0;font:13px/1.5 ui-monospace,Menlo,Consolas,"
    "'DejaVu Sans Mono',monospace}\n"
    ".tosajit .bars{display:grid;grid-template-columns:max-content 1fr max-content;"
    "gap:.35rem .8rem;align-items:center}\n"
    ".tosajit .bar{height:1.1rem;border-radius:3px;background:var(--other);min-width:2px}\n"
    ".tosajit .bar.own{background:var(--bar)}\n"
    ".tosajit .number{text-align:right;font-variant-numeric:tabular-nums}\n"
    ".tosajit .drawing{overflow-x:auto}.tosajit svg{display:block}\n"
    "@media (max-width:40rem){.tosajit .bars{grid-template-columns:1fr max-content;"
    "grid-auto-flow:dense}.tosajit .track{grid-column:1/3}}\n"
    "@media (prefers-color-scheme:dark){.tosajit{--ink:#e7ecf3;--muted:#98a5b4;--line:#2b3540;"
    "--bar:#78aaff;--other:#566472}}\n"
    "</style>\n";

/* Text, in which nothing is markup. Controls, which no document may have, are U+FFFD. */
static void put(const char *text, FILE *out) {
    for (; *text; text++) {
        const uint8_t c = (uint8_t)*text;
        const char *entity = c == '&'                               ? "&amp;"
                             : c == '<'                             ? "&lt;"
                             : c == '>'                             ? "&gt;"
                             : c == '"'                             ? "&quot;"
                             : (c < 0x20 && c != '\n') || c == 0x7f ? "&#xfffd;"
                                                                    : NULL;
        if (entity)
            fputs(entity, out);
        else
            fputc(c, out);
    }
}

/* TEXT within <ELEMENT>, or nothing of it. */
static void put_element(const char *element, const char *text, FILE *out) {
    if (!text) return;
    fprintf(out, "<%s>", element);
    put(text, out);
    fprintf(out, "</%s>\n", element);
}

static void put_times(const explain_page *page, FILE *out) {
    double longest = 0;
    for (int k = 0; k < page->time_count; k++)
        if (page->times[k].seconds > longest) longest = page->times[k].seconds;
    if (longest <= 0) return;
    fputs("<h2>Time</h2>\n<div class=\"bars\">\n", out);
    for (int k = 0; k < page->time_count; k++) {
        const page_time *t = &page->times[k];
        put_element("span", t->what, out);
        fprintf(out,
                "<div class=\"track\"><div class=\"bar%s\" style=\"width:%.2f%%\"></div></div>",
                k == 0 ? " own" : "", 100 * t->seconds / longest);
        fputs("<span class=\"number\">", out);
        put(t->text, out);
        fputs("</span>\n", out);
    }
    fputs("</div>\n", out);
    put_element("p", page->verdict, out);
}

static void put_section(const char *title, const char *text, FILE *out) {
    if (!text) return;
    put_element("h2", title, out);
    put_element("pre", text, out);
}

bool explain_page_element(const explain_page *page, FILE *out) {
    fprintf(out, "%s<div class=\"tosajit\">\n", style);
    put_element("h1", page->title, out);
    put_element("p", page->subtitle, out);
    put_times(page, out);
    fputs("<h2>What each tensor does</h2>\n<div class=\"drawing\">\n", out);
    if (!plan_svg(page->plan, page->function, out)) return false;
    fputs("</div>\n", out);
    put_section("The loops", page->nest, out);
    put_section("This call", page->call, out);
    fputs("</div>\n", out);
    return true;
}

bool explain_page_document(const explain_page *page, FILE *out) {
    fputs(head, out);
    put_element("title", page->title, out);
    fputs("<body>\n", out);
    const bool fine = explain_page_element(page, out);
    fputs("</body>\n</html>\n", out);
    return fine;
}
