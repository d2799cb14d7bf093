/** A consumer's folder outside the workspace, and the steps that all environments share. */
import { globSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import { transformSync } from "esbuild"

import * as Outside from "../outside.ts"
import { clientPackages, packages, root } from "../workspace.ts"
import type { Tool } from "./toolVersions.ts"

/** An empty folder for a consumer of the packages, and what is needed to fill it. */
export interface Place {
  /** Absolute. */
  readonly folder: string
  /** The registry of our packages, on loopback. */
  readonly registry: string
  /** The version of our packages. */
  readonly version: string
  /** The path of the Chromium program, for pages. */
  readonly chromium: string
  /** Installs a tool unless it is there, and returns the folder of its package. */
  readonly tool: (name: Tool) => Promise<string>
}

/** The figures of an environment. A figure that does not apply is absent. */
export interface Figures {
  /** Bytes of `node_modules` after the install. */
  readonly installed?: number
  /** Duration of the install, in seconds. */
  readonly install?: number
  /** Seconds that the program runs, including its start. */
  readonly program?: number
  /** Bytes of the bundle of a program that reads and proves one block, with `effect`, after gzip. */
  readonly bundle?: number
  /** The result, in a few words. */
  readonly said: string
}

/** One way to use the packages. */
export interface Environment {
  readonly name: string
  /** The subject, as the table shows it. */
  readonly about: string
  /** True if `pnpm environments --fast` runs it. */
  readonly isFast: boolean
  /** Tries the packages in this environment. Rejects if they fail. */
  readonly run: (place: Place) => Promise<Figures>
}

/** The client packages, in the order of their names. */
export const clients: ReadonlyArray<string> = [...clientPackages].sort()

/** Every public module of the client packages, by its specifier. */
export const modules: ReadonlyArray<string> = packages()
  .filter(({ name }) => clientPackages.has(name))
  .flatMap(({ modules, name }) => [name, ...modules.map((module) => `${name}/${module}`)])

/** The lowest release of Effect that the packages accept. */
export const EFFECT = "4.1.0"

/** Writes a file of the consumer. */
export const write = (place: Place, file: string, text: string): void => {
  const target = path.join(place.folder, file)
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, text)
}

/** Writes the manifest of a consumer that has the client packages and Effect, and the address of the registry. */
export const begin = async (place: Place, more: object = {}): Promise<void> => {
  const dependencies = { ...Object.fromEntries(clients.map((name) => [name, place.version])), effect: `^${EFFECT}` }
  write(place, "package.json", JSON.stringify({ private: true, type: "module", dependencies, ...more }, null, 2))
  write(place, ".npmrc", await Outside.npmrc(place.registry))
}

/** Runs a program in the consumer's folder, with the machine's own PATH. */
export const run = (place: Place, file: string, ...args: ReadonlyArray<string>): Promise<string> =>
  Outside.run(place.folder, { PATH: Outside.ownPath, ...own(place) }, file, ...args)

/** Gives each run its own caches, so that no cache serves the packages of an earlier run. */
const own = ({ folder }: Place) => ({
  BUN_INSTALL_CACHE_DIR: path.join(folder, ".cache/bun"),
  DENO_DIR: path.join(folder, ".cache/deno"),
  DENO_NO_UPDATE_CHECK: "1"
})

/** Runs a step and returns its result with its seconds. */
export const timed = async <A>(step: () => Promise<A>): Promise<readonly [A, seconds: number]> => {
  const started = performance.now()
  const result = await step()
  return [result, (performance.now() - started) / 1000]
}

/** Installs by npm, and returns the seconds. */
export const npmInstall = async (place: Place): Promise<number> => {
  const [, seconds] = await timed(() => run(place, "npm", "install", "--prefer-offline", "--no-audit", "--no-fund"))
  return seconds
}

/** Returns the bytes of the files below a folder of the consumer. Links are not followed. */
export const sizeOf = (place: Place, folder = "node_modules"): number => {
  const sum = (dir: string): number =>
    readdirSync(dir, { withFileTypes: true }).reduce((bytes, entry) => {
      const file = path.join(dir, entry.name)
      return bytes + (entry.isDirectory() ? sum(file) : entry.isFile() ? lstatSync(file).size : 0)
    }, 0)
  return sum(path.join(place.folder, folder))
}

const smoke = path.join(root, "lab/browser/src/smoke")

/**
 * The programs of `lab/browser/src/smoke`, sorted by name. `runnable` leaves two files out: one only helps the
 * others, and one runs only in pages.
 */
const programs = globSync("*.ts", { cwd: smoke }).sort()
const runnable = programs.filter((file) => file !== "expect.ts" && file !== "light-client-store.ts")

/** Writes the programs unchanged, with their types. */
export const writeSources = (place: Place): void => {
  for (const file of programs) write(place, file, readFileSync(path.join(smoke, file), "utf8"))
}

/**
 * Writes the programs without their types, and two more files: `main.js` runs all programs and prints a line about
 * each, and `every.js` exports every public module of the client packages.
 */
export const writePrograms = (place: Place): void => {
  for (const file of programs) {
    const { code } = transformSync(readFileSync(path.join(smoke, file), "utf8"), { loader: "ts", target: "es2024" })
    write(place, asScript(file), code.replaceAll(/(from "\.\/[^"]+)\.ts"/gu, '$1.js"'))
  }
  const imports = runnable.map((file, i) => `import { run as run${i} } from "./${asScript(file)}"`)
  const calls = runnable.map((file, i) => `said.push(${JSON.stringify(asScript(file))} + ": " + (await run${i}()))`)
  write(place, "all.js", `${imports.join("\n")}\nexport const said = []\n${calls.join("\n")}\n`)
  write(place, "main.js", `import { said } from "./all.js"\nconsole.log(said.join("\\n"))\n`)
  const every = modules.map((module, i) => `export * as m${i} from ${JSON.stringify(module)}`)
  write(place, "every.js", `${every.join("\n")}\n`)
  write(place, "one.js", `import { run } from "./eth-methods.js"\nconsole.log(await run())\n`)
}

const asScript = (file: string): string => file.replace(/\.ts$/u, ".js")

/** Returns what a program of the guides prints, by its `// =>` comments. */
export const expected = (source: string): string =>
  [...source.matchAll(/\/\/ => (.+)$/gmu)].map(([, line]) => line).join("\n")

/** Throws unless every program printed a line. Returns the count in words. */
export const expectAll = (said: string): string => {
  const lines = said.split("\n").filter((line) => /^[a-z0-9-]+\.js: ./u.test(line))
  if (lines.length !== runnable.length) throw new Error(`of ${runnable.length} programs these ended well:\n${said}`)
  return `${lines.length} programs`
}

/**
 * Runs `main.js` with a runtime: `words` are the runtime's command and the arguments before `main.js`. Returns the
 * seconds that it ran, and a text with the number of programs that it ran.
 */
export const runMain = async (place: Place, ...words: readonly [file: string, ...args: ReadonlyArray<string>]) => {
  const [said, seconds] = await timed(() => run(place, ...words, "main.js"))
  return { program: seconds, said: expectAll(said) }
}
