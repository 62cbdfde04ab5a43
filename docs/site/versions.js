// SPDX-FileCopyrightText: 2026 The tosajit developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of versions in the header. Each version is a folder beside the others. versions.json above them has the pages of each, the newest
// release first (build.py). Who chooses one stays on the page, where that version has it.
"use strict";
(() => {
  const root = new URL("../..", document.currentScript.src); // this file is VERSION/site/versions.js
  const [own, ...parts] = location.href.split(/[?#]/)[0].slice(root.href.length).split("/");
  const page = parts.join("/");
  document.addEventListener("DOMContentLoaded", async () => {
    const pages = await (await fetch(new URL("versions.json", root))).json();
    const there = (version) => new URL(`${version}/${pages[version].includes(page) ? page : "index.html"}`, root).href;
    const names = Object.keys(pages), list = document.createElement("select");
    list.className = "versions";
    list.title = "Version";
    for (const name of names) list.add(new Option(name, name, name === own, name === own));
    list.onchange = () => location.assign(there(list.value));
    document.querySelector(".md-header__title").after(list);
    if (names[0] === own) return;
    const note = document.createElement("div"), link = Object.assign(document.createElement("a"), { href: there(names[0]), textContent: names[0] });
    note.className = "admonition note";
    note.append(`These pages are of ${own}. The newest release is `, link, ".");
    document.querySelector(".md-content__inner").prepend(note);
  });
})();
