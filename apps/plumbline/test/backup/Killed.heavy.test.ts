/** Kills `plumbline backup` and `restore` before each change that they make to the file system. */
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import * as path from "node:path"
import { pathToFileURL } from "node:url"

import { describe, expect, it } from "@effect/vitest"

import * as Children from "../support/Children.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Upped from "../support/Upped.ts"

const PRELOAD = `--import=${pathToFileURL(path.join(import.meta.dirname, "../fixtures/killed-at.mjs")).href}`

/** Runs a command, which is killed before the n-th change. */
const run = (args: ReadonlyArray<string>, at?: number) =>
  Children.run(args, { NODE_OPTIONS: PRELOAD, ...(at === undefined ? {} : { PLUMBLINE_KILLED_AT: String(at) }) })

/** Kills a command before its first change, its second, and so on, until it ends. Returns the number of kills. */
const killedAtEachChange = async (
  args: ReadonlyArray<string>,
  then: (at: number) => Promise<void>
): Promise<number> => {
  for (let at = 1; ; at++) {
    const { code, signal } = await run(args, at)
    await then(at)
    if (signal === null) {
      expect(code).toBe(0)
      return at - 1
    }
    expect([at, signal]).toEqual([at, "SIGKILL"])
  }
}

const ORDER = ["old", "completed", "new"]

/** Returns the SHA-256 of the files that a restore replaces. */
const sumsOf = async (data: string) => {
  const names = await readdir(data, { recursive: true })
  const files = names.filter((name) => /^(?:state\.sqlite|service\.json|ipfs\/(?:pins\.sqlite|.*\.data))$/u.test(name))
  return Promise.all(
    files.sort().map(async (name) => [
      name,
      createHash("sha256")
        .update(await readFile(path.join(data, name)))
        .digest("hex")
    ])
  )
}

/** Only the embedded history chain, because a live chain takes seconds to start. */
const start = (data: string) => Upped.start(data, ["--config", CONFIG])
const CONFIG = path.join(import.meta.dirname, "../fixtures/history.yaml")

/** Starts a service on a folder, and returns what must survive: its key, its projects and its usage. */
const stateOf = async (data: string) => {
  const service = await start(data)
  const { apiKey } = service.announcement
  const { projects } = await service.admin("GET", "/projects")
  const { totals } = await service.admin("GET", "/usage/by?window=24h&by=method")
  const { code, stderr } = await service.stop()
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("warning")])
  return { apiKey, projects, calls: totals.calls }
}

const make = async (data: string, name: string, calls: number) => {
  const service = await start(data)
  await service.admin("POST", "/projects", { name })
  for (let i = 0; i < calls; i++) expect((await service.call("eth_chainId", [])).status).toBe(200)
  await service.stop()
}

describe("a backup that is killed", () => {
  it("leaves the backup before it whole at each step, and the next one succeeds", async () => {
    await using folder = await Children.folder()
    const [data, to] = [path.join(folder.path, "data"), path.join(folder.path, "backup")]
    await make(data, "one", 3)
    const first = await stateOf(data)
    const backup = ["backup", to, "--data", data]
    expect((await run(backup)).code).toBe(0)
    await make(data, "two", 4)
    const second = await stateOf(data)
    expect(second.projects.length).toBe(first.projects.length + 1)
    const seen = new Set<string>()
    const steps = await killedAtEachChange(backup, async (at) => {
      const copy = path.join(folder.path, `copy-${at}`)
      expect([at, (await RunCli.json(["restore", to, "--data", copy])).answer.error]).toEqual([at, undefined])
      seen.add(JSON.parse(await readFile(path.join(to, "manifest.json"), "utf8")).manifest.madeAt)
    })
    expect(steps).toBeGreaterThan(8)
    // some kills came before the new manifest, and some after it
    expect(seen.size).toBeGreaterThan(1)
    const copy = path.join(folder.path, "copy")
    expect((await Children.run(backup)).code).toBe(0)
    expect((await Children.run(["restore", to, "--data", copy])).code).toBe(0)
    expect(await stateOf(copy)).toEqual(second)
  })
})

describe("a restore that is killed", () => {
  it("leaves the old service or the new one at each step, whole", async () => {
    await using folder = await Children.folder()
    const [data, to] = [path.join(folder.path, "data"), path.join(folder.path, "backup")]
    await make(data, "backed up", 2)
    expect((await Children.run(["backup", to, "--data", data])).code).toBe(0)
    const backedUp = await stateOf(data)
    const target = path.join(folder.path, "target")
    await mkdir(target)
    await writeFile(path.join(target, "unrelated"), "stays")
    await make(target, "old", 1)
    const old = await stateOf(target)
    const template = path.join(folder.path, "template")
    await cp(target, template, { recursive: true })
    const restored = path.join(folder.path, "restored")
    expect((await Children.run(["restore", to, "--data", restored])).code).toBe(0)
    const [oldFiles, newFiles] = [await sumsOf(template), await sumsOf(restored)]
    const ends: Array<string> = []
    const steps = await killedAtEachChange(["restore", to, "--data", target, "--replace"], async () => {
      // a start completes the change, and sees the service of the backup
      const isCutInTheMiddle = existsSync(path.join(target, "restored"))
      const state = isCutInTheMiddle ? await stateOf(target) : undefined
      const isComplete = JSON.stringify(state) === JSON.stringify(backedUp)
      ends.push(
        state === undefined ? JSON.stringify(await sumsOf(target)) : isComplete ? "completed" : JSON.stringify(state)
      )
      await rm(target, { recursive: true })
      await cp(template, target, { recursive: true })
    })
    expect(steps).toBeGreaterThan(8)
    // the old service, then one that the next start completes, then the new one
    const kinds = ends.map((end) =>
      end === JSON.stringify(oldFiles) ? "old" : end === JSON.stringify(newFiles) ? "new" : end
    )
    expect(new Set(kinds)).toEqual(new Set(["old", "completed", "new"]))
    expect(kinds).toEqual([...kinds].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)))
    expect(await stateOf(target)).toEqual(old)
    expect(await readFile(path.join(target, "unrelated"), "utf8")).toBe("stays")
  })
})
