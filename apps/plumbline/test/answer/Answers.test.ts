/** The output that scripts rely on: the one JSON object, the exit codes, and the errors. */
import { readFile } from "node:fs/promises"
import * as path from "node:path"

import { describe, expect, it } from "@effect/vitest"

import * as Children from "../support/Children.ts"
import * as Devnet from "../support/Devnet.ts"
import * as Places from "../support/Places.ts"
import * as Prepared from "../support/Prepared.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Servers from "../support/Servers.ts"
import * as Wire from "../support/Wire.ts"

const node = Devnet.lyingNode()
const { allTypes } = Prepared

describe("an answer in JSON", () => {
  it("has the same members in the same order, whatever the verdict", async () => {
    const refuting = node().telling({
      method: "eth_getBlockByHash",
      change: (block) => Wire.set(block, ["gasUsed"], "0x1")
    })
    const [verified, claimed, refuted] = await Promise.all([
      RunCli.json(["block", allTypes.hash, "--url", node().url]),
      RunCli.json(["block", "latest", "--url", node().url]),
      RunCli.json(["block", allTypes.hash, "--url", refuting])
    ])
    const members = ["verdict", "value", "anchor", "proven", "claimed"]
    expect(Object.keys(verified.answer)).toEqual(members)
    expect(Object.keys(claimed.answer)).toEqual(members)
    expect(Object.keys(refuted.answer)).toEqual([...members, "refuted"])
    expect(Object.keys(refuted.answer.refuted)).toEqual(["check", "expected", "got"])
    expect([verified, claimed, refuted].map((outcome) => [outcome.answer.verdict, outcome.exitCode])).toEqual([
      ["VERIFIED", 0],
      ["CLAIMED", 0],
      ["REFUTED", 2]
    ])
    for (const claim of verified.answer.claimed) expect(Object.keys(claim)).toEqual(["field", "reason"])
  })

  it("comes from a child process with the same exit code, alone on standard output", async () => {
    const lie = node().telling({
      method: "eth_getTransactionByHash",
      change: (it) => Wire.set(it, ["value"], "0x1")
    })
    const { hash } = allTypes.transactions[0]!
    const [verified, refuted, failed] = await Promise.all([
      Children.run(["tx", hash, "--json", "--url", node().url]),
      Children.run(["tx", hash, "--json", "--url", lie]),
      Children.run(["tx", "0x12", "--json", "--url", lie])
    ])
    expect([verified.code, refuted.code, failed.code]).toEqual([0, 2, 1])
    expect([verified.stderr, refuted.stderr, failed.stderr]).toEqual(["", "", ""])
    expect(JSON.parse(verified.stdout).verdict).toBe("VERIFIED")
    expect(JSON.parse(refuted.stdout).refuted.check).toBe("transaction hash")
    expect(JSON.parse(failed.stdout).error.tag).toBe("UsageError")
  })
})

/** Invalid arguments of the commands that read uncles and the state, with the error for each. */
const stateArguments: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = (() => {
  const address = `0x${"5f".repeat(20)}`
  const block = "must be a hash (0x and 64 hex digits), a number, or one of latest, earliest, pending, safe, finalized"
  const otherTrust = "--trust: a block asked for by its hash is proven from that hash"
  const slot = "must be a number, decimal or 0x, or a word of 0x and 64 hex digits"
  return [
    [["uncle", "head"], `block ${block}`],
    [["uncle", "1", "first"], "index must be a number from 0, decimal or 0x"],
    [["uncle", allTypes.hash, "0", "--trust", Wire.HASH], otherTrust],
    [["uncle", "1", "--trust", "1"], "--trust must be 0x and 64 hex digits"],
    [["proof", `${address}5`], "address must be 0x and 40 hex digits; this has 41 digits"],
    [["proof", address.slice(2)], "address must be 0x and 40 hex digits; this has no 0x before it"],
    [["proof", address, "0", "one", "2"], `slot 2 of 3 ${slot}`],
    [["proof", address, "--block", "0xabcg"], `--block ${block}`],
    [["proof", address, "--block", allTypes.hash, "--trust", Wire.HASH], otherTrust],
    [
      ["read-slot", "vitalik", "0"],
      "address must be 0x and 40 hex digits, or an ENS name with a dot, such as alice.eth"
    ],
    [["read-slot", address, "0x"], `slot ${slot}; this has 0 digits`],
    [["read-slot", address, `0x${"0".repeat(65)}`], `slot ${slot}; this has 65 digits`],
    [["read-slot", address, "-1"], `slot ${slot}`],
    [["read-slot", address, String(2n ** 256n)], "slot: the largest slot is 2^256 - 1, and this is larger"]
  ]
})()

