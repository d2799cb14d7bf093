/** `plumbline backup` and `restore` without a service: what is copied, and what is refused before anything is changed. */
import { createHash } from "node:crypto"
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"

import { describe, expect, it } from "@effect/vitest"
import * as IpfsEmbedded from "@plumbline/devnet/ipfs/IpfsEmbedded"
import { Accounts, ServiceState } from "@plumbline/gateway"
import { Effect, Layer, Stream } from "effect"

import * as Children from "../support/Children.ts"
import * as RunCli from "../support/RunCli.ts"

/** Makes a data folder as a stopped service leaves it: an account, content with a pin, and its record. */
const dataFolder = async (folder: string, account: string, hasAccount = true): Promise<string> => {
  const data = path.join(folder, account)
  await mkdir(data)
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const context = yield* Layer.build(ServiceState.layerSqlite({ file: path.join(data, "state.sqlite") }))
        yield* Effect.provideContext(
          Accounts.Accounts.use(({ createAccount }) => (hasAccount ? createAccount({ name: account }) : Effect.void)),
          context
        )
        const node = yield* IpfsEmbedded.make({ folder: path.join(data, "ipfs") })
        yield* Stream.runDrain(
          node.add([{ content: new Uint8Array(300_000).fill(7) }, { content: Buffer.from(account) }])
        )
      })
    )
  )
  await writeFile(
    path.join(data, "service.json"),
    JSON.stringify({
      version: 1,
      url: "http://127.0.0.1:1",
      wsUrl: null,
      ipfsUrl: null,
      pid: 99999999,
      apiKey: "k",
      apiKeySecret: "s",
      adminToken: "t",
      networks: []
    })
  )
  return data
}

const names = (data: string): ReadonlyArray<unknown> =>
  new DatabaseSync(path.join(data, "state.sqlite"), { readOnly: true }).prepare("SELECT name FROM accounts").all()

/** Returns the paths and the SHA-256 of all files below a folder. */
const filesOf = async (folder: string): Promise<Readonly<Record<string, string>>> => {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = found.filter((entry) => entry.isFile()).map(({ name, parentPath }) => path.join(parentPath, name))
  const sums = files.sort().map(async (file) => [
    path.relative(folder, file),
    createHash("sha256")
      .update(await readFile(file))
      .digest("hex")
  ])
  return Object.fromEntries(await Promise.all(sums))
}

const backup = (to: string, data: string) => RunCli.json(["backup", to, "--data", data])
const restore = (from: string, data: string, ...flags: ReadonlyArray<string>) =>
  RunCli.json(["restore", from, "--data", data, ...flags])

