/** Vite, building a library of one file. */
import * as path from "node:path"

import type { Environment } from "../place.ts"
import * as Page from "./page.ts"

export const vite: Environment = {
  name: "vite",
  about: "Vite",
  isFast: false,
  run: async (place) => {
    const tool = path.join(await place.tool("vite"), "dist/node/index.js")
    return Page.run(place, (place, entry, out) =>
      Page.script(
        place,
        "build.js",
        Page.byVite(
          tool,
          `{ outDir: "out", emptyOutDir: false, minify: true, target: "es2024", chunkSizeWarningLimit: 10_000,
    rollupOptions: { input: "${entry}", output: { entryFileNames: "${path.basename(out)}", codeSplitting: false } } }`
        )
      )
    )
  }
}
