// Two builds: the app, and the report (one file, everything inline, for a page that opens without a server).
import { createHash } from "node:crypto";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

const SERVER = "http://127.0.0.1:8323"; // where folkmoot serve runs while somebody works on the app
const SHARED = /node_modules|src\/(view\/(TurnCard|Facts|Trouble|Note|Lazy|Disc)|(api|fold|words|loading|relations|seal|stances|theme|route)\.)/; // what most pages need

const NOTICES = "third-party.md";

/** Fails a build that would break the page's own policy. */
function policed(): Plugin {
  return {
    name: "folkmoot-policed",
    enforce: "post",
    generateBundle(_, bundle) {
      for (const [name, file] of Object.entries(bundle)) {
        const text = file.type === "chunk" ? file.code : String(file.source);
        if (/\beval\(|new Function\(/.test(text)) this.error(`${name} evaluates text as code`);
        if (name.endsWith(".html") && /<style|<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=/.test(text))
          this.error(`${name} holds a script or a style of its own`);
      }
    },
  };
}

const SERVED = /\/(AnalysisTab|BriefTab|ExportMenu|ForkTurn|More|NextSteps|RatingsTab|RunMenu|Share)\.svelte$/; // what asks the server

/** Leaves out of the report what it never shows, because there is no server to ask. */
function unserved(): Plugin {
  const NONE = "\0none";
  return { name: "folkmoot-unserved", enforce: "pre", resolveId: (source) => (SERVED.test(source) ? NONE : null), load: (id) => (id === NONE ? "export default () => {};" : null) };
}

/** Puts script and style into the page, their hashes into its policy, and the licences of what is bundled at its end. */
function inline(): Plugin {
  const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return {
    name: "folkmoot-inline",
    enforce: "post",
    // After Vite has written the licences.
    generateBundle: { order: "post", handler(_, bundle) {
      const files = Object.values(bundle);
      const page = files.find((file) => file.fileName.endsWith(".html"));
      const code = files.find((file) => file.type === "chunk");
      const sheet = files.find((file) => file.fileName.endsWith(".css"));
      const licences = bundle[NOTICES];
      if (page?.type !== "asset" || code?.type !== "chunk" || sheet?.type !== "asset" || licences?.type !== "asset")
        return this.error("the report needs one page, one script, one style sheet and the licences");
      // Nothing is left to be loaded: what Vite would put in the place of this name later is an empty list.
      const whole = code.code.replaceAll("__VITE_PRELOAD__", "[]");
      const script = whole.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--").trim();
      const style = String(sheet.source).trim();
      const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data:; base-uri 'none'; form-action 'none'`;
      page.source = String(page.source)
        .replace(/\s*<script type="module"[^>]*><\/script>/, "")
        .replace(/\s*<link rel="stylesheet"[^>]*>/, "")
        .replace("<!--policy-->", () => `<meta http-equiv="Content-Security-Policy" content="${policy}" />`)
        .replace("<!--style-->", () => `<style>${style}</style>`)
        .replace("<!--script-->", () => `<script type="module">${script}</script>`);
      page.source += `<!--\n${String(licences.source).trim().replaceAll("--", "- -")}\n-->\n`;
      if (/<script[^>]+src=|<link[^>]+href=/.test(page.source)) this.error("the report asks for a file");
      for (const file of files) if (file !== page) delete bundle[file.fileName];
      return undefined;
    } },
  };
}

export default defineConfig(({ mode }) => {
  const report = mode === "report";
  return {
    plugins: [svelte({ compilerOptions: { runes: true, discloseVersion: false } }), ...(report ? [unserved(), inline()] : [policed()])],
    base: report ? "./" : "/",
    publicDir: report ? false : "public",
    build: {
      outDir: "../src/folkmoot/web/dist",
      emptyOutDir: !report,
      target: "es2023",
      cssTarget: ["chrome123", "firefox120", "safari17.5"],
      modulePreload: false,
      cssCodeSplit: !report,
      assetsInlineLimit: 0,
      license: { fileName: NOTICES }, // the licences of what is bundled, which have to go with it
      rollupOptions: {
        input: report ? "report.html" : "index.html",
        output: { codeSplitting: report ? false : { groups: [{ name: "shared", test: SHARED, minShareCount: 2 }] } },
      },
    },
    server: { host: "127.0.0.1", proxy: { "/api": { target: SERVER, ws: true, changeOrigin: true, headers: { origin: SERVER } } } },
    test: { include: ["tests/**/*.test.ts"], css: true }, // a test reads the style sheets
  };
});
