// SPDX-FileCopyrightText: 2026 The tosajit developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Charts of docs/benchmarks.md: each <div class="chart" data-spec="..."> becomes a drawing of Vega-Lite, whose data is a file that bench has
// written. They are drawn anew when the reader changes the theme. Vega is loaded by the page that has one.
"use strict";
(() => {
  const dark = () => document.body.getAttribute("data-md-color-scheme") === "slate";
  const vega = new URL("vega.js", document.currentScript.src);
  let loaded;
  const load = () => loaded ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    Object.assign(script, { src: vega, onload: done, onerror: () => failed(new Error(`${vega} cannot be loaded`)) });
    document.head.append(script);
  });
  const draw = async (place) => {
    await load();
    const response = await fetch(new URL(place.dataset.spec, location));
    const spec = await response.json();
    spec.width = "container";
    spec.background = "transparent";
    const below = place.clientWidth < 600 ? { orient: "bottom", columns: 3 } : {}; // a phone
    spec.config = { axis: { gridOpacity: 0.2, labelFontSize: 12, titleFontSize: 12 }, legend: { labelFontSize: 12, titleFontSize: 12, ...below } };
    await vegaEmbed(place, spec, { actions: false, theme: dark() ? "dark" : undefined, renderer: "svg" });
  };
  const all = () => document.querySelectorAll(".chart").forEach((place) => draw(place).catch((error) => console.error(String(error))));
  document.addEventListener("DOMContentLoaded", () => {
    if (!document.querySelector(".chart")) return;
    all();
    new MutationObserver(all).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
  });
})();
