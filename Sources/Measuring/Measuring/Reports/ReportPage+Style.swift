extension ReportPage {
    /// The style sheet. Colours are variables, and only they differ between light, dark and print.
    package static let style = """
        :root{color-scheme:light dark;--paper:#fff;--surface:#f5f6f8;--ink:#171b22;--muted:#5d6875;--line:#e1e5ea;
        --grid:#e9ecf0;--accent:#2f6fde;--good:#1a7f4b;--bad:#c2342c;--shade:#2f6fde1f;--edge:#b4bdc8;
        --c0:#2f6fde;--c1:#e0781a;--c2:#229a6c;--c3:#9a4fc9;--c4:#d03d5f;--c5:#12a0b5;--c6:#a88f00;--c7:#75808e}
        @media (prefers-color-scheme:dark){:root{--paper:#0e1217;--surface:#161b22;--ink:#e7ebf0;--muted:#96a1ae;--line:#29313b;
        --grid:#20272f;--accent:#6da0ff;--good:#4cc38a;--bad:#ff7d73;--shade:#6da0ff2b;--edge:#475260;
        --c0:#6da0ff;--c1:#ffa04d;--c2:#4cc38a;--c3:#c58cf0;--c4:#ff7f9c;--c5:#45cbe0;--c6:#d8c03a;--c7:#9aa5b1}}
        *{box-sizing:border-box}
        body{margin:0;background:var(--paper);color:var(--ink);
        font:15px/1.5 "Inter","Segoe UI",system-ui,-apple-system,"Helvetica Neue",sans-serif;
        font-variant-numeric:tabular-nums;-webkit-text-size-adjust:100%}
        header,main,footer{max-width:1120px;margin:0 auto;padding:0 24px}
        header{padding-top:44px}
        .kind{margin:0;color:var(--accent);font-weight:600;font-size:13px;letter-spacing:.04em;text-transform:uppercase}
        h1{margin:2px 0 4px;font-size:30px;line-height:1.2;letter-spacing:-.015em;overflow-wrap:anywhere}
        .subtitle{margin:0;color:var(--muted)}
        h2{margin:0 0 4px;font-size:19px;letter-spacing:-.01em}
        section{margin:40px 0}
        .note{margin:0 0 14px;color:var(--muted);max-width:76ch}
        .cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(280px,1fr));gap:16px;margin-top:28px}
        .card{background:var(--surface);border-radius:12px;padding:16px 18px;border-top:3px solid var(--accent)}
        .card.good{border-color:var(--good)}.card.bad{border-color:var(--bad)}
        .card h3{margin:0 0 6px;font-size:13px;font-weight:600;color:var(--muted)}
        .card p{margin:8px 0 0;font-size:14px;overflow-wrap:anywhere}
        .card .answer{margin:0;font-size:17px;line-height:1.35;font-weight:600}
        svg{display:block;max-width:100%;height:auto;overflow:visible}
        svg text{fill:var(--ink);font-size:12px}svg .muted{fill:var(--muted)}svg .small{font-size:11px}
        svg .strong{font-weight:600}
        svg .halo{paint-order:stroke;stroke:var(--surface);stroke-width:4px;stroke-linejoin:round}
        .grid{stroke:var(--grid);fill:none}.axis{stroke:var(--edge);fill:none}.whisker{stroke:var(--ink);fill:none;stroke-width:1.5}
        .roof{stroke:var(--ink);fill:none;stroke-width:1.6}.limit{stroke:var(--bad);fill:none;stroke-dasharray:5 4;stroke-width:1.5}
        .edge{stroke:var(--edge);fill:none;stroke-width:1.2}.trace{fill:none;stroke-width:1.3;stroke-opacity:.55}
        .hollow{fill:var(--paper);stroke:var(--edge);stroke-width:1.2}
        .segment{stroke:var(--surface);stroke-width:.8}.dot{fill-opacity:.75;stroke:var(--paper);stroke-width:.6}
        .broken{fill:var(--paper)}.faint{fill-opacity:.35}
        .wrong{fill:var(--bad)}.right{fill:var(--good)}.badtext{fill:var(--bad)}
        .o1{fill-opacity:.25}.o2{fill-opacity:.4}.o3{fill-opacity:.6}.o4{fill-opacity:.8}
        .f0{fill:var(--c0);background:var(--c0)}.f1{fill:var(--c1);background:var(--c1)}
        .f2{fill:var(--c2);background:var(--c2)}.f3{fill:var(--c3);background:var(--c3)}
        .f4{fill:var(--c4);background:var(--c4)}.f5{fill:var(--c5);background:var(--c5)}
        .f6{fill:var(--c6);background:var(--c6)}.f7{fill:var(--c7);background:var(--c7)}
        .s0{stroke:var(--c0)}.s1{stroke:var(--c1)}.s2{stroke:var(--c2)}.s3{stroke:var(--c3)}
        .s4{stroke:var(--c4)}.s5{stroke:var(--c5)}.s6{stroke:var(--c6)}.s7{stroke:var(--c7)}
        [data-tip]:hover{outline:none}rect[data-tip]:hover,circle[data-tip]:hover{stroke:var(--ink);stroke-width:1.6}
        .legend{display:flex;flex-wrap:wrap;gap:4px 18px;margin:0 0 10px;padding:0;list-style:none;font-size:13px}
        .legend i{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:6px;vertical-align:-1px}
        .legend .hollow{border:1.5px solid var(--edge)}
        .chart{background:var(--surface);border-radius:12px;padding:16px 18px}
        .table{position:relative;overflow-x:auto;max-width:100%}
        .chart + .table,.table + .table,.table + .chart{margin-top:16px}
        table{border-collapse:collapse;width:100%;font-size:13px}
        caption{text-align:left;color:var(--muted);padding:2px 70px 6px 0;font-size:13px}
        th,td{padding:5px 9px;text-align:left;border-bottom:1px solid var(--line);white-space:nowrap}
        td.name{max-width:260px;overflow:hidden;text-overflow:ellipsis}td.wrap{white-space:normal;overflow-wrap:anywhere}
        th:first-child,td:first-child{padding-left:0}th:last-child,td:last-child{padding-right:0}
        th.n,td.n{text-align:right}
        thead th{position:sticky;top:0;background:var(--paper);border-bottom:1.5px solid var(--edge)}
        th button{all:unset;cursor:pointer;font-weight:600;color:var(--muted)}
        th button:hover,th[aria-sort] button{color:var(--ink)}th button:focus-visible{outline:2px solid var(--accent)}
        th[aria-sort=ascending] button::after{content:" ↑"}th[aria-sort=descending] button::after{content:" ↓"}
        td[style]{background:linear-gradient(to right,var(--shade) var(--bar),transparent var(--bar))}
        td.bad{color:var(--bad);font-weight:600}td.good{color:var(--good)}td.best{font-weight:600}td.muted{color:var(--muted)}
        tbody tr:hover td{background-color:var(--surface)}
        .copy{position:absolute;right:0;top:0;font:inherit;font-size:12px;color:var(--muted);background:var(--surface);
        border:1px solid var(--line);border-radius:6px;padding:1px 10px;cursor:pointer}
        .copy:hover{color:var(--ink)}
        .tabs{display:flex;flex-wrap:wrap;gap:8px}
        .tabs input{position:absolute;opacity:0;pointer-events:none}
        .tabs label{order:-1;padding:3px 12px;border-radius:99px;border:1px solid var(--line);font-size:13px;cursor:pointer;
        color:var(--muted)}
        .tabs input:checked + label{background:var(--ink);color:var(--paper);border-color:var(--ink)}
        .tabs input:focus-visible + label{outline:2px solid var(--accent)}
        .tabs .panel{display:none;width:100%}.tabs input:checked + label + .panel{display:block}
        #tip{position:fixed;z-index:9;max-width:420px;padding:7px 10px;border-radius:8px;background:var(--ink);color:var(--paper);
        font-size:12.5px;line-height:1.4;white-space:pre-line;pointer-events:none;overflow-wrap:anywhere}
        .pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:16px}
        figure{margin:0}figure img{max-width:100%;height:10rem;object-fit:contain;border-radius:6px}
        figcaption{overflow-wrap:anywhere;font-size:13px}
        .side{display:grid;grid-template-columns:repeat(auto-fit,minmax(320px,1fr));gap:16px}
        footer{padding-top:8px;padding-bottom:48px;color:var(--muted);font-size:13px}
        @media print{:root{color-scheme:light;--paper:#fff;--surface:#fff;--ink:#111;--muted:#555;--line:#ddd;--grid:#e8e8e8;
        --shade:#2f6fde22;--edge:#aaa;--c0:#2f6fde;--c1:#e0781a;--c2:#229a6c;--c3:#9a4fc9;--c4:#d03d5f;--c5:#12a0b5;--c6:#a88f00;
        --c7:#75808e;--accent:#2f6fde;--good:#1a7f4b;--bad:#c2342c}
        *{-webkit-print-color-adjust:exact;print-color-adjust:exact}
        body{font-size:11px}header{padding-top:0}section{margin:22px 0}.chart,.card{border:1px solid var(--line)}
        .chart,.card,figure{break-inside:avoid}h2,.note{break-after:avoid}thead th{position:static}.copy,#tip{display:none}
        table{font-size:10px}th,td{white-space:normal}.tabs label{display:none}
        .tabs input:checked + label{display:inline-block}}
        """

    /// The script. It sorts a table by a clicked heading, copies a table as text with tabs, and shows tooltips.
    static let script = """
        "use strict";
        const value = (row, column) => {
          const cell = row.cells[column], order = cell.dataset.order;
          return order === undefined ? cell.textContent : Number(order);
        };
        document.querySelectorAll("table.sortable").forEach(table => {
          table.querySelectorAll("thead button").forEach((button, column) => {
            button.addEventListener("click", () => {
              const heading = button.parentElement, body = table.tBodies[0];
              const numeric = heading.classList.contains("n");
              const before = heading.getAttribute("aria-sort");
              const falls = before === null ? numeric : before === "ascending";
              const compare = (a, b) => {
                const x = value(a, column), y = value(b, column);
                return typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
              };
              const rows = Array.from(body.rows).sort(compare);
              if (falls) rows.reverse();
              table.querySelectorAll("th").forEach(other => other.removeAttribute("aria-sort"));
              heading.setAttribute("aria-sort", falls ? "descending" : "ascending");
              body.append(...rows);
            });
          });
        });
        document.querySelectorAll(".copy").forEach(button => {
          button.addEventListener("click", () => {
            const table = button.parentElement.querySelector("table");
            const lines = Array.from(table.rows).map(row => Array.from(row.cells).map(cell => cell.textContent).join("\\t"));
            const area = document.createElement("textarea");
            area.value = lines.join("\\n");
            document.body.append(area);
            area.select();
            document.execCommand("copy");
            area.remove();
            button.textContent = "Copied";
            setTimeout(() => { button.textContent = "Copy"; }, 1200);
          });
        });
        const tip = document.getElementById("tip");
        document.addEventListener("pointermove", event => {
          const shape = event.target.closest ? event.target.closest("[data-tip]") : null;
          tip.hidden = shape === null;
          if (shape === null) return;
          tip.textContent = shape.dataset.tip;
          const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
          const below = event.clientY + 16;
          const y = below + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 12 : below;
          tip.style.left = Math.max(8, x) + "px";
          tip.style.top = Math.max(8, y) + "px";
        });
        """
}
