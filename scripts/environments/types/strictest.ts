/**
 * The compilation that all versions of TypeScript share. It uses the strictest options and checks the declarations of
 * libraries.
 */
import { existsSync } from "node:fs"
import * as path from "node:path"

import * as Place from "../place.ts"
import type { Tool } from "../toolVersions.ts"

/** Every option that makes TypeScript stricter and exists in the newest three major versions. */
const STRICTEST = {
  strict: true,
  allowUnreachableCode: false,
  allowUnusedLabels: false,
  erasableSyntaxOnly: true,
  exactOptionalPropertyTypes: true,
  isolatedModules: true,
  noFallthroughCasesInSwitch: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noPropertyAccessFromIndexSignature: true,
  noUncheckedIndexedAccess: true,
  noUncheckedSideEffectImports: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  skipLibCheck: false,
  verbatimModuleSyntax: true
}

/** Returns the options for a program in a browser or in Node. By default modules are found as in Node. */
export const options = (more: object = {}): object => ({
  ...STRICTEST,
  allowImportingTsExtensions: true,
  lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable", "esnext.disposable"],
  module: "nodenext",
  noEmit: true,
  noErrorTruncation: true,
  target: "es2024",
  types: [],
  ...more
})

/** Writes a `tsconfig` for the files in `include`. */
export const config = (
  place: Place.Place,
  file: string,
  compilerOptions: object,
  include: ReadonlyArray<string>
): void => Place.write(place, file, JSON.stringify({ compilerOptions, include }))

/** Compiles with one version of TypeScript, and returns the errors, one line each. */
export const compile = async (place: Place.Place, tool: Tool, project: string): Promise<ReadonlyArray<string>> => {
  const tsc = path.join(await place.tool(tool), "../.bin/tsc")
  if (!existsSync(path.join(place.folder, project))) throw new Error(`${project} is missing`)
  const said = await Place.run(place, tsc, "-p", project, "--pretty", "false").catch((error: unknown) => {
    if (typeof error === "object" && error !== null && "stdout" in error) return String(error.stdout)
    throw error
  })
  return said.split("\n").filter((line) => /error TS\d+/u.test(line))
}

/** True for an error in the declarations of another project. */
const isForeign = (line: string): boolean => /^[^(]*node_modules\/(?!@plumbline\/)/u.test(line)

/** Throws if there is an error outside the declarations of other projects. Returns the number of errors inside them. */
export const expectNone = (errors: ReadonlyArray<string>): number => {
  const ours = errors.filter((line) => !isForeign(line))
  if (ours.length > 0) throw new Error(`${ours.length} errors:\n${ours.slice(0, 20).join("\n")}`)
  return errors.length
}

/** Writes the programs, and a further program that imports every public module, so that every declaration is read. */
export const writeAll = (place: Place.Place): void => {
  Place.writeSources(place)
  const imports = Place.modules.map((module, i) => `import * as M${i} from ${JSON.stringify(module)}`)
  const names = Place.modules.map((_, i) => `M${i}`)
  Place.write(
    place,
    "modules.ts",
    `${imports.join("\n")}\nexport const modules: ReadonlyArray<object> = [${names.join(", ")}]\n`
  )
}

/**
 * Installs the packages, and compiles every public module and the programs, with the module resolution of Node and with
 * that of bundlers.
 */
export const run = async (place: Place.Place, tool: Tool): Promise<Place.Figures> => {
  await Place.begin(place)
  const install = await Place.npmInstall(place)
  writeAll(place)
  config(place, "tsconfig.json", options(), ["*.ts"])
  config(place, "tsconfig.bundler.json", options({ module: "esnext", moduleResolution: "bundler" }), ["*.ts"])
  const [errors, program] = await Place.timed(() => compile(place, tool, "tsconfig.json"))
  const others = expectNone(errors)
  expectNone(await compile(place, tool, "tsconfig.bundler.json"))
  const note = others === 0 ? "" : `, ${others} errors in other projects' declarations`
  return { installed: Place.sizeOf(place), install, program, said: `${Place.modules.length} modules${note}` }
}
