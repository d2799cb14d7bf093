/** Rollup with the plugin that finds packages, and without a plugin for CommonJS. So no module may be CommonJS. */
import * as path from "node:path"

import type { Environment } from "../place.ts"
import * as Page from "./page.ts"

export const rollup: Environment = {
  name: "rollup",
  about: "Rollup, without CommonJS",
  isFast: false,
  run: async (place) => {
    const tool = path.join(await place.tool("rollup"), "dist/es/rollup.js")
    const resolve = path.join(await place.tool("@rollup/plugin-node-resolve"), "dist/es/index.js")
    const terser = path.join(await place.tool("@rollup/plugin-terser"), "dist/es/index.js")
    return Page.run(place, (place, entry, out) =>
      Page.script(
        place,
        "build.js",
        `import { rollup } from ${JSON.stringify(tool)}
import { nodeResolve } from ${JSON.stringify(resolve)}
import terser from ${JSON.stringify(terser)}
const bundle = await rollup({ input: "${entry}", plugins: [nodeResolve({ browser: true }), terser()],
  onwarn: (warning) => {
    // Effect has circles of its own
    if (warning.code !== "CIRCULAR_DEPENDENCY" || /@plumbline/u.test(warning.message)) throw new Error(warning.code + ": " + warning.message)
  } })
await bundle.write({ file: "${out}", format: "es", inlineDynamicImports: true })
`
      )
    )
  }
}
