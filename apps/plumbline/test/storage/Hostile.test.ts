/**
 * Tests named storage and bundles against attackers: nodes whose chain grows or whose answers change between two calls,
 * layouts and names that contain terminal controls, files of many accounts.
 */
import { mkdir, writeFile } from "node:fs/promises"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

import { describe, expect, it } from "@effect/vitest"
import { HistoryChain, PreparedState } from "@plumbline/devnet"
import * as viem from "viem"

import * as Children from "../support/Children.ts"
import * as HistoryNode from "../support/HistoryNode.ts"
import type { Lie } from "../support/LyingNode.ts"
import * as RunCli from "../support/RunCli.ts"

const node = HistoryNode.lyingNode()
const { cabinet, token } = HistoryChain.contracts
const { hash: head, number } = HistoryChain.head
const layout = ["--layout", fileURLToPath(PreparedState.layoutFile(token))]
const cabinetLayout = ["--layout", fileURLToPath(PreparedState.layoutFile(cabinet))]
const paths = ["totalSupply", `balanceOf[${HistoryChain.accounts[1]!.address}]`]
const capitals = (hash: string): string => `0x${hash.slice(2).toUpperCase()}`

/** The characters that control a terminal. Line ends are left out, because our own lines end with them. */
// oxlint-disable-next-line no-control-regex
const ORDERS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/u

describe("a hash in capitals", () => {
  it("is the same hash, to every command, and answers have it in lower case", async () => {
    await using folder = await Children.folder()
    const file = path.join(folder.path, "a.car")
    const from = HistoryChain.blocks[number - 5]!.hash
    const questions: ReadonlyArray<(hash: (hash: string) => string) => ReadonlyArray<string>> = [
      (hash) => ["read", token.address, ...paths, ...layout, "--trust", hash(head), "--url", node().url],
      (hash) => ["read", token.address, ...paths, ...layout, "--block", hash(from), "--url", node().url],
      (hash) => ["diff", token.address, ...layout, "--from", hash(from), "--to", hash(head), "--url", node().url],
      (hash) => [
        "prove",
        token.address,
        ...paths,
        ...layout,
        "-o",
        file,
        "-f",
        "--trust",
        hash(head),
        "--url",
        node().url
      ],
      (hash) => ["verify", file, "--trust", hash(head), ...layout, ...paths],
      // this trusted hash is not the hash of the file's block, so the command refutes the file
      (hash) => ["verify", file, "--trust", hash(from)]
    ]
    for (const question of questions) {
      const plain = await RunCli.json(question((hash) => hash))
      const loud = await RunCli.json(question(capitals))
      expect(loud).toEqual(plain)
      expect(plain.answer.anchor.hash).toMatch(/^0x[0-9a-f]{64}$/u)
    }
  })

  it("is none with spaces, without 0x, with 0X, or short of a digit", async () => {
    for (const trust of [` ${head}`, head.slice(2), `0X${head.slice(2)}`, head.slice(0, -1), `${head}0`, ""]) {
      const { answer, exitCode } = await RunCli.json(["verify", "none.car", "--trust", trust])
      expect([trust, exitCode, answer.error?.tag]).toEqual([trust, 1, "UsageError"])
    }
  })
})

describe("a chain that moves on while it is read", () => {
  /** Returns a lie: each question for the same tag gets another block, from the head downwards. */
  const moving = (): Lie => {
    let back = 0
    return {
      method: "eth_getBlockByNumber",
      change: async (answer, ask) =>
        answer.number === viem.numberToHex(number)
          ? await ask("eth_getBlockByNumber", [viem.numberToHex(number - 12 * back++), false])
          : answer
    }
  }

  it("is read at one block: the words are of the one that the answer names", async () => {
    await using folder = await Children.folder()
    for (const command of [["read"], ["prove", "-o", path.join(folder.path, "a.car")]]) {
      const [name = "", ...rest] = command
      const asked = [cabinet.address, ...cabinetLayout, ...rest]
      const { answer } = await RunCli.json([name, ...asked, "--url", node().telling(moving())])
      expect([answer.verdict, answer.anchor]).toEqual(["CLAIMED", null])
      const there = ["read", cabinet.address, ...cabinetLayout, "--block", answer.block.hash, "--url", node().url]
      expect((await RunCli.json(there)).answer).toMatchObject({ verdict: "VERIFIED", value: answer.value })
    }
    const changes = ["diff", cabinet.address, ...cabinetLayout, "--from", String(number - 9), "--to", "latest"]
    const { answer } = await RunCli.json([...changes, "--url", node().telling(moving())])
    const sides = ["--from", answer.from.hash, "--to", answer.to.hash]
    const again = await RunCli.json(["diff", cabinet.address, ...cabinetLayout, ...sides, "--url", node().url])
    expect(again.answer).toMatchObject({ verdict: "VERIFIED", value: answer.value })
  })

  it("is REFUTED when it gives the proof of another block than the one that it named", async () => {
    for (const name of ["read", "diff"]) {
      const older = viem.numberToHex(number - 20)
      const url = node().telling({
        method: "eth_getProof",
        change: (proof, ask) =>
          ask("eth_getProof", [proof.address, proof.storageProof.map(({ key }: any) => key), older])
      })
      const at = name === "read" ? ["--block", "latest"] : ["--from", String(number - 1), "--to", "latest"]
      const { answer, exitCode } = await RunCli.json([name, cabinet.address, ...cabinetLayout, ...at, "--url", url])
      expect([name, exitCode, answer.verdict]).toEqual([name, 2, "REFUTED"])
    }
  })
})

