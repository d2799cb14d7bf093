/**
 * The folder of a backup.
 *
 * ```text
 * backup.lock            written first: only a folder with it, or an empty one, is used
 * manifest.json          written last: without it there is no backup
 * 20261130T014200Z-3f9c/ the files of the newest backup: the state, the record of the service, pins, the list of blocks
 * blocks/                the blocks of IPFS, which each backup adds to
 * ```
 */
import { createHash, randomBytes } from "node:crypto"
import { createReadStream } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { pipeline } from "node:stream/promises"

import * as IpfsFolder from "@plumbline/devnet/ipfs/IpfsFolder"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

import { attempt, DataError, nodeCodeOf } from "../files/DataError.ts"
import * as WholeFile from "../files/WholeFile.ts"
import * as ProgramVersion from "../home/ProgramVersion.ts"
import { BackupError } from "./BackupError.ts"

/** The names of the files of a backup. */
export const FILES = {
  sqlite: "state.sqlite",
  postgres: "state.dump",
  record: "service.json",
  pins: "pins.sqlite",
  blocks: "blocks.txt"
} as const

const Manifest = Schema.Struct({
  kind: Schema.Literal("plumbline backup"),
  format: Schema.Literal(1),
  /** The version of the program that made the backup. */
  version: Schema.String,
  madeAt: Schema.String,
  state: Schema.Literals(["folder", "postgres"]),
  parts: Schema.Record(Schema.String, Schema.Int),
  accounts: Schema.Array(Schema.String),
  /** The folder with the files. */
  folder: Schema.String.check(Schema.isPattern(/^[0-9A-Za-z-]+$/u)),
  files: Schema.Array(
    Schema.Struct({
      name: Schema.Literals(Object.values(FILES)),
      bytes: Schema.Int,
      sha256: Schema.String
    })
  ),
  /** The number of blocks in the list; null if the service has no embedded IPFS node. */
  blocks: Schema.NullOr(Schema.Int)
})
export type BackupManifest = typeof Manifest.Type

/** The format of the manifest that this version writes. */
export const FORMAT = 1

const Head = Schema.Struct({ kind: Schema.Literal("plumbline backup"), format: Schema.Int, version: Schema.String })
const Signed = Schema.fromJsonString(Schema.Struct({ sha256: Schema.String, manifest: Schema.Unknown }))

/** Reads the manifest of a folder, and refuses one that is foreign, newer or damaged. */
export const read = Effect.fnUntraced(function* (folder: string) {
  const file = path.join(folder, MANIFEST)
  const refused = (problem: BackupError["problem"], detail = "") => new BackupError({ path: folder, problem, detail })
  const text = yield* Effect.tryPromise({
    try: () => fs.readFile(file, "utf8"),
    catch: (error) =>
      nodeCodeOf(error) === "ENOENT"
        ? refused("Missing")
        : new DataError({ path: file, problem: "Unreadable", detail: nodeCodeOf(error) })
  })
  const damaged = () => refused("Damaged", MANIFEST)
  const { manifest, sha256 } = yield* Effect.mapError(Schema.decodeUnknownEffect(Signed)(text), () =>
    refused("Foreign", `its ${MANIFEST} is not one of Plumbline`)
  )
  if (digestOf(JSON.stringify(manifest)) !== sha256) return yield* damaged()
  const head = yield* Effect.mapError(Schema.decodeUnknownEffect(Head)(manifest), () =>
    refused("Foreign", `its ${MANIFEST} is not one of Plumbline`)
  )
  if (head.format > FORMAT || isNewer(head.version, ProgramVersion.read())) {
    return yield* refused("Newer", head.version)
  }
  return yield* Effect.mapError(Schema.decodeUnknownEffect(Manifest)(manifest), damaged)
})

/** Replaces the manifest. From then on the backup is the newest one. */
export const write = (folder: string, manifest: BackupManifest) =>
  Effect.andThen(
    WholeFile.replace(
      path.join(folder, MANIFEST),
      `${JSON.stringify({ sha256: digestOf(JSON.stringify(manifest)), manifest })}\n`
    ),
    Effect.void
  )

/**
 * Refuses a folder that has files and was never one of backups. A backup removes blocks that it does not need: there
 * they would be those of an IPFS node.
 */
