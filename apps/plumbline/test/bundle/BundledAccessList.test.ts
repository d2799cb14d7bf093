/**
 * `plumbline prove access-list`, and `plumbline verify` of its file without any network. The node shows the head of the
 * history chain with the header fields of Amsterdam; viem's RLP makes the hashes of the header and of the list.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Hash32 } from "@plumbline/codec"
import { HistoryChain } from "@plumbline/devnet"
import { Block } from "@plumbline/ipfs-client"
import { ProofBundle } from "@plumbline/proof-bundle"
import { Result } from "effect"
import { type Hex, hexToBytes, keccak256, pad, toRlp } from "viem"

import * as HistoryNode from "../support/HistoryNode.ts"
import * as RunCli from "../support/RunCli.ts"

const history = HistoryNode.lyingNode()

const names = (
  "parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom difficulty number gasLimit gasUsed " +
  "timestamp extraData mixHash nonce baseFeePerGas withdrawalsRoot blobGasUsed excessBlobGas parentBeaconBlockRoot " +
  "requestsHash blockAccessListHash slotNumber"
).split(" ")

const quantities = new Set(
  "difficulty number gasLimit gasUsed timestamp baseFeePerGas blobGasUsed excessBlobGas slotNumber".split(" ")
)

const item = (name: string, value: string): Hex => {
  if (!quantities.has(name)) return value as Hex
  const digits = value.slice(2).replace(/^0+/u, "")
  return `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`
}

const address = (byte: string): Hex => `0x${byte.repeat(20)}`
const none = { storageChanges: [], storageReads: [], balanceChanges: [], nonceChanges: [], codeChanges: [] }
const list = [
  {
    ...none,
    address: address("11"),
    storageChanges: [{ key: pad("0x5"), changes: [{ index: "0x1", value: pad("0x8") }] }],
    storageReads: [pad("0x2")]
  },
  {
    ...none,
    address: address("22"),
    balanceChanges: [{ index: "0x1", value: "0xde0b6b3a7640000" }],
    nonceChanges: [{ index: "0x1", value: "0x1" }],
    codeChanges: [{ index: "0x2", code: "0x6001" }]
  },
  { ...none, address: address("33") }
]
const raw = toRlp([
  [address("11"), [["0x05", [["0x01", "0x08"]]]], ["0x02"], [], [], []],
  [address("22"), [], [], [["0x01", "0x0de0b6b3a7640000"]], [["0x01", "0x01"]], [["0x02", "0x6001"]]],
  [address("33"), [], [], [], [], []]
])

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "plumbline-test-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
let files = 0
const fresh = () => path.join(folder, `${files++}.car`)

/** Returns the URL of a node whose head has a list with this RLP, and which shows `said` for it; and the head. */
const nodeOf = async (said: unknown, encoded = raw) => {
  const head = await history().ask("eth_getBlockByNumber", [`0x${HistoryChain.head.number.toString(16)}`, false])
  const fields = { ...head, blockAccessListHash: keccak256(encoded), slotNumber: "0x9" }
  const header = toRlp(names.map((name) => item(name, fields[name])))
  const hash = Hash32.fromHexUnsafe(keccak256(header))
  const { size: _, ...block } = { ...fields, hash }
  const url = history().telling(
    { method: "eth_getBlockByHash", change: (truth, __, [asked]) => (asked === hash ? block : truth) },
    { method: "eth_getBlockByNumber", change: () => block },
    { method: "eth_getBlockAccessList", change: () => said }
  )
  return { hash, header, url }
}

const prove = ({ url }: { readonly url: string }, file: string, ...args: ReadonlyArray<string>) =>
  RunCli.json(["prove", "access-list", "-o", file, "--url", url, ...args])

/** Verifies without a node: the flags name none, and no service runs from this folder. */
const offline = (file: string, hash: string) => ["verify", file, "--trust", hash, "--data", folder]

