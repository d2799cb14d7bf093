/** esbuild, for browsers. */
import * as path from "node:path"

import type { Environment } from "../place.ts"
import * as Page from "./page.ts"

export const esbuild: Environment = {
  name: "esbuild",
  about: "esbuild, for browsers",
  isFast: true,
  run: async (place) => {
    const tool = path.join(await place.tool("esbuild"), "lib/main.js")
    return Page.run(place, (place, entry, out) =>
      Page.script(
        place,
        "build.js",
        `import { build } from ${JSON.stringify(tool)}
const { warnings } = await build({ entryPoints: ["${entry}"], outfile: "${out}", bundle: true, minify: true,
  format: "esm", platform: "browser", target: "es2024", legalComments: "none" })
if (warnings.length > 0) throw new Error(JSON.stringify(warnings))
`
      )
    )
  }
}
