import { readFileSync } from "node:fs"
import { mkdtempDisposable } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { describe, expect, it } from "@effect/vitest"
import { HistoryChain } from "@plumbline/devnet"

import * as Cli from "../src/cli.ts"
import * as Children from "./support/Children.ts"
import * as HistoryNode from "./support/HistoryNode.ts"
import * as RunCli from "./support/RunCli.ts"

const history = HistoryNode.lyingNode()

/** A module in the form of a URL. It writes the URL of every module that the program loads to the file `$MODULES`. */
const COUNTING = `data:text/javascript,${encodeURIComponent(`
  import { writeFileSync } from "node:fs"
  import { registerHooks } from "node:module"
  const urls = []
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
  process.on("exit", () => writeFileSync(process.env.MODULES, urls.filter((url) => url.startsWith("file:")).join("\\n")))
`)}`

/** Returns the files that `plumbline` loads for these arguments. */
const loaded = (...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => loadedBy(args)

/** Returns the files that are loaded until the end of the command. `use` gets its first line, and is followed by SIGTERM. */
const loadedBy = async (
  args: ReadonlyArray<string>,
  use?: (line: string) => Promise<unknown>
): Promise<ReadonlyArray<string>> => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), "plumbline-"))
  const file = path.join(folder.path, "modules")
  const child = Children.launch(process.execPath, ["--import", COUNTING, Children.SOURCES, ...args], {
    env: { MODULES: file }
  })
  if (use !== undefined) {
    await use(await child.firstLine)
    child.process.kill("SIGTERM")
  }
  const { code, stderr } = await child.ended
  expect({ code, stderr }, args.join(" ")).toStrictEqual({ code: 0, stderr: "" })
  return readFileSync(file, "utf8").split("\n")
}

/** Commands for which printing the help must not load the modules that do the command's work. */
const LIGHT = ["block", "tx", "uncle", "proof", "read-slot", "call", "up", "projects"]

describe("a start", () => {
  it("that prints the version loads no command", async () => {
    const files = await loaded("--version")
    expect(files.filter((file) => file.endsWith("Command.ts"))).toStrictEqual([])
    expect(files.length).toBeLessThanOrEqual(250)
  })

  it("that prints the help of a command loads that one alone, and not its work", async () => {
    for (const name of LIGHT) {
      const files = await loaded(name, "--help")
      expect(
        files.filter((file) => file.endsWith("Command.ts")),
        name
      ).toHaveLength(1)
      expect(
        files.filter((file) => file.includes("/packages/eth-methods/")),
        name
      ).toStrictEqual([])
      expect(files.length, name).toBeLessThanOrEqual(260)
    }
  })

  it("that prints the help of all commands stays below its ceiling", async () => {
    expect((await loaded("--help")).length).toBeLessThanOrEqual(630)
  })

  it("of the proxy loads no virtual machine before the first call", async () => {
    const args = ["proxy", "--json", "--port", "0", "--url", history().url, "--trust", HistoryChain.head.hash]
    const rules = ["--chain-id", String(HistoryChain.chainId), "--hardfork", "osaka"]
    const asking = (method: string, params: ReadonlyArray<unknown>) => async (line: string) =>
      fetch(JSON.parse(line).url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      })
    const to = HistoryChain.accounts[0]!.address
    const machine = (files: ReadonlyArray<string>) => files.some((file) => file.includes("@ethereumjs/evm"))
    const reads = await loadedBy([...args, ...rules], asking("eth_getBalance", [to, "latest"]))
    expect(machine(reads)).toBe(false)
    expect(machine(await loadedBy([...args, ...rules], asking("eth_call", [{ to }, "latest"])))).toBe(true)
  })
})

describe("commands that are loaded when they are called", () => {
  it("have the names by which they are found", async () => {
    for (const [name, load] of Object.entries(Cli.commands)) expect((await load()).name).toBe(name)
  })

  it("are all in the help, in their order", async () => {
    const { stdout } = await RunCli.run(["--help"])
    const names = Object.keys(Cli.commands)
    expect([...stdout.matchAll(/^ {2}([a-z][a-z-]*) {2,}\S/gmu)].map(([, name]) => name)).toStrictEqual(names)
  })

  it("are all in the completions, even after the name of one", async () => {
    const { stdout } = await RunCli.run(["--completions", "bash"])
    for (const name of Object.keys(Cli.commands)) expect(stdout).toContain(name)
    expect((await RunCli.run(["up", "--completions", "bash"])).stdout).toBe(stdout)
  })

  it("are all suggested for a name that is misspelt", async () => {
    const { exitCode, stderr } = await RunCli.run(["blokc"])
    expect(exitCode).toBe(1)
    expect(stderr).toContain("block")
  })

  it("are found behind a flag of the whole program", async () => {
    const { exitCode, stdout } = await RunCli.run(["--log-level", "debug", "block", "--help"])
    expect(exitCode).toBe(0)
    expect(stdout).toContain("Read a block")
  })
})
