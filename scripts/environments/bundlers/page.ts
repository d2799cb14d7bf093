/**
 * The step that all bundlers share. A bundler bundles `main.js` and `one.js`, and Node runs the bundles. The bundler
 * also bundles `every.js`, which exports every public module.
 *
 * The first warning about our packages fails the step. A bundler does not parse modules that it drops, so it needs
 * `every.js` to see all of them.
 */
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { gzipSync } from "node:zlib"

import * as Place from "../place.ts"

/** Bundles an entry such as `main.js`, minified, into one ES module at the path `out`. */
export type Bundle = (place: Place.Place, entry: string, out: string) => Promise<void>

/** Installs the packages, bundles the programs, runs the bundles, and measures the bundle that reads a block. */
export const run = async (place: Place.Place, bundle: Bundle): Promise<Place.Figures> => {
  await Place.begin(place)
  const install = await Place.npmInstall(place)
  const installed = Place.sizeOf(place)
  Place.writePrograms(place)
  await bundle(place, "main.js", "out/main.js")
  await bundle(place, "one.js", "out/one.js")
  await bundle(place, "every.js", "out/every.js")
  const [told, program] = await Place.timed(() => Place.run(place, process.execPath, "out/main.js"))
  await Place.run(place, process.execPath, "out/one.js")
  return { installed, install, program, bundle: gzipped(place, "out/one.js"), said: Place.expectAll(told) }
}

const gzipped = (place: Place.Place, file: string): number =>
  gzipSync(readFileSync(path.join(place.folder, file)), { level: 9 }).length

/**
 * Returns a script that builds with Vite and fails if Vite or Rolldown warns. `options` is the source text of Vite's
 * `build` options.
 */
export const byVite = (tool: string, options: string): string =>
  `import { build, createLogger } from ${JSON.stringify(tool)}
const warnings = []
const warn = (text) => void warnings.push(text)
await build({ configFile: false, logLevel: "warn", customLogger: { ...createLogger("warn"), warn, warnOnce: warn },
  build: ${options} })
if (warnings.length > 0) throw new Error(warnings.join("\\n"))
`

/** Writes a build script to a separate file and runs it. The script imports the bundler by the bundler's path. */
export const script = async (place: Place.Place, file: string, text: string): Promise<void> => {
  Place.write(place, file, text)
  await Place.run(place, process.execPath, file)
}
