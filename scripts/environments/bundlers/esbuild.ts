/**
 * esbuild, for browsers.
 *
 * esbuild does not report odd code below `node_modules` unless its rules are enabled by name. So they are named here,
 * and reports about our packages count.
 */
import * as path from "node:path"

import type { Environment } from "../place.ts"
import * as Page from "./page.ts"

/** Source: https://esbuild.github.io/api/#log-override, and `internal/logger/msg_ids.go` of esbuild. */
const ODD = [
  "assign-to-constant",
  "assign-to-import",
  "call-import-namespace",
  "commonjs-variable-in-esm",
  "direct-eval",
  "duplicate-case",
  "duplicate-object-key",
  "empty-import-meta",
  "equals-nan",
  "equals-negative-zero",
  "equals-new-object",
  "import-is-undefined",
  "indirect-require",
  "private-name-will-throw",
  "semicolon-after-return",
  "suspicious-boolean-not",
  "suspicious-nullish-coalescing",
  "this-is-undefined-in-esm",
  "unsupported-dynamic-import",
  "unsupported-regexp",
  "unsupported-require-call"
]

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
const odd = ${JSON.stringify(ODD)}
const { warnings } = await build({ entryPoints: ["${entry}"], outfile: "${out}", bundle: true, minify: true,
  format: "esm", platform: "browser", target: "es2024", legalComments: "none", logLimit: 0,
  logLevel: "silent", logOverride: Object.fromEntries(odd.map((id) => [id, "warning"])) })
const ours = warnings.filter(({ id, location }) => !odd.includes(id) || /@plumbline/u.test(location?.file ?? ""))
if (ours.length > 0) throw new Error(JSON.stringify(ours))
`
      )
    )
  }
}
