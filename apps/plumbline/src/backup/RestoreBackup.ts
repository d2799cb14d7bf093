/** `plumbline restore`: checks a whole backup, and then puts it in the place of a service that does not run. */
import { existsSync } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"

import * as IpfsFolder from "@plumbline/devnet/ipfs/IpfsFolder"
import * as AdminServer from "@plumbline/gateway-admin/api/AdminServer"
import * as BeaconArchive from "@plumbline/gateway-beacon/archive/BeaconArchive"
import * as IpfsProjects from "@plumbline/gateway-ipfs/IpfsProjects"
import * as Postgres from "@plumbline/gateway/state/Postgres"
import * as StateBackup from "@plumbline/gateway/StateBackup"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"

import * as FileFlag from "../config/FileFlag.ts"
import * as LoadConfig from "../config/LoadConfig.ts"
import * as StateFolder from "../config/StateFolder.ts"
import { attempt } from "../files/DataError.ts"
import * as FolderSwap from "../files/FolderSwap.ts"
import * as FolderLock from "../service/FolderLock.ts"
import { BackupError } from "./BackupError.ts"
import type { RestoreFlags } from "./BackupFlags.ts"
import * as BackupFolder from "./BackupFolder.ts"
import * as BackupView from "./BackupView.ts"
import * as PostgresPrograms from "./PostgresPrograms.ts"

const { FILES } = BackupFolder

export const run = Effect.fnUntraced(function* (flags: RestoreFlags) {
  const { settings } = yield* LoadConfig.load(yield* FileFlag.resolve(flags.config))
  const data = yield* StateFolder.of(settings, flags.data)
  const from = path.resolve(flags.folder)
  yield* BackupView.step("checking the backup")
  const manifest = yield* BackupFolder.read(from)
  const wanted = data === undefined ? "postgres" : "folder"
  if (manifest.state !== wanted) {
    const [of, is] = [PLACES[manifest.state], PLACES[wanted]]
    return yield* new BackupError({ path: from, problem: "Foreign", detail: `it is of ${of}, and the state is ${is}` })
  }
  yield* Effect.mapError(
    StateBackup.refuseNewer(manifest, [IpfsProjects.migrations, BeaconArchive.migrations, ...AdminServer.migrations]),
    ({ detail }) => new BackupError({ path: from, problem: "Newer", detail })
  )
  const blocks = yield* BackupFolder.verify(from, manifest)
  if (settings.state._tag === "Shared") yield* toPostgres(settings.state.postgres, from, manifest)
  else yield* Effect.scoped(toFolder(data!, from, manifest, { blocks, replaces: flags.replace }))
  yield* BackupView.printRestored({ folder: data, manifest, replaced: data && FolderSwap.replacedOf(data) }, flags)
})

const PLACES = { folder: "a data folder", postgres: "a Postgres database" } as const

const toFolder = Effect.fnUntraced(function* (
  data: string,
  from: string,
  manifest: BackupFolder.BackupManifest,
  { blocks, replaces }: { readonly blocks: ReadonlyArray<IpfsFolder.StoredBlock>; readonly replaces: boolean }
) {
  yield* attempt(data, "Unwritable", () => fs.mkdir(data, { recursive: true, mode: 0o700 }))
  yield* FolderLock.hold(data)
  yield* FolderSwap.finish(data)
  if (!replaces && ["state.sqlite", "service.json", "ipfs"].some((name) => existsSync(path.join(data, name)))) {
    return yield* new BackupError({ path: data, problem: "NotEmpty", detail: "Replace it with --replace" })
  }
  yield* BackupView.step("copying the backup")
  const prepared = yield* FolderSwap.prepare(data)
  const ipfs = path.join(prepared, "ipfs")
  yield* attempt(prepared, "Unwritable", () => fs.mkdir(ipfs, { mode: 0o700 }))
  const damaged = (detail: string) => new BackupError({ path: from, problem: "Damaged", detail })
  for (const { bytes, name, sha256 } of manifest.files) {
    if (name === FILES.blocks) continue
    const file = path.join(name === FILES.pins ? ipfs : prepared, name)
    const sum = yield* attempt(file, "Unwritable", async () => {
      await fs.copyFile(path.join(from, manifest.folder, name), file)
      const handle = await fs.open(file, "r+")
      await handle.chmod(0o600)
      await handle.sync()
      await handle.close()
      return BackupFolder.sumOf(file)
    })
    if (sum.bytes !== bytes || sum.sha256 !== sha256) return yield* damaged(path.join(manifest.folder, name))
  }
  const copied = yield* Effect.mapError(IpfsFolder.copyBlocks({ from, to: ipfs, blocks }), ({ detail }) =>
    damaged(detail)
  )
  if (copied.blocks.length !== blocks.length) return yield* damaged("a block changed while it was copied")
  yield* attempt(ipfs, "Unwritable", () => FolderSwap.sync(ipfs))
  yield* BackupView.step("replacing the folder")
  yield* FolderSwap.commit(data)
})

const toPostgres = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  from: string,
  manifest: BackupFolder.BackupManifest
) {
  const mark = yield* Effect.scoped(
    Effect.flatMap(Layer.build(Postgres.layer({ url, connections: 1 })), (context) =>
      Effect.provideContext(StateBackup.markOfPostgres, context)
    )
  )
  if (mark !== undefined) {
    return yield* new BackupError({
      path: "the database of state.postgres",
      problem: "NotEmpty",
      detail: "Rename it, and make an empty one"
    })
  }
  yield* BackupView.step("restoring the database")
  yield* PostgresPrograms.restore(url, path.join(from, manifest.folder, FILES.postgres))
})