describe("the access list of a block", () => {
  it("is proven, kept, and VERIFIED offline", async () => {
    const node = await nodeOf(list)
    const file = fresh()
    const made = await prove(node, file, "--trust", node.hash)
    expect([made.answer.verdict, made.exitCode]).toEqual(["VERIFIED", 0])
    expect(made.answer.value).toEqual(list)
    expect(made.answer.bundle.parts.map(({ codec }: { codec: string }) => codec)).toEqual(["eth-block", "raw"])
    expect(Buffer.from(await readFile(file)).includes(Buffer.from(raw.slice(2), "hex"))).toBe(true)
    const { answer, exitCode } = await RunCli.json(offline(file, node.hash))
    expect([answer.verdict, exitCode]).toEqual(["VERIFIED", 0])
    expect(answer.value.accessList).toEqual(list)
    const { stdout } = await RunCli.run(offline(file, node.hash))
    for (const line of [
      "  access list  3 accounts",
      `    ${address("11")}`,
      "      slot 5",
      `        ${pad("0x8")} at 1`,
      "      slot 2 only read",
      "      balance 1 ETH at 1",
      "      nonce 1 at 1",
      "      code of 2 bytes at 2",
      `    ${address("33")}`
    ])
      expect(stdout.split("\n")).toContain(line)
  })

  it("is CLAIMED if only the node names the block, in the same file", async () => {
    const node = await nodeOf(list)
    const [file, other] = [fresh(), fresh()]
    await prove(node, file, "--trust", node.hash)
    const { answer } = await prove(node, other)
    expect(answer.verdict).toBe("CLAIMED")
    expect(await readFile(other)).toEqual(await readFile(file))
  })

  it("that touched nothing is proven by the header alone", async () => {
    const node = await nodeOf([], "0xc0")
    const file = fresh()
    const { answer } = await prove(node, file, "--trust", node.hash)
    expect([answer.verdict, answer.value]).toEqual(["VERIFIED", []])
    expect(answer.bundle.blocks).toBe(1)
  })

  it("is REFUTED if an account is left out, and no file is written", async () => {
    const node = await nodeOf(list.slice(1))
    const file = fresh()
    const { answer, exitCode } = await prove(node, file, "--trust", node.hash)
    expect([answer.verdict, exitCode, answer.refuted.check]).toEqual(["REFUTED", 2, "blockAccessListHash"])
    await expect(readFile(file)).rejects.toThrow("ENOENT")
  })

  it("is an error if the node has none, or the block is from before Amsterdam", async () => {
    const node = await nodeOf(null)
    const ran = await RunCli.run(["prove", "access-list", "-o", fresh(), "--url", node.url, "--trust", node.hash])
    expect(ran.exitCode).not.toBe(0)
    expect(ran.stderr).toContain("eth_getBlockAccessList")
    const { hash } = HistoryChain.head
    const url = history().url
    const old = await RunCli.run(["prove", "access-list", "-o", fresh(), "--url", url, "--trust", hash])
    expect(old.exitCode).not.toBe(0)
  })

  it("is REFUTED after a changed byte", async () => {
    const node = await nodeOf(list)
    const file = fresh()
    await prove(node, file, "--trust", node.hash)
    const bytes = await readFile(file)
    bytes[bytes.length - 1]! ^= 1
    const changed = fresh()
    await writeFile(changed, bytes)
    const { answer, exitCode } = await RunCli.json(offline(changed, node.hash))
    expect([answer.verdict, exitCode]).toEqual(["REFUTED", 2])
  })

  it("is not shown by verify if it breaks a rule that every valid block keeps, but claimed", async () => {
    const broken = toRlp([
      [address("22"), [], [], [], [], []],
      [address("11"), [], [], [], [], []]
    ])
    const { hash, header } = await nodeOf(null, broken)
    const blocks = [
      [0x90, header],
      [0x55, broken]
    ] as const
    const bundle = ProofBundle.fromBlocks(
      hash,
      blocks.map(([codec, hex]) => {
        const bytes = hexToBytes(hex)
        return { cid: Result.getOrThrow(Block.cidOf(codec, bytes, 0x1b)), bytes }
      })
    )
    const file = fresh()
    await writeFile(file, ProofBundle.encode(Result.getOrThrow(bundle)))
    const { answer } = await RunCli.json(offline(file, hash))
    expect(answer.value.accessList).toBeUndefined()
    expect(JSON.stringify(answer.claimed)).toContain("account-order")
    expect(JSON.stringify(answer.proven)).not.toContain("access list")
  })
})
