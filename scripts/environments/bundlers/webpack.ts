/** webpack, in production mode. */
import * as path from "node:path"

import type { Environment } from "../place.ts"
import * as Page from "./page.ts"

export const webpack: Environment = {
  name: "webpack",
  about: "webpack",
  isFast: false,
  run: async (place) => {
    const tool = path.join(await place.tool("webpack"), "lib/index.js")
    return Page.run(place, (place, entry, out) =>
      Page.script(
        place,
        "build.js",
        `import webpack from ${JSON.stringify(tool)}
import * as path from "node:path"
const stats = await new Promise((resolve, reject) => webpack({
  mode: "production", entry: "./${entry}", target: ["web", "es2022"], experiments: { outputModule: true }, performance: false,
  output: { path: path.resolve("out"), filename: "${path.basename(out)}", module: true, chunkFormat: "module", asyncChunks: false, clean: false }
}, (error, stats) => error ? reject(error) : resolve(stats)))
if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString({ all: false, errors: true, warnings: true }))
`
      )
    )
  }
}