describe("an error in JSON", () => {
  const usage = async (...args: ReadonlyArray<string>): Promise<string> => {
    const { answer, exitCode } = await RunCli.json(args)
    expect(exitCode).toBe(1)
    expect(Object.keys(answer)).toEqual(["error"])
    expect(answer.error).toEqual({ tag: "UsageError", message: answer.error.problem, problem: answer.error.problem })
    return answer.error.problem
  }

  it("is a UsageError for arguments that make no sense", async () => {
    const hash = allTypes.hash
    const either = "give either a transaction's hash, or --block and --index"
    const both = "give a transaction's hash, or both --block and --index"
    const cases: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [
        ["block", hash.slice(0, 65)],
        "block must be a hash (0x and 64 hex digits), a number, or one of latest, earliest, pending, safe, finalized; this has 63 digits"
      ],
      [["block", hash, "--trust", Wire.HASH], "--trust: a block asked for by its hash is proven from that hash"],
      [["block", "latest", "--trust", "0x12"], "--trust must be 0x and 64 hex digits"],
      [["tx", "0x12"], "hash must be 0x and 64 hex digits"],
      [["tx"], both],
      [["tx", "--block", hash], both],
      [["tx", "--index", "0"], both],
      [["tx", hash, "--index", "0"], either],
      [["tx", "--block", hash, "--index", "first"], "--index must be a number from 0, decimal or 0x"],
      [
        ["tx", "--block", hash, "--index", "0", "--trust", Wire.HASH],
        "--trust: what is in the block of --block is proven from that hash"
      ],
      [["block", "latest", "--url", "nonsense"], "--url must be an http:// or https:// URL"],
      [
        ["block", "latest", "--url", "http://127.0.0.1:1", "--network", "a b"],
        "--network must be the name of a network: letters, digits and hyphens"
      ],
      ...stateArguments,
      [["up", "--port", "65536"], "--port must be a number from 0 to 65535"]
    ]
    for (const [args, problem] of cases) expect(await usage(...args)).toBe(problem)
  })

  it("is a UsageError for arguments that cannot be read", async () => {
    expect(await usage("block")).toBe("<block> is missing")
    expect(await usage("uncle")).toBe("<block> is missing")
    expect(await usage("proof")).toBe("<address> is missing")
    expect(await usage("read-slot", Wire.ADDRESS)).toBe("<slot> is missing")
    expect(await usage("blocks", "latest")).toBe('plumbline has no command "blocks". Did you mean block?')
    expect(await usage("block", "latest", "--ful")).toBe("plumbline block has no flag --ful. Did you mean --full?")
    expect(await usage("up", "--port", "http")).toBe('--port must be a finite number, and is "http"')
  })

  it("is a JsonRpcError with who failed and how, when there is no answer", async () => {
    const { answer, exitCode } = await RunCli.json([
      "block",
      "latest",
      "--url",
      `${await Servers.nobody()}/v3/0123456789abcdef`
    ])
    expect(exitCode).toBe(1)
    expect(answer).toEqual({
      error: {
        tag: "JsonRpcError",
        message:
          "eth_getBlockByNumber: connection failed (ECONNREFUSED). Check that a node runs there, or name another with --url",
        method: "eth_getBlockByNumber",
        reason: { tag: "TransportError", detail: "connection failed (ECONNREFUSED)", retryable: true }
      }
    })
  })

  it("is a JsonRpcError with the node's code, when it says no", async () => {
    await using server = await answering(200, '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"not now"}}')
    const { answer, exitCode } = await RunCli.json(["block", "latest", "--url", server.url])
    expect(exitCode).toBe(1)
    expect(answer.error).toMatchObject({
      tag: "JsonRpcError",
      reason: { tag: "RemoteError", code: -32_000, message: "not now" }
    })
  })

  it("says how long to wait, in milliseconds", async () => {
    await using server = await answering(429, "slow down", { "retry-after": "1" })
    const { answer } = await RunCli.json(["block", "latest", "--url", server.url])
    expect(answer.error.reason).toMatchObject({ tag: "TransportError", status: 429, retryable: true, retryAfter: 1000 })
  })

  it("names the data folder, when no service was started from it", async () => {
    await using folder = await Children.folder()
    const { answer, exitCode } = await RunCli.json(["block", "latest", "--data", folder.path])
    expect(exitCode).toBe(1)
    expect(answer.error).toMatchObject({ tag: "NoServiceError", folder: folder.path, state: "never" })
    const fromEnv = await RunCli.json(["block", "latest"], { env: { PLUMBLINE_DATA: folder.path } })
    expect(fromEnv.answer).toEqual(answer)
    const fromXdg = await RunCli.json(["block", "latest"], { env: { XDG_DATA_HOME: folder.path } })
    expect(fromXdg.answer.error.folder).toBe(`${folder.path}/plumbline`)
  })
})

describe("an error for people", () => {
  it("is on standard error alone, with where to read on", async () => {
    expect(await RunCli.run(["block", "nonsense"])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr:
        "error: block must be a hash (0x and 64 hex digits), a number, or one of latest, earliest, pending, safe, finalized\n" +
        "see    plumbline block --help\n"
    })
    expect((await RunCli.run(["block"])).stderr).toBe("error: <block> is missing\nsee    plumbline block --help\n")
  })

  it("is never a trace of this program's own", async () => {
    const outcome = await Children.run(["block", "latest", "--url", await Servers.nobody()])
    expect(outcome).toEqual({
      code: 1,
      signal: null,
      stdout: "",
      stderr:
        "error: eth_getBlockByNumber: connection failed (ECONNREFUSED). Check that a node runs there, or name another with --url\n"
    })
  })
})

describe("help", () => {
  it("is shown when it is asked for, and when nothing is", async () => {
    const commands = ["up", "block", "tx", "uncle", "proof", "read-slot"]
    for (const args of [["--help"], [], ...commands.map((command) => [command, "--help"])]) {
      const { exitCode, stderr, stdout } = await RunCli.run(args)
      expect([exitCode, stderr]).toEqual([0, ""])
      expect(stdout).toContain("USAGE")
      expect(stdout).toContain(args.length === 2 ? "EXAMPLES" : "SUBCOMMANDS")
    }
  })
})

describe("the version", () => {
  it("is that of the package", async () => {
    const { version } = JSON.parse(await readFile(path.join(Places.APP, "package.json"), "utf8"))
    expect((await RunCli.run(["--version"])).stdout).toBe(`plumbline v${version}\n`)
  })
})

const answering = (status: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
  Servers.serve((_, response) => response.writeHead(status, { ...headers }).end(body))
