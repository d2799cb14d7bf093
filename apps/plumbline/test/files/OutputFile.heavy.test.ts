/**
 * `-o` writes into devices and pipes without replacing them, follows links, and writes to standard output. It replaces
 * a regular file whole, and keeps the file's permissions. These tests also cover a standard output that cannot be
 * written.
 */
import { execFile, execFileSync, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, link, lstat, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { HistoryChain, PreparedState } from "@plumbline/devnet"

import * as Children from "../support/Children.ts"
import * as HistoryNode from "../support/HistoryNode.ts"
import * as Ipfs from "../support/Ipfs.ts"
import * as RunCli from "../support/RunCli.ts"

const node = HistoryNode.lyingNode()
const service = Ipfs.service()
const { token } = HistoryChain.contracts
const layout = fileURLToPath(PreparedState.layoutFile(token))

let folder: Awaited<ReturnType<typeof Children.folder>>
let cid: string
let directory: string
const CONTENT = "content of IPFS\n".repeat(20_000)
beforeAll(async () => {
  folder = await Children.folder()
  await mkdir(`${folder.path}/site`)
  await writeFile(`${folder.path}/site/page`, CONTENT)
  const added = await RunCli.json(["ipfs", "add", `${folder.path}/site`, "--data", service().folder])
  directory = added.answer.anchor.hash
  cid = `${directory}/page`
})
afterAll(() => folder[Symbol.asyncDispose]())

/** Every command that has `-o`, with a check of the content that it writes. */
const commands = {
  layout: {
    args: () => ["layout", layout],
    isContent: (bytes: Uint8Array) => Buffer.from(bytes).toString().includes('contract: "contracts/')
  },
  prove: {
    args: () => ["prove", token.address, "totalSupply", "--layout", layout, "--url", node().url],
    // A CAR begins with the length of its header, and the header begins with a map of dag-cbor.
    isContent: (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1").includes("roots")
  },
  "ipfs get": {
    args: () => ["ipfs", "get", cid, "--data", service().folder],
    isContent: (bytes: Uint8Array) => Buffer.from(bytes).toString() === CONTENT
  }
} as const

/** Makes a pipe or a device. Making a device needs the permission of the user and the support of the file system. */
const mknod = (place: string, ...args: ReadonlyArray<string>): boolean => {
  try {
    execFileSync("mknod", [place, ...args], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const canDevices = await (async () => {
  await using temporary = await Children.folder()
  const device = `${temporary.path}/null`
  if (!mknod(device, "c", "1", "3")) return false
  return writeFile(device, "x").then(
    () => true,
    () => false
  )
})()

/** Reads a pipe in another process, after a while. */
const reader = (pipe: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const args = ["-c", 'sleep 0.3; exec cat "$0"', pipe]
    execFile("sh", args, { encoding: "buffer", maxBuffer: 2 ** 26 }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error)
    )
  })

describe.each(Object.entries(commands))("%s -o", (_, { args, isContent }) => {
  const write = (output: string, ...more: ReadonlyArray<string>) => RunCli.run([...args(), "-o", output, ...more])

  it("- is standard output, and what is said goes to standard error", async () => {
    await using temporary = await Children.folder()
    const { exitCode, stderr, stdout } = await RunCli.raw([...args(), "-o", "-"])
    expect(exitCode).toBe(0)
    expect(isContent(stdout)).toBe(true)
    expect(stderr).not.toBe("")
    expect(existsSync("-")).toBe(false)
    expect(await readdir(temporary.path)).toEqual([])
    const json = await RunCli.json([...args(), "-o", "-"])
    expect([json.exitCode, json.answer.error.tag]).toEqual([1, "UsageError"])
  })

  it("writes into a pipe that is read, with --force and without, and leaves it a pipe", async () => {
    await using temporary = await Children.folder()
    const pipe = `${temporary.path}/pipe`
    expect(mknod(pipe, "p")).toBe(true)
    for (const more of [[], ["--force"]]) {
      const [read, { exitCode }] = await Promise.all([reader(pipe), write(pipe, ...more)])
      expect([exitCode, isContent(read)]).toEqual([0, true])
      expect((await lstat(pipe)).isFIFO()).toBe(true)
    }
    expect(await readdir(temporary.path)).toEqual(["pipe"])
  })

  it("does not wait for ever for a program that reads from a pipe", async () => {
    await using temporary = await Children.folder()
    const pipe = `${temporary.path}/pipe`
    expect(mknod(pipe, "p")).toBe(true)
    const { exitCode, stderr } = await write(pipe)
    expect(exitCode).toBe(1)
    expect(stderr).toBe(`error: ${pipe} cannot be written: no program reads from this pipe\n`)
    expect((await lstat(pipe)).isFIFO()).toBe(true)
  })

  it.skipIf(!canDevices)("writes into a device, with --force and without, and leaves it a device", async () => {
    await using temporary = await Children.folder()
    const device = `${temporary.path}/null`
    expect(mknod(device, "c", "1", "3")).toBe(true)
    await symlink("null", `${temporary.path}/link`)
    for (const name of ["null", "link"]) {
      for (const more of [[], ["--force"]]) {
        expect((await write(`${temporary.path}/${name}`, ...more)).exitCode).toBe(0)
        const { rdev } = await lstat(device)
        expect((await lstat(device)).isCharacterDevice()).toBe(true)
        expect(rdev).toBe((await stat("/dev/null")).rdev)
      }
    }
    expect((await readdir(temporary.path)).sort()).toEqual(["link", "null"])
  })

  it.skipIf(!canDevices)("says that a device is full", async () => {
    await using temporary = await Children.folder()
    const device = `${temporary.path}/full`
    expect(mknod(device, "c", "1", "7")).toBe(true)
    const { exitCode, stderr } = await write(device, "--force")
    expect([exitCode, stderr]).toEqual([1, `error: ${device} cannot be written: the disk is full (ENOSPC)\n`])
    expect((await lstat(device)).isCharacterDevice()).toBe(true)
  })

  it.skipIf(!existsSync("/dev/null"))("writes to /dev/null, also through a link, and leaves it as it is", async () => {
    await using temporary = await Children.folder()
    const before = await stat("/dev/null")
    // The target is a link, so a faulty command replaces only the link.
    await symlink("/dev/null", `${temporary.path}/nul`)
    expect((await write(`${temporary.path}/nul`, "--force")).exitCode).toBe(0)
    expect(await readlink(`${temporary.path}/nul`)).toBe("/dev/null")
    const after = await stat("/dev/null")
    expect([after.isCharacterDevice(), after.rdev, after.ino]).toEqual([true, before.rdev, before.ino])
  })

  it("writes through links, to a file that is there and to one that is not", async () => {
    await using temporary = await Children.folder()
    const { path: at } = temporary
    await mkdir(`${at}/real`)
    await writeFile(`${at}/real/file`, "old")
    await symlink("real/file", `${at}/first`)
    await symlink("first", `${at}/second`)
    await symlink(path.join(at, "real/made"), `${at}/dangling`)
    for (const [name, target] of [
      ["second", "file"],
      ["dangling", "made"]
    ] as const) {
      expect((await write(`${at}/${name}`, "--force")).exitCode).toBe(0)
      expect((await lstat(`${at}/${name}`)).isSymbolicLink()).toBe(true)
      expect(isContent(await readFile(`${at}/real/${target}`))).toBe(true)
    }
    expect((await readdir(at)).sort()).toEqual(["dangling", "first", "real", "second"])
    expect((await readdir(`${at}/real`)).sort()).toEqual(["file", "made"])
    await symlink("loop", `${at}/loop`)
    expect((await write(`${at}/loop`, "--force")).exitCode).toBe(1)
  })

  it("replaces a regular file whole, and keeps its permissions", async () => {
    await using temporary = await Children.folder()
    const file = `${temporary.path}/file`
    await writeFile(file, "mine")
    await chmod(file, 0o640)
    await link(file, `${temporary.path}/before`)
    expect((await write(file)).exitCode).toBe(1)
    expect(await readFile(file, "utf8")).toBe("mine")
    expect((await write(file, "--force")).exitCode).toBe(0)
    expect(isContent(await readFile(file))).toBe(true)
    expect((await stat(file)).mode & 0o777).toBe(0o640)
    // the old file was not written into: a reader that has it open still reads the old content
    expect(await readFile(`${temporary.path}/before`, "utf8")).toBe("mine")
  })
})

describe("ipfs get", () => {
  const get = (...args: ReadonlyArray<string>) =>
    RunCli.json(["ipfs", "get", ...args, "--force", "--data", service().folder])

  it("does not write a directory into a pipe or to standard output", async () => {
    await using temporary = await Children.folder()
    const pipe = `${temporary.path}/pipe`
    expect(mknod(pipe, "p")).toBe(true)
    const refused = await get(directory, "-o", pipe)
    expect([refused.exitCode, refused.answer.error.tag]).toEqual([1, "UsageError"])
    const printed = await RunCli.run(["ipfs", "get", directory, "-o", "-", "--data", service().folder])
    expect([printed.exitCode, printed.stdout]).toEqual([1, ""])
    expect((await lstat(pipe)).isFIFO()).toBe(true)
  })

  it("ends when the program that reads from a pipe has left", async () => {
    await using temporary = await Children.folder()
    const pipe = `${temporary.path}/pipe`
    expect(mknod(pipe, "p")).toBe(true)
    // The reader reads nothing, and the content is larger than the pipe's buffer.
    const leaving = spawn("sh", ["-c", 'exec 3<"$0"; sleep 0.3', pipe])
    const { answer, exitCode } = await get(cid, "-o", pipe)
    leaving.kill()
    expect([exitCode, answer.error.problem, answer.error.detail]).toEqual([1, "Unwritable", "EPIPE"])
    expect((await lstat(pipe)).isFIFO()).toBe(true)
  })

  it("never puts a file of a directory in the place of a pipe or a device", async () => {
    await using temporary = await Children.folder()
    const target = `${temporary.path}/${directory}/page`
    await mkdir(path.dirname(target))
    expect(mknod(target, "p")).toBe(true)
    const { answer, exitCode } = await get(directory, "-o", temporary.path)
    expect([exitCode, answer.error.tag, answer.error.detail]).toEqual([
      1,
      "DataError",
      "there is a device or a pipe already"
    ])
    expect((await lstat(target)).isFIFO()).toBe(true)
  })
})

/** Runs the program under a shell, to test redirections: `"$@"` is the command. */
const shell = async (script: string, ...args: ReadonlyArray<string>) => {
  const all = ["-c", script, "sh", process.execPath, Children.MAIN, ...args]
  const { code, stderr } = await Children.launch("sh", all, { env: {} }).ended
  return { code, stderr }
}

describe("standard output", () => {
  const block = () => ["block", HistoryChain.head.hash, "--full", "--url", node().url]

  it.skipIf(!existsSync("/dev/full"))("that is full is said, with code 1, whatever is written", async () => {
    const full = { code: 1, stderr: "error: standard output cannot be written: the disk is full (ENOSPC)\n" }
    for (const args of [
      block(),
      [...block(), "--json"],
      ["layout", layout, "-o", "/dev/null"],
      ["config", "schema"],
      ["--version"],
      ["ipfs", "cat", cid, "--data", service().folder],
      ["ipfs", "pin", "ls", "--json", "--data", service().folder]
    ]) {
      expect(await shell('"$@" > /dev/full', ...args), args.join(" ")).toEqual(full)
    }
  })

  it("whose reader leaves is not a fault to speak of", async () => {
    for (const args of [block(), ["ipfs", "cat", cid, "--data", service().folder]]) {
      const { stderr } = await shell('"$@" | true', ...args)
      expect(stderr).toBe("")
    }
  })

  it("is what /dev/stdout means, also where it leads to a file", async () => {
    await using temporary = await Children.folder()
    const out = `${temporary.path}/out`
    const { code } = await shell(`"$@" > ${out}`, "layout", layout, "-o", "/dev/stdout", "--force")
    expect(code).toBe(0)
    expect(commands.layout.isContent(await readFile(out))).toBe(true)
    expect(await readdir(temporary.path)).toEqual(["out"])
  })
})
