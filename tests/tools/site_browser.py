# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The site in a browser: every page is opened at a desk's width and at a phone's, in light and in
dark. Every link within the site is followed to its file and its heading, three words are searched,
charts are drawn. The list of versions leads to another one. Every public name has a place in the
references, with an example. An error in the console fails, and so does a page that is wider than
the phone.

    python tests/tools/site_browser.py HTML [PICTURES]     # PICTURES: a folder for pictures of some pages

In: HTML/dev, and HTML/0.1.0, which is the same without docs/views.html.

Needs playwright, and chromium where TOSAJIT_CHROMIUM or the path says."""
import ast
import functools
import http.server
import os
import re
import shutil
import sys
import threading
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlparse

from playwright.sync_api import TimeoutError, sync_playwright

SOURCE = Path(__file__).resolve().parents[2]
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
WORDS = {"swish": "docs/", "tosajit_run": "reference/c.html", "broadcast": "docs/"}
PICTURED = ["index.html", "docs/python.html", "gallery/index.html", "reference/python.html",
            "reference/c.html", "docs/benchmarks.html", "docs/from-numba.html"]
LINKS = r"""() => ({links: [...document.querySelectorAll('a[href], img[src], link[rel=stylesheet], script[src]')].map(e => e.href || e.src),
    anchors: [...document.querySelectorAll('[id], a[name]')].map(e => e.id || e.name),
    images: [...document.images].filter(e => e.complete && !e.naturalWidth).map(e => e.src),
    raw: (() => { const copy = (document.querySelector('.md-content') || document.body).cloneNode(true);
        copy.querySelectorAll('code, pre, script, style, .vega-embed').forEach(e => e.remove());
        return (copy.textContent.match(/.{0,30}(\]\(|```|\*\*[^ *]+\*\*|^:::|!\[).{0,30}/) || [''])[0]; })(),
    title: document.title, words: (document.querySelector('.md-content') || document.body).innerText.length})"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                             functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/"


class Visit:
    """A browser with the complaints of what it has seen."""

    def __init__(self, browser, server, version, pictures):
        self.server, self.root, self.pictures, self.complaints, self.seen = server, f"{server}{version}/", pictures, [], {}
        self.page = browser.new_page(viewport=DESK, color_scheme="light")
        self.page.set_default_timeout(120000) # machines are busy
        self.page.on("console", lambda message: message.type in ("error", "warning")
                     and self.complain(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self.complain(f"script: {error}"))
        # one that is under way when the reader goes on is aborted, and no failure
        self.page.on("requestfailed", lambda request: request.failure == "net::ERR_ABORTED"
                     or self.complain(f"request: {request.url}"))
        self.page.on("request", lambda request: request.url.startswith((server, "data:", "blob:"))
                     or self.complain(f"foreign: {request.url}"))

    def complain(self, what):
        self.complaints.append(f"{urlparse(self.page.url).path}: {what}")

    def picture(self, name, kind):
        if self.pictures and name in PICTURED:
            self.page.screenshot(path=self.pictures / f"{name.replace('/', '-')[:-5]}-{kind}.png")

    def open(self, name):
        answer = self.page.goto(self.root + name, wait_until="load")
        if not answer.ok:
            self.complain(f"status {answer.status}")
        found = self.page.evaluate(LINKS)
        self.seen[name] = found
        if found["words"] < 40 or "tosajit" not in found["title"]:
            self.complain(f"has {found['words']} letters and the title {found['title']!r}")
        if found["raw"]:
            self.complain(f"shows its source: {found['raw']}")
        for image in found["images"]:
            self.complain(f"no picture: {image}")
        for place in self.page.query_selector_all(".chart"):
            try:
                place.wait_for_selector("svg .mark-rect path, svg .mark-line path",
                                        state="attached")
            except TimeoutError:
                self.complain(f"no chart: {place.get_attribute('data-spec')}")
            width = (place.query_selector("svg").bounding_box()["width"]
                     if place.query_selector("svg") else 0)
            if width < 500:
                self.complain(f"a chart {width} wide: {place.get_attribute('data-spec')}")
        self.picture(name, "light")

    def themes(self, name):
        light = self.colours()
        self.toggle("slate")
        dark = self.colours()
        if not (light[0] > light[1] and dark[0] < dark[1]):
            self.complain(f"themes: {light} in light, {dark} in dark")
        self.picture(name, "dark")

    def toggle(self, scheme):
        """As a reader does."""
        self.page.click("form[data-md-component=palette] label:visible")
        self.page.wait_for_selector(f"body[data-md-color-scheme={scheme}]")

    def colours(self):
        """Brightness of paper and of ink."""
        return self.page.evaluate("""() => { const s = getComputedStyle(document.body);
            const light = c => { const d = document.createElement('canvas').getContext('2d'); d.fillStyle = c; d.fillRect(0, 0, 1, 1);
                return [...d.getImageData(0, 0, 1, 1).data].slice(0, 3).reduce((a, b) => a + b); };
            return [light(s.backgroundColor), light(getComputedStyle(document.querySelector('.md-typeset')).color)]; }""")

    def phone(self, name):
        self.page.set_viewport_size(PHONE)
        width = self.page.evaluate("() => document.scrollingElement.scrollWidth")
        if width > PHONE["width"]:
            self.complain(f"{width} pixels wide on a phone of {PHONE['width']}")
        self.picture(name, "phone")
        self.page.set_viewport_size(DESK)
        self.toggle("default")

    def search(self, word, where):
        self.page.goto(self.root + "index.html", wait_until="load")
        self.page.click(".md-search__input")
        # a word that is typed before the index is there would be lost
        self.page.wait_for_function("() => !/Initializing/.test(document.querySelector('.md-search-result__meta').textContent)")
        self.page.type(".md-search__input", word)
        self.page.wait_for_selector(".md-search-result__link")
        links = self.page.eval_on_selector_all(".md-search-result__link",
                                               "all => all.map(e => e.href)")
        if not any(where in link for link in links):
            self.complain(f"a search for {word} finds {links[:5]}, and nothing in {where}")
        if self.pictures:
            self.page.screenshot(path=self.pictures / f"search-{word}.png")
        self.page.click(".md-search-result__link >> nth=0")
        self.page.wait_for_url(lambda url: "index.html" not in url or "?h=" in url)

    def versions(self):
        """The first page leads to the release, and the list of versions from dev to the same page,
        or to the first one."""
        self.page.goto(self.server)
        self.page.wait_for_url(f"{self.server}0.1.0/index.html")
        for name, wanted in (("docs/python.html", "docs/python.html"),
                             ("docs/views.html", "index.html")):
            self.page.goto(self.root + name)
            self.page.get_by_text("These pages are of dev. The newest release is 0.1.0.").wait_for()
            self.page.select_option(".versions", "0.1.0")
            self.page.wait_for_url(f"{self.server}0.1.0/{wanted}")
            self.page.wait_for_selector(".versions")
            if self.page.get_by_text("The newest release is").count():
                self.complain("says that the newest release is another one")
        self.page.select_option(".versions", "dev")
        self.page.wait_for_url(f"{self.root}index.html")

    def references(self):
        """Each public name has a place, and an example behind it, or a link to a page that shows
        it."""
        for page, names in {"reference/python.html": python_names(),
                            "reference/c.html": c_names()}.items():
            self.page.goto(self.root + page)
            places = self.page.evaluate("""() => {
                const all = [...document.querySelectorAll('.md-content [id]')].filter(e => /^H[2-6]$/.test(e.tagName)), found = {};
                for (const head of all) {
                    const range = document.createRange(), next = all.find(e => head.compareDocumentPosition(e) & 4 && e.tagName <= head.tagName);
                    range.setStartAfter(head);
                    next ? range.setEndBefore(next) : range.setEndAfter(document.querySelector('.md-content'));
                    found[head.id] = range.toString();
                }
                return found; }""")
            for name in names:
                place = places.get(name)
                if place is None:
                    self.complain(f"has no place for {name}")
                elif not re.search(r">>> |Used in |Example, of ", place):
                    self.complain(f"has no example of {name}")
            print(f"{page}: {len(names)} names")

    def follow(self, folder):
        """Links of all pages; how many there were."""
        count = 0
        for name, found in self.seen.items():
            for link in set(found["links"]):
                place, anchor = urldefrag(link)
                if not place.startswith(self.root):
                    continue
                count += 1
                target = unquote(place[len(self.root):]) or "index.html"
                if not (folder / target).is_file():
                    self.complaints.append(f"{name}: leads to {target}, which is not there")
                elif (anchor and target in self.seen
                      and unquote(anchor) not in self.seen[target]["anchors"]
                      and not anchor.startswith(("__", ":~:"))):
                    self.complaints.append(f"{name}: leads to {target}#{anchor}, which has no such "
                                           "heading")
        return count


def python_names():
    """The names in __all__ of each public module."""
    found = []
    for path in sorted((SOURCE / "tools/python/tosajit").rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
                module = ".".join(path.relative_to(SOURCE / "tools/python").with_suffix("").parts).removesuffix(".__init__")
                found += [f"{module}.{name}" for name in ast.literal_eval(node.value)]
    return found


def c_names():
    """Functions of the headers, as the site calls their places."""
    text = "".join(path.read_text(encoding="utf-8")
                   for path in sorted((SOURCE / "include/tosajit").glob("*.h")))
    return sorted(set(re.findall(r"^TOSAJIT_API\b[^;(]*?\b(tosajit_\w+)\(", text, re.MULTILINE)))


def main():
    html = Path(sys.argv[1]).resolve()
    folder = html / "dev"
    pictures = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    names = sorted(str(path.relative_to(folder))
                   for path in folder.rglob("*.html") if path.name != "404.html")
    chromium = (os.environ.get("TOSAJIT_CHROMIUM") or shutil.which("chromium")
                or shutil.which("google-chrome"))
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium,
                                       args=["--no-sandbox", "--disable-gpu"])
        visit = Visit(browser, serve(str(html)), "dev", pictures)
        for name in names:
            visit.open(name)
            visit.themes(name)
            visit.phone(name)
        links = visit.follow(folder)
        for word, where in WORDS.items():
            visit.search(word, where)
        visit.versions()
        visit.references()
        browser.close()
    print("\n".join(sorted(set(visit.complaints))))
    print(f"{len(names)} pages, {links} links, {len(WORDS)} words, {len(set(visit.complaints))} "
          "complaints")
    sys.exit(bool(visit.complaints) or len(names) < 50 or links < 2000)


if __name__ == "__main__":
    main()
