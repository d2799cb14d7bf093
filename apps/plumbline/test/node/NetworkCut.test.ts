/**
 * Tests that some commands run without a network: in a process that ends as soon as a socket is opened, and, on systems
 * that support it, in a process without a usable network interface.
 */
import { execFile, execFileSync } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { HistoryChain, PreparedState } from "@plumbline/devnet"

import * as Children from "../support/Children.ts"
import * as HistoryNode from "../support/HistoryNode.ts"
import * as Places from "../support/Places.ts"
import * as RunCli from "../support/RunCli.ts"

const node = HistoryNode.lyingNode()
const { token } = HistoryChain.contracts
const { hash: head } = HistoryChain.head
const layout = fileURLToPath(PreparedState.layoutFile(token))
const paths = ["totalSupply", `balanceOf[${HistoryChain.accounts[0]!.address}]`]

let folder: string
let bundle: string
let values: unknown
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "plumbline-test-"))
  bundle = path.join(folder, "token.car")
  const made = await RunCli.json([
    "prove",
    token.address,
    ...paths,
    "--layout",
    layout,
    "-o",
    bundle,
    "--url",
    node().url
  ])
  values = made.answer.value
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Ended {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

const run = (command: string, args: ReadonlyArray<string>): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder }
    const child = execFile(command, args, { cwd: folder, env, timeout: 60_000 }, (_, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? -1, stdout, stderr })
    )
  })

/** The exit code of a process that the guard ends because it used the network. */
const REACHED = 97

const guard = pathToFileURL(path.join(Places.APP, "test/support/noNetwork.ts")).href

/** Runs the command in a process that ends as soon as it uses the network. */
const guarded = (...args: ReadonlyArray<string>) =>
  run(process.execPath, ["--import", guard, Children.MAIN, ...args, "--json"])

/** A program of Linux; on other systems these tests are skipped. */
const UNSHARE = "unshare"

/** Runs the command in a process without network: in a network namespace whose loopback interface is down. */
const unplugged = (...args: ReadonlyArray<string>) =>
  run(UNSHARE, ["-rn", process.execPath, Children.MAIN, ...args, "--json"])

const canUnplug = (() => {
  try {
    execFileSync(UNSHARE, ["-rn", "true"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

const offline = [
  {
    name: "a process that ends when anything opens a socket",
    in: guarded,
    skipped: false,
    reached: { exitCode: REACHED, stdout: "", stderr: expect.stringMatching(/^reached for the network by /u) }
  },
  {
    name: "a process without a network",
    in: unplugged,
    skipped: !canUnplug,
    reached: { exitCode: 1, stdout: expect.stringContaining("JsonRpcError") }
  }
]

describe.each(offline)("in $name", ({ in: there, reached, skipped }) => {
  it.skipIf(skipped)("verify reads a bundle, VERIFIED, and refutes one with a flipped byte", async () => {
    const read = await there("verify", bundle, "--trust", head, "--layout", layout, ...paths)
    expect(read).toMatchObject({ exitCode: 0, stderr: "" })
    expect(JSON.parse(read.stdout)).toMatchObject({ verdict: "VERIFIED", value: values, anchor: { hash: head } })

    const bytes = await readFile(bundle)
    bytes[bytes.length - 30]! ^= 1
    const flipped = path.join(folder, `${there.name}.car`)
    await writeFile(flipped, bytes)
    const refuted = await there("verify", flipped, "--trust", head, "--layout", layout, ...paths)
    expect(refuted).toMatchObject({ exitCode: 2, stderr: "" })
    expect(JSON.parse(refuted.stdout)).toMatchObject({ verdict: "REFUTED" })
  })

  it.skipIf(skipped)("slots finds variables", async () => {
    const { exitCode, stdout } = await there("slots", ...paths, "--layout", layout)
    expect(exitCode).toBe(0)
    expect(Object.keys(JSON.parse(stdout).value)).toEqual(paths)
  })

  it.skipIf(skipped)("what does need a network fails: it is really cut", async () => {
    const read = await there("read", token.address, ...paths, "--layout", layout, "--trust", head, "--url", node().url)
    expect(read).toMatchObject(reached)
  })
})