describe("names that a terminal would act on", () => {
  const evil = "a\u001b[2J\u001b]0;owned\u0007\u202e\u2028b\u009b31m"
  const word = { encoding: "inplace", label: `uint256${evil}`, numberOfBytes: "32" }
  const hostile = {
    storage: [
      { label: evil, contract: `${evil}.sol:${evil}`, offset: 0, slot: "1", type: "word" },
      { label: "fine", offset: 0, slot: "2", type: "struct" },
      { label: "map", offset: 0, slot: "5", type: "map" }
    ],
    types: {
      word,
      text: { encoding: "bytes", label: "string", numberOfBytes: "32" },
      map: { encoding: "mapping", label: `mapping${evil}`, numberOfBytes: "32", key: "text", value: "word" },
      struct: {
        encoding: "inplace",
        label: `struct ${evil}`,
        numberOfBytes: "32",
        members: [{ label: `m${evil}`, offset: 0, slot: "0", type: "word" }]
      }
    }
  }

  it("are printed as what they are, by every command, in every place", async () => {
    await using folder = await Children.folder()
    const at = path.join(folder.path, `it's "ünïcödé" 🚀 ${evil.replace("\u0007", "")}`)
    await mkdir(at)
    const [file, layoutFile] = [path.join(at, "x.car"), path.join(at, "layout.json")]
    await writeFile(layoutFile, JSON.stringify(hostile))
    const contract = [token.address, "--layout", layoutFile, "--url", node().url]
    const key = `map["it's \\"ünïcödé\\" 🚀 \\u001b"]`
    const commands = [
      ["slots", "--layout", layoutFile],
      ["slots", key, "--layout", layoutFile],
      ["slots", `${evil}[`, "--layout", layoutFile],
      ["read", ...contract, "--trust", head],
      ["read", ...contract, "fine", key],
      ["read", ...contract, `fine.m${evil}`],
      ["diff", ...contract, "--from", "1", "--to", head],
      ["prove", ...contract, "fine", key, "-o", file],
      ["prove", ...contract, "fine", "-o", file],
      ["verify", file, "--trust", head],
      ["verify", file, "--trust", head, "--layout", layoutFile],
      ["verify", file, "--trust", head, "--layout", layoutFile, key, "fine"],
      ["verify", `${file}${evil}`, "--trust", head],
      ["read", token.address, "--layout", `${layoutFile}${evil}`],
      ["read", token.address, "--layout", layoutFile, "--contract", `other ${evil}`],
      ["read", `${token.address}${evil}`, "--layout", layoutFile]
    ]
    const codes: Array<number> = []
    for (const command of commands) {
      for (const json of [[], ["--json"]]) {
        const { exitCode, stderr, stdout } = await RunCli.run([
          ...command,
          ...json,
          ...(command[0] === "prove" ? ["-f"] : [])
        ])
        expect(stdout + stderr).not.toMatch(ORDERS)
        if (json.length === 1) codes.push(exitCode)
      }
    }
    expect(codes).toEqual([0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
  })

  it("find the entry whose key they are, as viem hashes it", async () => {
    await using folder = await Children.folder()
    const file = path.join(folder.path, "layout.json")
    await writeFile(file, JSON.stringify(hostile))
    for (const key of [`it's "ünïcödé" 🚀`, evil, "\\", `"`, "", "\u0000", "]["]) {
      const asked = `map[${JSON.stringify(key)}]`
      const { answer } = await RunCli.json(["slots", asked, "--layout", file])
      const slot = viem.keccak256(viem.concat([viem.stringToHex(key), viem.numberToHex(5, { size: 32 })]))
      expect(answer.value).toEqual({ [asked]: { slot, offset: 0, bytes: 32 } })
    }
  })
})

describe("the JSON of a refutation", () => {
  it("has the fields of the contract and no others", async () => {
    await using folder = await Children.folder()
    const file = path.join(folder.path, "a.car")
    await writeFile(file, "no bundle")
    const { answer } = await RunCli.json(["verify", file, "--trust", head])
    expect(answer).toEqual({
      verdict: "REFUTED",
      value: null,
      anchor: { kind: "block", hash: head },
      proven: [],
      claimed: [],
      refuted: {
        check: "bundle",
        expected: "a proof bundle",
        got: expect.stringContaining("it does not begin as a CAR")
      }
    })
  })
})
