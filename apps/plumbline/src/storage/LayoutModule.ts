/** Writes layouts as TypeScript modules to files. */
import type { Layout } from "@plumbline/storage-layout/layout/Layout"
import * as Generate from "@plumbline/storage-layout/typed/Generate"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Option from "effect/Option"
import * as Path from "effect/Path"

import { dataError } from "../files/DataError.ts"
import * as OutputFile from "../files/OutputFile.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import * as ContractFlags from "./layout/ContractFlags.ts"

export interface LayoutModuleFlags {
  readonly file: string
  readonly contract: Option.Option<string>
  readonly struct: ReadonlyArray<string>
  readonly output: string
  readonly force: boolean
  readonly json: boolean
}

/** `plumbline layout`: writes the module, unless it would replace a file of another origin. */
export const run = Effect.fnUntraced(function* (flags: LayoutModuleFlags) {
  const path = yield* Path.Path
  const output = yield* OutputFile.find(flags.output)
  yield* OutputFile.checkJson(output, flags.json)
  const layout = withoutFolder(yield* ContractFlags.layout({ ...flags, layout: flags.file }), path)
  const text = Generate.typescript(layout)
  if ((yield* beginningOf(output)) !== Generate.MARK) yield* OutputFile.checkFree(output, flags.force)
  yield* OutputFile.write(output, new TextEncoder().encode(text))
  const { contract = null, namespaces, types, variables } = layout
  const counts = { variables: variables.length, namespaces: namespaces.length, types: types.size }
  const what = TerminalText.printable(`${flags.output}: ${contract === null ? "" : `${contract}, `}${words(counts)}`)
  if (output._tag === "Stdout") return yield* Console.error(what)
  yield* Console.log(flags.json ? TerminalText.json({ file: flags.output, contract, ...counts }) : what)
})

/**
 * Drops the folder from the name of a source that this command compiled. Such a name is the source's path on this
 * machine.
 */
const withoutFolder = (layout: Layout, path: Path.Path): Layout => {
  const { contract } = layout
  return contract !== undefined && path.isAbsolute(contract) ? { ...layout, contract: path.basename(contract) } : layout
}

/**
 * Reads the beginning of a file: as many bytes as the mark of a generated file has. Reads nothing if there is no
 * regular file.
 */
const beginningOf = Effect.fnUntraced(function* (output: OutputFile.OutputPlace) {
  const fs = yield* FileSystem.FileSystem
  const file = output.path
  if (output._tag === "Stdout" || output._tag === "Stream") return undefined
  if (output._tag === "File" && output.old === undefined) return undefined
  const read = Effect.gen(function* () {
    const opened = yield* fs.open(file)
    const bytes = new Uint8Array(Generate.MARK.length)
    const size = yield* opened.read(bytes)
    return new TextDecoder().decode(bytes.subarray(0, size))
  })
  return yield* Effect.mapError(Effect.scoped(read), (error) => dataError(file, "Unreadable", error))
})

const words = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${count === 1 ? name.slice(0, -1) : name}`)
    .join(", ") || "no variables"
