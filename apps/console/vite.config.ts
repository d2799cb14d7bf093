/**
 * The build of the console: hashed assets below `/console/`, and in the mode `file` the verify screen as one HTML file.
 */
import * as path from "node:path"

import { defineConfig, type Plugin, type Rolldown } from "vite"

const here = import.meta.dirname

/** The service whose data `pnpm dev` shows: the address that `plumbline up` takes by default. */
const service = process.env["PLUMBLINE_URL"] ?? "http://127.0.0.1:8645"

/** Drops the warnings about "use client", which says nothing to a page without a server. */
const onLog: Rolldown.RolldownOptions["onLog"] = (level, log, report) => {
  if (log.code !== "MODULE_LEVEL_DIRECTIVE") report(level, log)
}

/** Puts script and styles into the page, so that it is one file which opens without any server. */
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
  // a thread loads parts of its code when it needs them
  worker: { format: "es" as const },
  ...(mode === "file"
    ? {
        base: "./",
        plugins: [oneFile],
        build: {
          outDir: path.join(here, "dist/file"),
          emptyOutDir: true,
          target: "es2024",
          // fonts and the icon go into the file as well
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
          // the content security policy allows no data: URLs
          assetsInlineLimit: 0,
          rolldownOptions: { onLog },
          manifest: "manifest.json",
          // the texts that the licences of others require in every copy
          license: { fileName: "THIRD-PARTY.md" }
        }
      }),
  server: { proxy: { "^/(?!console/(?!api/))": { target: service, headers: { origin: service } } } }
}))
