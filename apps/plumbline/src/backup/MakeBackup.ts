/** `plumbline backup`: copies the state and the content of a service, which may run. */
import * as fs from "node:fs/promises"
import * as path from "node:path"

import * as IpfsFolder from "@plumbline/devnet/ipfs/IpfsFolder"
import * as Postgres from "@plumbline/gateway/state/Postgres"
import * as StateBackup from "@plumbline/gateway/StateBackup"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"

import * as FileFlag from "../config/FileFlag.ts"
import * as LoadConfig from "../config/LoadConfig.ts"
import * as StateFolder from "../config/StateFolder.ts"
import { attempt, DataError } from "../files/DataError.ts"
import * as FileLock from "../files/FileLock.ts"
import * as FolderSwap from "../files/FolderSwap.ts"
import * as WholeFile from "../files/WholeFile.ts"
import * as ProgramVersion from "../home/ProgramVersion.ts"
import * as ServiceFile from "../home/ServiceFile.ts"
import * as FolderLock from "../service/FolderLock.ts"
import { BackupError } from "./BackupError.ts"
import type { BackupFlags } from "./BackupFlags.ts"
import * as BackupFolder from "./BackupFolder.ts"
import * as BackupView from "./BackupView.ts"
import * as PostgresPrograms from "./PostgresPrograms.ts"

const { FILES } = BackupFolder

export const run = Effect.fnUntraced(function* (flags: BackupFlags) {
  const { settings } = yield* LoadConfig.load(yield* FileFlag.resolve(flags.config))
  const data = yield* StateFolder.of(settings, flags.data)
  const to = path.resolve(flags.folder)
  yield* attempt(to, "Unwritable", () => fs.mkdir(to, { recursive: true, mode: 0o700 }))
  yield* BackupFolder.refuseForeign(to)
  const made = Effect.gen(function* () {
    yield* Effect.catchTag(FileLock.hold(path.join(to, BackupFolder.LOCK)), "LockedError", () =>
      Effect.fail(new DataError({ path: to, problem: "InUse", detail: "another backup is made there" }))
    )
    const before = yield* Effect.catchIf(
      BackupFolder.read(to),
      (error) => error._tag === "BackupError" && error.problem === "Missing",
      () => Effect.succeed(undefined)
    )
    if (settings.state._tag === "Shared") return yield* ofPostgres(settings.state.postgres, to, before)
    return yield* ofFolder(data!, to, before)
  })
  yield* BackupView.printMade(to, yield* Effect.scoped(made), flags)
})

/** Copies a data folder. Each step after a kill leaves the backup before it as it was. */
const ofFolder = Effect.fnUntraced(function* (
  data: string,
  to: string,
  before: BackupFolder.BackupManifest | undefined
) {
  const file = path.join(data, FILES.sqlite)
  // A running service has completed it. A copy would mix the states before and after the restore.
  if (FolderSwap.isPending(data)) {
    yield* Effect.scoped(Effect.andThen(FolderLock.hold(data), FolderSwap.finish(data)))
  }
  yield* attempt(file, "Unreadable", () => fs.access(file))
  yield* refuseOther(to, before, yield* StateBackup.markOfSqlite(file))
  const { at, folder, madeAt } = yield* begin(to)
  // The record is read first: it says how many changes the state has at least.
  yield* BackupView.step("copying the record of the service")
  const record = yield* ServiceFile.read(data)
  if (record !== undefined) {
    const content = `${JSON.stringify(ServiceFile.stopped(record), null, 2)}\n`
    yield* WholeFile.replace(path.join(at, FILES.record), content)
  }
  const ipfs = path.join(data, "ipfs")
  const hasIpfs = yield* Effect.promise(() =>
    fs.access(IpfsFolder.pinsOf(ipfs)).then(
      () => true,
      () => false
    )
  )
  const blocksOf = Effect.mapError(
    Effect.flatMap(IpfsFolder.list(ipfs), (blocks) => IpfsFolder.copyBlocks({ from: ipfs, to, blocks })),
    ({ detail }) => new DataError({ path: ipfs, problem: "Unreadable", detail })
  )
  let copied: IpfsFolder.CopiedBlocks | undefined
  let written = { blocks: 0, bytes: 0 }
  if (hasIpfs) {
    yield* BackupView.step("copying the blocks")
    ;({ written } = yield* blocksOf)
    yield* BackupView.step("copying the pins")
    yield* Effect.mapError(
      IpfsFolder.copyPins({ from: ipfs, file: path.join(at, FILES.pins) }),
      ({ detail }) => new DataError({ path: IpfsFolder.pinsOf(ipfs), problem: "Unreadable", detail })
    )
  }
  yield* BackupView.step("copying the state")
  const mark = yield* StateBackup.copySqlite({ file, to: path.join(at, FILES.sqlite) })
  if (hasIpfs) {
    yield* BackupView.step("copying the blocks that came since")
    copied = yield* blocksOf
    written = {
      blocks: written.blocks + copied.written.blocks,
      bytes: written.bytes + copied.written.bytes
    }
    yield* WholeFile.replace(path.join(at, FILES.blocks), BackupFolder.listOf(copied.blocks))
  }
  const manifest = yield* end(to, at, {
    madeAt,
    state: "folder",
    ...mark,
    folder,
    names: [
      FILES.sqlite,
      ...(record === undefined ? [] : [FILES.record]),
      ...(hasIpfs ? [FILES.pins, FILES.blocks] : [])
    ],
    blocks: copied?.blocks
  })
  return { manifest, written, damaged: copied?.damaged ?? [] }
})