describe("a backup of a data folder", () => {
  it("copies new blocks only, is readable by its owner alone, and restores the folder", async () => {
    await using folder = await Children.folder()
    const to = path.join(folder.path, "backup")
    const data = await dataFolder(folder.path, "first")
    const before = await filesOf(data)
    const { answer, exitCode } = await backup(to, data)
    expect([exitCode, answer.error, answer.blocks, answer.newBlocks, answer.damaged]).toEqual([0, undefined, 4, 4, []])
    expect((await backup(to, data)).answer).toMatchObject({ blocks: 4, newBlocks: 0, newBytes: 0 })
    // one folder of files is left: that of the newest backup
    expect((await readdir(to)).filter((name) => name.startsWith("2"))).toHaveLength(1)
    for (const name of Object.keys(await filesOf(to))) {
      expect([name, (await stat(path.join(to, name))).mode & 0o077]).toEqual([name, 0])
    }
    expect((await stat(to)).mode & 0o077).toBe(0)

    const copy = path.join(folder.path, "copy")
    expect((await restore(to, copy)).answer).toMatchObject({ folder: copy, replaced: null, blocks: 4 })
    expect(names(copy)).toEqual([{ name: "first" }])
    const blocks = (files: Readonly<Record<string, string>>) =>
      Object.entries(files).filter(([name]) => name.startsWith("ipfs/blocks/"))
    expect(blocks(await filesOf(copy))).toEqual(blocks(before))
    expect(JSON.parse(await readFile(path.join(copy, "service.json"), "utf8"))).toMatchObject({
      apiKey: "k",
      adminToken: "t",
      url: null,
      pid: null
    })
    // the pins: the content can be listed and read
    const pins = Effect.scoped(
      Effect.gen(function* () {
        const node = yield* IpfsEmbedded.make({ folder: path.join(copy, "ipfs") })
        return (yield* Stream.runCollect(node.pinLs([], { type: "recursive" }))).length
      })
    )
    expect(await Effect.runPromise(pins)).toBe(2)
    // beside the files of SQLite, which any reader makes, nothing of the service changed
    const rest = (files: Readonly<Record<string, string>>) =>
      Object.entries(files).filter(([name]) => !/\.sqlite-|\.sqlite\.lock$/u.test(name))
    expect(rest(await filesOf(data))).toEqual(rest(before))
  })

  it("leaves out a block that is damaged at the node, and says so", async () => {
    await using folder = await Children.folder()
    const data = await dataFolder(folder.path, "first")
    const block = Object.keys(await filesOf(data)).find((name) => name.endsWith(".data"))
    await flip(path.join(data, block!))
    const to = path.join(folder.path, "backup")
    const { answer } = await backup(to, data)
    expect([answer.blocks, answer.damaged]).toEqual([3, [path.basename(block!, ".data")]])
    expect((await restore(to, path.join(folder.path, "copy"))).exitCode).toBe(0)
  })

  it("has the state after a restore that was cut short, and no mixture", async () => {
    await using folder = await Children.folder()
    const to = path.join(folder.path, "backup")
    const data = await dataFolder(folder.path, "first")
    // as a kill leaves it after the commit of a restore
    await rename(await dataFolder(folder.path, "second"), path.join(data, "restored"))
    expect(await backup(to, data)).toMatchObject({ exitCode: 0 })
    const copy = path.join(folder.path, "copy")
    await restore(to, copy)
    expect(names(copy)).toEqual([{ name: "second" }])
  })

  it("knows the folder again after many accounts were made", async () => {
    await using folder = await Children.folder()
    const to = path.join(folder.path, "backup")
    const data = await dataFolder(folder.path, "first")
    await backup(to, data)
    const database = new DatabaseSync(path.join(data, "state.sqlite"))
    const insert = database.prepare("INSERT INTO accounts (id, name, card) VALUES (?, 'later', 0)")
    // before the first account in the order of ids
    for (let i = 0; i < 100; i++) insert.run(`00000000-0000-4000-8000-${String(i).padStart(12, "0")}`)
    database.close()
    expect(await backup(to, data)).toMatchObject({ exitCode: 0 })
  })

  it("is refused where another service's backups are, and where there is no state", async () => {
    await using folder = await Children.folder()
    const to = path.join(folder.path, "backup")
    await backup(to, await dataFolder(folder.path, "first"))
    const { "backup.lock": _, ...kept } = await filesOf(to)
    const other = await backup(to, await dataFolder(folder.path, "second"))
    expect([other.exitCode, other.answer.error.problem]).toEqual([1, "OtherService"])
    // as after the loss of the data folder, when a new service has begun in its place
    const empty = await backup(to, await dataFolder(folder.path, "empty", false))
    expect([empty.exitCode, empty.answer.error?.problem]).toEqual([1, "OtherService"])
    const copy = path.join(folder.path, "copy")
    expect(await restore(to, copy)).toMatchObject({ exitCode: 0 })
    expect(names(copy)).toEqual([{ name: "first" }])
    const { "backup.lock": __, ...left } = await filesOf(to)
    expect(left).toEqual(kept)
    const none = await backup(path.join(folder.path, "none"), path.join(folder.path, "nothing"))
    expect(none.answer.error).toMatchObject({ tag: "DataError", problem: "Unreadable", detail: "ENOENT" })
  })
})

describe("a folder that is no backup", () => {
  it("is refused and stays as it is: the blocks of another IPFS node, and the data folder itself", async () => {
    await using folder = await Children.folder()
    const data = await dataFolder(folder.path, "first")
    // a repository of another node has its blocks in the same places
    const foreign = path.join(await dataFolder(folder.path, "other"), "ipfs")
    await rm(path.join(data, "ipfs"), { recursive: true })
    for (const to of [foreign, data]) {
      const before = await filesOf(to)
      const { answer, exitCode } = await backup(to, data)
      expect([exitCode, answer.error?.tag, answer.error?.problem]).toEqual([1, "BackupError", "Foreign"])
      expect(await filesOf(to)).toEqual(before)
    }
  })
})

/** Changes one bit in the middle of a file. */
const flip = async (file: string): Promise<void> => {
  const bytes = await readFile(file)
  bytes[bytes.length >> 1]! ^= 1
  await writeFile(file, bytes)
}