export const refuseForeign = Effect.fnUntraced(function* (folder: string) {
  const names = yield* attempt(folder, "Unreadable", () => fs.readdir(folder))
  // a file system has these entries of its own
  const isEmpty = names.every((name) => name.startsWith(".") || name === "lost+found")
  if (isEmpty || names.includes(LOCK) || names.includes(MANIFEST)) return
  return yield* new BackupError({ path: folder, problem: "Foreign", detail: "it has files, and no backup" })
})

/** Makes the folder for the files of a new backup, and returns its name. */
export const make = (folder: string, madeAt: string): Effect.Effect<string, DataError> =>
  attempt(folder, "Unwritable", async () => {
    const name = `${madeAt.replaceAll(/[-:]|\.\d+/gu, "")}-${randomBytes(2).toString("hex")}`
    await fs.mkdir(path.join(folder, name), { mode: 0o700 })
    return name
  })

/** Removes what the newest backup does not need: the files of older ones, and blocks that it does not list. */
export const tidy = (folder: string, newest: string, blocks: ReadonlyArray<IpfsFolder.StoredBlock>) =>
  Effect.gen(function* () {
    yield* attempt(folder, "Unwritable", async () => {
      for (const name of await fs.readdir(folder)) {
        if (FOLDERS.test(name) && name !== newest) await fs.rm(path.join(folder, name), { recursive: true })
      }
    })
    const needed = new Set(blocks.map(({ name }) => name))
    const stored = yield* Effect.mapError(IpfsFolder.list(folder), () => unreadable(folder))
    yield* Effect.mapError(
      IpfsFolder.remove(
        folder,
        stored.filter(({ name }) => !needed.has(name))
      ),
      () => unreadable(folder)
    )
  })

const unreadable = (folder: string) => new DataError({ path: folder, problem: "Unwritable", detail: "Unknown" })

const FOLDERS = /^\d{8}T\d{6}Z-[0-9a-f]{4}$/u

/** Returns the size and the SHA-256 of a file. */
export const sumOf = async (file: string): Promise<{ readonly bytes: number; readonly sha256: string }> => {
  const hash = createHash("sha256")
  let bytes = 0
  await pipeline(createReadStream(file), async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) {
      hash.update(chunk)
      bytes += chunk.length
    }
  })
  return { bytes, sha256: hash.digest("hex") }
}

/** Checks that every file and every block of a backup is as it was written. */
export const verify = Effect.fnUntraced(function* (folder: string, manifest: BackupManifest) {
  const damaged = (detail: string) => new BackupError({ path: folder, problem: "Damaged", detail })
  for (const { bytes, name, sha256 } of manifest.files) {
    const file = path.join(manifest.folder, name)
    const sum = yield* Effect.tryPromise({
      try: () => sumOf(path.join(folder, file)),
      catch: (error) => damaged(`${file} (${nodeCodeOf(error)})`)
    })
    if (sum.bytes !== bytes || sum.sha256 !== sha256) return yield* damaged(file)
  }
  if (manifest.blocks === null) return []
  const blocks = yield* listed(folder, manifest)
  const unsound = yield* Effect.mapError(IpfsFolder.unsound(folder, blocks), ({ detail }) => damaged(detail))
  if (unsound.length > 0) {
    const more = unsound.length === 1 ? "" : `, and ${unsound.length - 1} more`
    return yield* damaged(`${path.relative(folder, unsound[0]!)}${more}`)
  }
  return blocks
})

/** Reads the list of blocks. Its file has passed its check. */
const listed = (folder: string, manifest: BackupManifest) =>
  Effect.map(
    attempt(folder, "Unreadable", () => fs.readFile(path.join(folder, manifest.folder, FILES.blocks), "utf8")),
    (text) =>
      text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => {
          const [size, name] = line.split(" ")
          return { name: name!, size: Number(size) }
        })
  )

/** Returns the text of the list of blocks. */
export const listOf = (blocks: ReadonlyArray<IpfsFolder.StoredBlock>): string =>
  blocks.map(({ name, size }) => `${size} ${name}\n`).join("")

const MANIFEST = "manifest.json"

/** The file whose lock a backup holds. It is the first file in a folder of backups. */
export const LOCK = "backup.lock"

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex")

/** True if the first version is newer than the second: by its three numbers, as in semantic versioning. */
const isNewer = (version: string, than: string): boolean => {
  const [a, b] = [numbers(version), numbers(than)]
  const at = a.findIndex((number, i) => number !== b[i])
  return at !== -1 && a[at]! > b[at]!
}

const numbers = (version: string): ReadonlyArray<number> =>
  version
    .replace(/[-+].*$/u, "")
    .split(".")
    .map(Number)
