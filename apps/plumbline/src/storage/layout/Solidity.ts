/** Compiles Solidity sources for their layouts, with npm's solc, which is loaded only when needed. */
import { readFileSync, statSync } from "node:fs"

import * as Effect from "effect/Effect"
import * as Path from "effect/Path"

import * as Hints from "./Hints.ts"
import type { Json } from "./JsonFiles.ts"
import { LayoutFileError } from "./LayoutFileError.ts"

/** The outputs to request from the compiler. */
const SELECTION = { "*": { "*": ["storageLayout"], "": ["ast"] } }

/**
 * Compiles the source at `file` and returns the output. `file` is an absolute path, and also the source's name in the
 * output. `named` is the name that the user gave, for errors.
 *
 * An import that begins with a dot is looked up beside the importing source. Any other import is looked up beside the
 * source, in `node_modules` and in `lib`, and then in the folders above. The nearest `remappings.txt` applies, as in
 * Foundry.
 */
export const compile = Effect.fnUntraced(function* (named: string, file: string) {
  const path = yield* Path.Path
  const main = read(file)
  if (main === undefined) {
    return yield* new LayoutFileError({ path: named, problem: "Unreadable", detail: "there is no such file" })
  }
  const folders = above(path, path.dirname(file))
  const input = {
    language: "Solidity",
    sources: { [file]: { content: main } },
    settings: { remappings: remappings(path, folders), outputSelection: SELECTION }
  }
  const find = (name: string) => {
    const places = path.isAbsolute(name) ? [name] : folders.flatMap((folder) => placesIn(path, folder, name))
    for (const place of name.endsWith(".sol") ? places : []) {
      const contents = read(place)
      if (contents !== undefined) return { contents }
    }
    return { error: "there is no such file" }
  }
  return yield* run({ named, input, find, version: undefined })
})

/** The input of an earlier compilation: the sources by their names, and the version of solc that compiled them. */
export interface SoliditySources {
  readonly sources: Json
  readonly remappings: unknown
  readonly version: string | undefined
}

/**
 * Compiles a complete set of sources, and returns the output. The places of variables do not depend on the optimizer or
 * on the version of the EVM, so only the remappings of the settings are used.
 */
export const compileSources = (named: string, { remappings, sources, version }: SoliditySources) => {
  const settings = { ...(Array.isArray(remappings) ? { remappings } : {}), outputSelection: SELECTION }
  const input = { language: "Solidity", sources, settings }
  return run({ named, input, find: () => ({ error: "it is not among the sources" }), version })
}

interface SolcRun {
  readonly named: string
  readonly input: object
  readonly find: (name: string) => { readonly contents: string } | { readonly error: string }
  /** The version of solc that compiled the sources before. */
  readonly version: string | undefined
}

const run = Effect.fnUntraced(function* ({ find, input, named, version }: SolcRun) {
  const { default: solc } = yield* Effect.promise(() => import("solc"))
  const output = yield* Effect.try({
    try: (): Output => JSON.parse(solc.compile(JSON.stringify(input), { import: find })),
    catch: () =>
      new LayoutFileError({
        path: named,
        problem: "CompilerErrors",
        detail: "the compiler failed without an error message"
      })
  })
  const errors = (output.errors ?? []).filter(({ severity }) => severity === "error")
  if (errors.length === 0) return output
  const own = Hints.shortOf(solc.version())
  const isOther =
    (version !== undefined && Hints.shortOf(version) !== own) || errors.some(({ errorCode }) => errorCode === PRAGMA)
  const advice = isOther ? `. ${Hints.other(version, own)}` : ""
  return yield* new LayoutFileError({
    path: named,
    problem: "CompilerErrors",
    detail: `solc ${own} does not compile it: ${shortened(errors[0]!.message)}${advice}`,
    lines: told(errors.map(({ formattedMessage }) => formattedMessage))
  })
})

/** solc's number for "Source file requires different compiler version". */
const PRAGMA = "5333"

/**
 * Returns the first lines of the compiler's errors, shortened, because they repeat lines of the source, which can be
 * long.
 */
const told = (messages: ReadonlyArray<string>): ReadonlyArray<string> => {
  const lines = messages.flatMap((message) => message.slice(0, MAX_MESSAGE).trimEnd().split("\n"))
  const more = lines.length - MAX_LINES
  const shown = lines.slice(0, MAX_LINES).map(shortened)
  return more > 0 ? [...shown, `… and ${more} more lines`] : shown
}

const shortened = (line: string): string => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line)

interface Output {
  readonly [field: string]: unknown
  readonly errors?: ReadonlyArray<{
    readonly severity: string
    readonly message: string
    readonly errorCode?: string
    readonly formattedMessage: string
  }>
}

/** Maximum number of lines of errors, enough for about eight errors. One mistake can cause many errors. */
const MAX_LINES = 48

/** Maximum number of characters of a line, and of the whole text of one error. */
const MAX_LINE = 160
const MAX_MESSAGE = 16_384

/** Maximum number of bytes of a source. No real source is as large. */
const MAX_BYTES = 16 * 2 ** 20

/** Reads a file synchronously, because the compiler asks for its imports and waits. */
const read = (file: string): string | undefined => {
  try {
    const found = statSync(file)
    return found.isFile() && found.size <= MAX_BYTES ? readFileSync(file, "utf8") : undefined
  } catch {
    return undefined
  }
}

/** Returns the folder, and every folder above it. */
const above = (path: Path.Path, folder: string): ReadonlyArray<string> => {
  const parent = path.dirname(folder)
  return parent === folder ? [folder] : [folder, ...above(path, parent)]
}

const placesIn = (path: Path.Path, folder: string, name: string): ReadonlyArray<string> => [
  path.join(folder, name),
  path.join(folder, "node_modules", name),
  path.join(folder, "lib", name)
]

const remappings = (path: Path.Path, folders: ReadonlyArray<string>): ReadonlyArray<string> => {
  for (const folder of folders) {
    const text = read(path.join(folder, "remappings.txt"))
    if (text !== undefined) return text.split(/\r?\n/u).filter((line) => line.includes("="))
  }
  return []
}
