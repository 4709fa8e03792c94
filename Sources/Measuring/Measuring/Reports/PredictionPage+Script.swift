extension PredictionPage {
    static let style = """
        #filter{display:flex;flex-wrap:wrap;gap:8px 20px;align-items:center;margin-bottom:12px;font-size:13px}
        #filter input,#filter select{font:inherit;vertical-align:middle;max-width:16em}
        #count{color:var(--muted)}
        #sheet{height:70vh;overflow:auto;background:var(--surface);border-radius:12px;padding:8px}
        #content{position:relative}
        .tile{position:absolute;width:112px;height:140px;font-size:11px;line-height:1.25;overflow:hidden}
        .tile b,.tile span{display:block;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
        .tile span{color:var(--muted)}
        .picture{position:relative;width:96px;height:96px;border-radius:6px;outline:1px solid var(--line);overflow:hidden}
        .picture i{position:absolute;outline:1.5px solid var(--c1)}
        .failed .picture{outline:2px solid var(--bad)}.warned .picture{outline:2px solid var(--c6)}
        @media print{#filter{display:none}}
        """

    /// The script. It draws the tiles that are in sight, and filters.
    static let script = """
        "use strict";
        (() => {
          const data = JSON.parse(document.getElementById("rows").textContent);
          const [width, height, tileSide] = [112, 140, data.side], perSheet = data.columns * data.columns;
          const get = id => document.getElementById(id);
          const [sheet, content, nameField, classField, least] = ["sheet", "content", "name", "class", "least"].map(get);
          const urls = new Map();
          const sheetURL = number => {
            if (!urls.has(number)) {
              const bytes = Uint8Array.from(atob(get("sheet" + number).textContent), letter => letter.charCodeAt(0));
              urls.set(number, URL.createObjectURL(new Blob([bytes], {type: "image/jpeg"})));
            }
            return urls.get(number);
          };
          const times = data.labels.map(() => 0);
          data.rows.forEach(row => row[2].forEach(one => times[one[0]]++));
          data.labels.map((label, number) => [label, number]).sort((a, b) => times[b[1]] - times[a[1]]).slice(0, 1000)
            .sort((a, b) => a[0].localeCompare(b[0])).forEach(([label, number]) => {
              classField.append(new Option(label, number));
            });
          let shown = data.rows;
          const element = (kind, parent, text, style) => {
            const made = document.createElement(kind);
            if (text) made.textContent = text;
            if (style) made.className = style;
            parent.append(made);
            return made;
          };
          const percent = share => (share / 10).toFixed(1) + " %";
          const tile = (row, place, columns) => {
            const [id, thumbnail, found, error, warning, summary] = row;
            const box = document.createElement("div");
            box.className = "tile" + (error ? " failed" : warning ? " warned" : "");
            box.style.left = place % columns * width + "px";
            box.style.top = Math.floor(place / columns) * height + "px";
            const picture = element("div", box, "", "picture");
            if (thumbnail) {
              const [number, w, h] = thumbnail, inSheet = number % perSheet;
              picture.style.backgroundImage = "url(" + sheetURL(Math.floor(number / perSheet)) + ")";
              picture.style.backgroundPosition =
                -(inSheet % data.columns) * tileSide + "px " + -Math.floor(inSheet / data.columns) * tileSide + "px";
              found.filter(one => one.length === 6).forEach(([label, share, x, y, across, down]) => {
                const mark = element("i", picture);
                mark.style.cssText = `left:${x * w / 1000}px;top:${y * h / 1000}px;width:${across * w / 1000}px;height:${down * h / 1000}px`;
              });
            }
            element("b", box, id.split("/").pop());
            element("span", box, error || (found.length ? data.labels[found[0][0]] + " " + percent(found[0][1]) : warning || summary || "nothing"));
            const lines = found.map(one => data.labels[one[0]] + " " + percent(one[1]));
            box.dataset.tip = [id, error, warning, summary].filter(Boolean).concat(lines).join("\\n");
            return box;
          };
          let drawn = "";
          const draw = () => {
            const columns = Math.max(1, Math.floor((sheet.clientWidth - 16) / width));
            const rowCount = Math.ceil(shown.length / columns);
            content.style.height = rowCount * height + "px";
            const first = Math.max(0, Math.floor(sheet.scrollTop / height) - 1) * columns;
            const end = Math.min(shown.length, (Math.ceil((sheet.scrollTop + sheet.clientHeight) / height) + 1) * columns);
            const state = [first, end, columns, shown.length].join();
            if (state === drawn) return;
            drawn = state;
            content.replaceChildren(...shown.slice(first, end).map((row, index) => tile(row, first + index, columns)));
          };
          let isWaiting = false;
          const drawSoon = () => {
            if (isWaiting) return;
            isWaiting = true;
            requestAnimationFrame(() => { isWaiting = false; draw(); });
          };
          const filter = () => {
            const [part, wanted, from, onlyErrors] =
              [nameField.value.toLowerCase(), classField.value, Number(least.value), get("errors").checked];
            get("shown").textContent = percent(from);
            const isFound = one => (wanted === "" || one[0] === Number(wanted)) && one[1] >= from;
            const isFree = wanted === "" && from === 0;
            shown = data.rows.filter(row => (!part || row[0].toLowerCase().includes(part))
              && (!onlyErrors || row[3] || row[4]) && (isFree || row[2].some(isFound)));
            get("count").textContent = shown.length + " of " + data.rows.length;
            sheet.scrollTop = 0;
            drawn = "";
            draw();
          };
          get("filter").addEventListener("input", filter);
          get("filter").addEventListener("submit", event => event.preventDefault());
          sheet.addEventListener("scroll", drawSoon, {passive: true});
          addEventListener("resize", drawSoon);
          filter();
        })();
        """
}
