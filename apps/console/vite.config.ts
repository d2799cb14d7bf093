/**
 * The build of the console: hashed assets below `/console/`. In the mode `file`, it builds the verify screen as a
 * single HTML file.
 */
import * as path from "node:path"

import { defineConfig, type Plugin, type Rolldown } from "vite"

const here = import.meta.dirname

/** The URL of the service whose data `pnpm dev` shows. Default: the URL that `plumbline up` uses by default. */
const service = process.env["PLUMBLINE_URL"] ?? "http://127.0.0.1:8645"

/** Drops the warnings about "use client", which has no meaning for a page that is not rendered on a server. */
const onLog: Rolldown.RolldownOptions["onLog"] = (level, log, report) => {
  if (log.code !== "MODULE_LEVEL_DIRECTIVE") report(level, log)
}

/** Puts scripts and styles into the page, so that it is a single file, which opens without a server. */
const oneFile: Plugin = {
  name: "one-file",
  enforce: "post",
  generateBundle: (_, bundle) => {
    const page = Object.values(bundle).find(({ fileName }) => fileName.endsWith(".html"))
    if (page?.type !== "asset") throw new Error("the build made no page")
    let html = String(page.source)
    for (const [name, part] of Object.entries(bundle)) {
      if (part === page) continue
      if (part.type === "chunk") {
        const code = part.code.replaceAll("</script", "<\\/script")
        html = html.replace(new RegExp(`<script[^>]*${path.basename(name)}[^>]*></script>`, "u"), "")
        html = html.replace("</body>", () => `<script type="module">${code}</script></body>`)
      } else if (name.endsWith(".css")) {
        html = html.replace(
          new RegExp(`<link[^>]*${path.basename(name)}[^>]*>`, "u"),
          () => `<style>${String(part.source)}</style>`
        )
      }
      delete bundle[name]
    }
    page.fileName = "plumbline-verify.html"
    page.source = html
  }
}

export default defineConfig(({ mode }) => ({
  root: here,
  // the worker thread loads parts of its code on demand
  worker: { format: "es" as const },
  ...(mode === "file"
    ? {
        base: "./",
        plugins: [oneFile],
        build: {
          outDir: path.join(here, "dist/file"),
          emptyOutDir: true,
          target: "es2024",
          // puts fonts and the icon into the file too
          assetsInlineLimit: Number.MAX_SAFE_INTEGER,
          cssCodeSplit: false,
          modulePreload: false,
          rolldownOptions: { input: path.join(here, "verify.html"), onLog, output: { codeSplitting: false } }
        }
      }
    : {
        base: "/console/",
        build: {
          outDir: path.join(here, "dist/site"),
          emptyOutDir: true,
          target: "es2024",
          // every browser that runs es2024 knows modulepreload
          modulePreload: { polyfill: false },
          // the content security policy allows no data: URLs
          assetsInlineLimit: 0,
          rolldownOptions: { onLog },
          manifest: "manifest.json",
          // the licences of dependencies must be in every copy
          license: { fileName: "THIRD-PARTY.md" }
        }
      }),
  server: { proxy: { "^/(?!console/(?!api/))": { target: service, headers: { origin: service } } } }
}))
