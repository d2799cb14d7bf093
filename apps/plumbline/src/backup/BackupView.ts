/** Prints what was backed up or restored. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"

import * as Style from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import * as Units from "../terminal/Units.ts"
import type { BackupManifest } from "./BackupFolder.ts"

export interface MadeBackup {
  readonly manifest: BackupManifest
  /** The blocks that were copied; the others were in the folder. */
  readonly written: { readonly blocks: number; readonly bytes: number }
  /** The names of blocks that are damaged at the node, and are not in the backup. */
  readonly damaged: ReadonlyArray<string>
}

export const printMade = (
  folder: string,
  { damaged, manifest, written }: MadeBackup,
  flags: { readonly json: boolean }
) =>
  print(
    { folder, ...partsOf(manifest), newBlocks: written.blocks, newBytes: written.bytes, damaged },
    [
      `Backed up to ${folder}`,
      ...(manifest.blocks === null
        ? []
        : [`${Units.count(manifest.blocks, "block")} of IPFS, ${written.blocks} of them new`]),
      ...damaged.map((name) => `warning: the block ${name} is damaged at the node, and is not in the backup`),
      SECRETS
    ],
    flags
  )

export interface RestoredBackup {
  /** The data folder; undefined if the state is in Postgres. */
  readonly folder: string | undefined
  readonly manifest: BackupManifest
  /** The folder with what was replaced; undefined if nothing was. */
  readonly replaced: string | undefined
}

export const printRestored = ({ folder, manifest, replaced }: RestoredBackup, flags: { readonly json: boolean }) =>
  print(
    { folder: folder ?? null, replaced: replaced ?? null, ...partsOf(manifest) },
    [
      `Restored the backup of ${manifest.madeAt}${folder === undefined ? "" : ` to ${folder}`}`,
      ...(replaced === undefined ? [] : [`What was there before is in ${replaced}`])
    ],
    flags
  )

/** Shows the step that begins, if somebody watches. */
export const step = (name: string) =>
  Effect.flatMap(
    Effect.flatMap(Stdio.Stdio, ({ stderrIsTerminal }) => stderrIsTerminal),
    (isWatched) => (isWatched ? Console.error(`${name} ...`) : Effect.void)
  )

const SECRETS =
  "It holds secrets: those of webhook receivers, and the admin token if the service made it. So only its owner can read it. The configuration is not in it"

const partsOf = ({ blocks, files, madeAt, state, version }: BackupManifest) => ({
  madeAt,
  version,
  state,
  files,
  blocks
})

const print = Effect.fnUntraced(function* (
  json: object,
  lines: ReadonlyArray<string>,
  flags: { readonly json: boolean }
) {
  if (flags.json) return yield* Console.log(TerminalText.json(json))
  const style = yield* Style.current
  const [title = "", ...rest] = lines
  yield* Console.log([style.title(TerminalText.printable(title)), ...rest.map(TerminalText.printable)].join("\n"))
})
