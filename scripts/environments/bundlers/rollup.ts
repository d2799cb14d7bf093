/**
 * Rollup with the plugins that find packages and read CommonJS. Only three packages below the virtual machine of
 * verified calls may be CommonJS. The modules that it loads later are separate files.
 */
import * as path from "node:path"

import type { Environment } from "../place.ts"
import * as Page from "./page.ts"

export const rollup: Environment = {
  name: "rollup",
  about: "Rollup",
  isFast: false,
  run: async (place) => {
    const tool = path.join(await place.tool("rollup"), "dist/es/rollup.js")
    const resolve = path.join(await place.tool("@rollup/plugin-node-resolve"), "dist/es/index.js")
    const commonjs = path.join(await place.tool("@rollup/plugin-commonjs"), "dist/es/index.js")
    const terser = path.join(await place.tool("@rollup/plugin-terser"), "dist/es/index.js")
    return Page.run(place, (place, entry, out) =>
      Page.script(
        place,
        "build.js",
        `import { rollup } from ${JSON.stringify(tool)}
import { nodeResolve } from ${JSON.stringify(resolve)}
import commonjs from ${JSON.stringify(commonjs)}
import terser from ${JSON.stringify(terser)}
const bundle = await rollup({ input: "${entry}", plugins: [nodeResolve({ browser: true }),
  commonjs({ include: /node_modules\\/(?:debug|eventemitter3|ms)\\// }), terser()],
  onwarn: (warning) => {
    // Effect has circles of its own
    if (warning.code !== "CIRCULAR_DEPENDENCY" || /@plumbline/u.test(warning.message)) throw new Error(warning.code + ": " + warning.message)
  } })
await bundle.write({ dir: "${path.dirname(out)}", entryFileNames: "${path.basename(out)}", format: "es" })
`
      )
    )
  }
}