const ofPostgres = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  to: string,
  before: BackupFolder.BackupManifest | undefined
) {
  const context = yield* Layer.build(Postgres.layer({ url, connections: 1 }))
  const mark = yield* Effect.provideContext(StateBackup.markOfPostgres, context)
  if (mark === undefined || Object.keys(mark.parts).length === 0) {
    return yield* new BackupError({ path: "state.postgres", problem: "Foreign", detail: "no service has used it" })
  }
  yield* refuseOther(to, before, mark)
  const { at, folder, madeAt } = yield* begin(to)
  yield* BackupView.step("dumping the database")
  yield* PostgresPrograms.dump(url, path.join(at, FILES.postgres))
  yield* attempt(at, "Unwritable", async () => {
    const handle = await fs.open(path.join(at, FILES.postgres), "r+")
    await handle.chmod(0o600)
    await handle.sync()
    await handle.close()
  })
  const manifest = yield* end(to, at, { madeAt, state: "postgres", ...mark, folder, names: [FILES.postgres] })
  return { manifest, written: { blocks: 0, bytes: 0 }, damaged: [] }
})

const begin = Effect.fnUntraced(function* (to: string) {
  const madeAt = new Date(yield* Clock.currentTimeMillis).toISOString()
  const folder = yield* BackupFolder.make(to, madeAt)
  return { at: path.join(to, folder), folder, madeAt }
})

/** Writes the manifest, which makes the backup the newest, and then removes what it does not need. */
const end = Effect.fnUntraced(function* (
  to: string,
  at: string,
  {
    accounts,
    blocks,
    folder,
    madeAt,
    names,
    parts,
    state
  }: StateBackup.StateMark &
    Pick<BackupFolder.BackupManifest, "folder" | "madeAt" | "state"> & {
      readonly names: ReadonlyArray<BackupFolder.BackupManifest["files"][number]["name"]>
      readonly blocks?: ReadonlyArray<IpfsFolder.StoredBlock> | undefined
    }
) {
  const files = yield* attempt(at, "Unreadable", async () => {
    const sums: Array<BackupFolder.BackupManifest["files"][number]> = []
    for (const name of names) sums.push({ name, ...(await BackupFolder.sumOf(path.join(at, name))) })
    await FolderSwap.sync(at)
    await FolderSwap.sync(to)
    return sums
  })
  const manifest: BackupFolder.BackupManifest = {
    kind: "plumbline backup",
    format: BackupFolder.FORMAT,
    version: ProgramVersion.read(),
    madeAt,
    state,
    parts,
    accounts,
    folder,
    files,
    blocks: blocks?.length ?? null
  }
  yield* BackupView.step("writing the manifest")
  yield* BackupFolder.write(to, manifest)
  yield* BackupFolder.tidy(to, folder, blocks ?? [])
  return manifest
})

/**
 * A folder is for the backups of one service: the next one of another service would remove them. A state without
 * accounts is another one too: so begins a service whose data was lost.
 */
const refuseOther = (to: string, before: BackupFolder.BackupManifest | undefined, mark: StateBackup.StateMark) =>
  before === undefined || before.accounts.length === 0 || before.accounts.some((id) => mark.accounts.includes(id))
    ? Effect.void
    : Effect.fail(new BackupError({ path: to, problem: "OtherService", detail: "" }))
