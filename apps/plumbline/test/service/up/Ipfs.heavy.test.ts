/** The IPFS part of `plumbline up`, as a child process: foreign clients can use it, and it keeps stored content. */
import { execFile } from "node:child_process"
import { readFile, writeFile } from "node:fs/promises"
import { promisify } from "node:util"

import { describe, expect, it } from "@effect/vitest"
import { create } from "kubo-rpc-client"

import * as Children from "../../support/Children.ts"
import * as Ipfs from "../../support/Ipfs.ts"
import * as RunCli from "../../support/RunCli.ts"

const HELLO_WORLD = "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o"

interface Announcement {
  readonly ipfsUrl: string
  readonly apiKey: string
  readonly apiKeySecret: string
}

const start = async (folder: string, ...args: ReadonlyArray<string>) => {
  const child = Children.start(["up", "--json", "--port", "0", "--data", folder, ...args])
  const announcement: Announcement = JSON.parse(await child.firstLine)
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    child.process.kill(signal)
    return child.ended
  }
  return { ...child, announcement, stop }
}

/** Runs the command in this process. The command finds the service by the folder. */
const ipfs = async (folder: string, ...args: ReadonlyArray<string>) => {
  const { exitCode: code, stdout } = await RunCli.run(["ipfs", ...args, "--json", "--data", folder])
  return { code, answer: JSON.parse(stdout) }
}

const clientOf = ({ apiKey, apiKeySecret, ipfsUrl }: Announcement) =>
  create({ url: ipfsUrl, headers: { authorization: `Basic ${btoa(`${apiKey}:${apiKeySecret}`)}` } })

const service = Ipfs.service()

// Not concurrent, because each test starts services, and other test files do so at the same time.
describe("the IPFS half of a service", { concurrent: false }, () => {
  it("is used by a stranger's client, and keeps files and pins over restarts and kill -9", async () => {
    await using folder = await Children.folder()
    let service = await start(folder.path)
    const { cid } = await clientOf(service.announcement).add("hello world\n")
    expect(String(cid)).toBe(HELLO_WORLD)
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      await service.stop(signal)
      service = await start(folder.path)
      const read = await ipfs(folder.path, "cat", HELLO_WORLD)
      expect(Buffer.from(read.answer.value.base64, "base64").toString()).toBe("hello world\n")
      expect((await ipfs(folder.path, "pin", "ls")).answer.value).toEqual([{ Cid: HELLO_WORLD, Type: "recursive" }])
    }
    expect((await service.stop()).code).toBe(0)
  })

  it("takes an upload and a read by curl", async () => {
    await using folder = await Children.folder()
    const child = Children.start(["up", "--port", "0", "--data", folder.path])
    await child.firstLine
    const { ipfsUrl, apiKey, apiKeySecret } = JSON.parse(await readFile(`${folder.path}/service.json`, "utf8"))
    const add = `echo "hello world" | curl -s -X POST -u "${apiKey}:${apiKeySecret}" -F file=@- "${ipfsUrl}/api/v0/add"`
    const cat = `curl -s -X POST -u "${apiKey}:${apiKeySecret}" "${ipfsUrl}/api/v0/cat?arg=${HELLO_WORLD}"`
    const added = await shell(add)
    const read = await shell(cat)
    child.process.kill("SIGTERM")
    await child.ended
    expect(JSON.parse(added)).toMatchObject({ Hash: HELLO_WORLD, Size: "20" })
    expect(read).toBe("hello world\n")
  })

  it("serves another node's IPFS with --ipfs, and keeps its pins apart", async () => {
    await using folder = await Children.folder()
    const { folder: upstreamFolder, key, secret, url } = service()
    const upstream = url.replace("//", `//${key}:${secret}@`)
    const first = await start(folder.path, "--ipfs", upstream)
    await writeFile(`${folder.path}/file`, "by way of another node")
    const { answer } = await ipfs(folder.path, "add", `${folder.path}/file`)
    const cid = answer.anchor.hash
    // the content is at the upstream node, and at no other
    const there = await ipfs(upstreamFolder, "pin", "ls", cid)
    expect(there.answer.value).toEqual([{ Cid: cid, Type: "recursive" }])
    expect((await ipfs(folder.path, "cat", cid)).answer.verdict).toBe("VERIFIED")
    const output = await first.stop()
    expect(output.stdout + output.stderr).not.toContain(secret)
    const second = await start(folder.path)
    expect((await ipfs(folder.path, "pin", "ls")).answer.value).toEqual([])
    await second.stop()
    expect((await ipfs(upstreamFolder, "pin", "ls", cid)).code).toBe(0)
  })
})

describe("a service whose folder cannot be used", { concurrent: false }, () => {
  it("does not start, and says why", async () => {
    await using folder = await Children.folder()
    await (await start(folder.path)).stop()
    const damaged = async (file: string) => {
      const before = await readFile(`${folder.path}/${file}`)
      await writeFile(`${folder.path}/${file}`, "this is not a database, whatever its name says".repeat(200))
      const { code, stdout } = await Children.run(["up", "--json", "--port", "0", "--data", folder.path])
      await writeFile(`${folder.path}/${file}`, before)
      return { code, error: JSON.parse(stdout).error }
    }
    for (const file of ["ipfs/pins.sqlite", "state.sqlite"]) {
      const { code, error } = await damaged(file)
      expect([code, error.tag, error.problem], file).toEqual([1, "DataError", "Damaged"])
      expect(`${folder.path}/${file}`).toContain(error.path)
    }
    const service = await start(folder.path)
    await service.stop()
  })

  it("does not start while another process has it open", async () => {
    await using folder = await Children.folder()
    const first = await start(folder.path)
    // This simulates a first service that never recorded that it runs.
    const record = JSON.parse(await readFile(`${folder.path}/service.json`, "utf8"))
    await writeFile(`${folder.path}/service.json`, JSON.stringify({ ...record, url: null, pid: null }))
    const { code, stdout } = await Children.run(["up", "--json", "--port", "0", "--data", folder.path])
    expect([code, JSON.parse(stdout).error]).toMatchObject([1, { tag: "DataError", problem: "InUse" }])
    await first.stop()
  })

  it("does not take what is not a URL for a node", async () => {
    await using folder = await Children.folder()
    const { code, stdout } = await Children.run(["up", "--json", "--data", folder.path, "--ipfs", "key:secret@host"])
    expect([code, JSON.parse(stdout).error.problem]).toEqual([1, "--ipfs must be an http:// or https:// URL"])
    expect(stdout).not.toContain("secret")
  })
})

const shell = async (line: string): Promise<string> => (await promisify(execFile)("/bin/sh", ["-c", line])).stdout
