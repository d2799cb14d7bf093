/** Layouts as modules of TypeScript, in files. */
import * as Generate from "@plumbline/storage-layout/Generate"
import type { Layout } from "@plumbline/storage-layout/Layout"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as Option from "effect/Option"
import * as Path from "effect/Path"

import * as BundleFile from "./bundle/BundleFile.ts"
import * as ContractFlags from "./ContractFlags.ts"
import * as ServiceFile from "./ServiceFile.ts"
import * as Text from "./view/Text.ts"

/** What the flags say. */
export interface Flags {
  readonly file: string
  readonly contract: Option.Option<string>
  readonly output: string
  readonly force: boolean
  readonly json: boolean
}

/** `plumbline layout`: writes the module, unless something else would be written over. */
export const run = Effect.fnUntraced(function* (flags: Flags) {
  const path = yield* Path.Path
  const layout = withoutFolder(yield* ContractFlags.layout({ layout: flags.file, contract: flags.contract }), path)
  const text = Generate.typescript(layout)
  if ((yield* beginningOf(flags.output)) !== Generate.MARK) yield* BundleFile.checkFree(flags.output, flags.force)
  yield* BundleFile.write(flags.output, new TextEncoder().encode(text))
  const { contract = null, namespaces, types, variables } = layout
  const counts = { variables: variables.length, namespaces: namespaces.length, types: types.size }
  yield* Console.log(
    flags.json
      ? Text.json({ file: flags.output, contract, ...counts })
      : Text.printable(`${flags.output}: ${contract === null ? "" : `${contract}, `}${words(counts)}`)
  )
})

/** A source that was compiled here has the name of its file on this machine: its folder is left out. */
const withoutFolder = (layout: Layout, path: Path.Path): Layout => {
  const { contract } = layout
  return contract !== undefined && path.isAbsolute(contract) ? { ...layout, contract: path.basename(contract) } : layout
}

/** As much of a file as the mark of a generated one has; nothing of a file that is not there. */
const beginningOf = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  if (!(yield* BundleFile.exists(file))) return undefined
  const read = Effect.gen(function* () {
    const opened = yield* fs.open(file)
    const bytes = new Uint8Array(Generate.MARK.length)
    const size = yield* opened.read(bytes)
    return new TextDecoder().decode(bytes.subarray(0, size))
  })
  return yield* Effect.mapError(Effect.scoped(read), (error) => ServiceFile.dataError(file, "Unreadable", error))
})

const words = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${count === 1 ? name.slice(0, -1) : name}`)
    .join(", ") || "no variables"