/** Replaces the manifest of a backup by a changed one, whose own sum is right. */
const forge = async (backup: string, change: (manifest: any) => object): Promise<void> => {
  const file = path.join(backup, "manifest.json")
  const manifest = change(JSON.parse(await readFile(file, "utf8")).manifest)
  const sha256 = createHash("sha256").update(JSON.stringify(manifest)).digest("hex")
  await writeFile(file, JSON.stringify({ sha256, manifest }))
}

describe("a restore", () => {
  it("refuses each damaged, cut or missing file, foreign and newer backups, and changes nothing", async () => {
    await using folder = await Children.folder()
    const to = path.join(folder.path, "backup")
    const data = await dataFolder(folder.path, "first")
    await backup(to, data)
    const target = await dataFolder(folder.path, "target")
    const before = await filesOf(target)
    let tried = 0
    const refused = async (what: string, problem: string, spoil: (copy: string) => Promise<unknown>) => {
      const copy = path.join(folder.path, `spoilt-${tried++}`)
      await cp(to, copy, { recursive: true })
      await spoil(copy)
      const { answer, exitCode } = await restore(copy, target, "--replace")
      expect([what, exitCode, answer.error?.tag, answer.error?.problem]).toEqual([what, 1, "BackupError", problem])
      const { "service.lock": _, ...after } = await filesOf(target)
      expect([what, after]).toEqual([what, before])
      await rm(copy, { recursive: true })
    }
    const files = Object.keys(await filesOf(to)).filter((name) => name !== "backup.lock")
    // the manifest, four files and four blocks
    expect(files).toHaveLength(9)
    for (const name of files) {
      const isManifest = name === "manifest.json"
      await refused(`${name} flipped`, "Damaged", (copy) => flip(path.join(copy, name)))
      await refused(`${name} cut`, isManifest ? "Foreign" : "Damaged", async (copy) =>
        writeFile(path.join(copy, name), (await readFile(path.join(copy, name))).subarray(0, -2))
      )
      await refused(`${name} missing`, isManifest ? "Missing" : "Damaged", (copy) => rm(path.join(copy, name)))
    }
    await refused("another program's", "Foreign", (copy) => writeFile(path.join(copy, "manifest.json"), '{"files":[]}'))
    await refused("another kind", "Foreign", (copy) => forge(copy, (manifest) => ({ ...manifest, kind: "tar" })))
    await refused("of Postgres", "Foreign", (copy) => forge(copy, (manifest) => ({ ...manifest, state: "postgres" })))
    await refused("a newer format", "Newer", (copy) => forge(copy, (manifest) => ({ ...manifest, format: 2 })))
    await refused("a newer version", "Newer", (copy) => forge(copy, (manifest) => ({ ...manifest, version: "99.0.0" })))
    await refused("newer tables", "Newer", (copy) =>
      forge(copy, (manifest) => ({ ...manifest, parts: { ...manifest.parts, usage: 99 } }))
    )
    await refused("a path out of the folder", "Damaged", (copy) =>
      forge(copy, (manifest) => ({ ...manifest, folder: "../backup" }))
    )
    // the backup itself was good all the time
    expect(await restore(to, target, "--replace")).toMatchObject({ exitCode: 0 })
    expect(names(target)).toEqual([{ name: "first" }])
  })

  it("replaces a service only if asked, with its log of SQLite, and keeps what was there", async () => {
    await using folder = await Children.folder()
    const to = path.join(folder.path, "backup")
    await backup(to, await dataFolder(folder.path, "first"))
    const target = await dataFolder(folder.path, "target")
    expect((await restore(to, target)).answer.error).toMatchObject({ tag: "BackupError", problem: "NotEmpty" })
    expect(names(target)).toEqual([{ name: "target" }])
    await writeFile(path.join(target, "state.sqlite-wal"), "an old log")
    const { answer } = await restore(to, target, "--replace")
    expect(answer.replaced).toBe(path.join(target, "replaced"))
    expect(names(target)).toEqual([{ name: "first" }])
    expect(await readdir(target)).not.toContain("state.sqlite-wal")
    await rm(path.join(answer.replaced, "state.sqlite-wal"))
    expect(names(answer.replaced)).toEqual([{ name: "target" }])
    // what was replaced before is removed by the next restore
    await restore(to, target, "--replace")
    expect(names(path.join(target, "replaced"))).toEqual([{ name: "first" }])
  })
})
