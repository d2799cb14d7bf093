import { stripVTControlCharacters } from "node:util"

/**
 * Answers for people.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Block from "@plumbline/eth-methods/Block"
import * as Transaction from "@plumbline/eth-methods/Transaction"
import { Schema } from "effect"

import * as AnswerView from "../src/view/AnswerView.ts"
import * as BlockView from "../src/view/BlockView.ts"
import * as Style from "../src/view/Style.ts"
import * as TransactionView from "../src/view/TransactionView.ts"
import * as Devnet from "./support/Devnet.ts"
import * as Prepared from "./support/Prepared.ts"
import * as RunCli from "./support/RunCli.ts"
import * as Wire from "./support/Wire.ts"

const node = Devnet.lyingNode()

const hash = (digit: string): string => `0x${digit.repeat(64)}`
const address = (digit: string): string => `0x${digit.repeat(40)}`

const mined = {
  blockHash: hash("b"),
  blockNumber: "0x4d2",
  transactionIndex: "0x3",
  blockTimestamp: "0x6553f100",
  hash: hash("a"),
  from: address("1"),
  to: address("2"),
  nonce: "0x7",
  value: "0x14d1120d7b160000",
  gas: "0x5208",
  input: "0x",
  v: "0x1",
  yParity: "0x1",
  r: hash("3"),
  s: "0x4",
  chainId: "0x1"
}
const dynamicFee = {
  type: "0x2",
  ...mined,
  maxFeePerGas: "0x6fc23ac0",
  maxPriorityFeePerGas: "0x5f5e100",
  gasPrice: "0x3e95ba80",
  accessList: [{ address: address("5"), storageKeys: [hash("6"), hash("7")] }]
}

const transaction = (wire: unknown, claimed: ReadonlyArray<string> = []): string =>
  TransactionView.view(Schema.decodeUnknownSync(Transaction.Transaction)(wire), new Set(claimed), Style.plain).join(
    "\n"
  )

const block = (wire: unknown, claimed: ReadonlyArray<string> = []): string =>
  BlockView.view(Schema.decodeUnknownSync(Block.Block)(wire), new Set(claimed), Style.plain).join("\n")

describe("a transaction", { timeout: 60_000 }, () => {
  it("is shown field by field, as people read it and as it came", () => {
    expect(transaction(dynamicFee, ["blockHash"])).toBe(`Transaction 3 of block 1,234

  hash                  ${hash("a")}
  type                  2  dynamic fee (EIP-1559)  0x2
  from                  ${address("1")}
  to                    ${address("2")}
  value                 1.5 ETH                    0x14d1120d7b160000
  nonce                 7                          0x7
  input                 empty

  blockHash             ${hash("b")}  claimed
  blockNumber           1,234                    0x4d2
  transactionIndex      3                        0x3
  blockTimestamp        2023-11-14 22:13:20 UTC  0x6553f100

  gas                   21,000      0x5208
  gasPrice              1.05 gwei   0x3e95ba80
  maxFeePerGas          1.875 gwei  0x6fc23ac0
  maxPriorityFeePerGas  0.1 gwei    0x5f5e100

  chainId               1  0x1
  v                     1  0x1
  yParity               1  0x1
  r                     ${hash("3")}
  s                     0x4

  accessList  1
    ${address("5")}
      ${hash("6")}
      ${hash("7")}`)
  })

  it("that makes a contract, and is pending, says so", () => {
    const place = { blockHash: null, blockNumber: null, transactionIndex: null, blockTimestamp: null }
    const text = transaction({ ...dynamicFee, ...place, to: null, accessList: [], input: `0x${"60".repeat(100)}` })
    expect(text).toContain("Pending transaction\n")
    expect(text).toMatch(/^ {2}to +nobody: it creates a contract$/m)
    expect(text).toMatch(/^ {2}blockHash +null$/m)
    expect(text).toMatch(/^ {2}input +0x(?:60){32}… {2}100 bytes, whole with --json$/m)
    expect(text).toMatch(/^ {2}accessList {2}empty$/m)
  })

  it("with authorizations shows whose code it sets", () => {
    const item = { chainId: "0x0", address: address("8"), nonce: "0x1", yParity: "0x0", r: hash("9"), s: hash("c") }
    const text = transaction({ ...dynamicFee, type: "0x4", accessList: [], authorizationList: [item] })
    expect(text).toMatch(/^ {2}type +4 {2}set code \(EIP-7702\) +0x4$/m)
    expect(text).toContain(`  authorizationList  1
    code of ${address("8")}
      chainId 0 (any chain)  nonce 1  yParity 0
      r ${hash("9")}
      s ${hash("c")}`)
  })

  it("with blobs shows their hashes", () => {
    const blobs = { maxFeePerBlobGas: "0x3b9aca00", blobVersionedHashes: [hash("d")] }
    const text = transaction({ ...dynamicFee, type: "0x3", ...blobs })
    expect(text).toMatch(/^ {2}maxFeePerBlobGas +1 gwei +0x3b9aca00$/m)
    expect(text).toContain(`  blobVersionedHashes  1\n    ${hash("d")}`)
  })

  it("of an unknown type is shown as it came, and cannot write on the terminal", () => {
    const text = transaction({ type: "0x7e", hash: hash("a"), "l1\u001b[2J": { note: "\u001b[32mVERIFIED\u009b" } })
    expect(text).toContain("Transaction of an unknown type")
    expect(text).toMatch(/^ {2}type +126 {2}not known here {2}0x7e$/m)
    expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u)
    expect(text).toContain('l1\\u001b[2J  {"note":"\\u001b[32mVERIFIED\\u009b"}')
  })
})

describe("a block", { timeout: 60_000 }, () => {
  const header = {
    number: "0x4d2",
    hash: hash("b"),
    parentHash: hash("a"),
    nonce: "0x0000000000000000",
    mixHash: hash("e"),
    sha3Uncles: hash("c"),
    logsBloom: `0x${"00".repeat(255)}81`,
    transactionsRoot: hash("d"),
    stateRoot: hash("1"),
    receiptsRoot: hash("2"),
    miner: address("3"),
    difficulty: "0x0",
    extraData: "0x706c756d62",
    gasLimit: "0x1c9c380",
    gasUsed: "0xe4e1c0",
    timestamp: "0x6553f100",
    baseFeePerGas: "0x3b9aca00",
    size: "0x2e3",
    totalDifficulty: "0xc70d815d562d3cfa955",
    uncles: []
  }

  it("is shown field by field, with what is only claimed marked", () => {
    expect(block({ ...header, transactions: [hash("f")] }, ["totalDifficulty", "transactions"])).toBe(`Block 1,234

  hash              ${hash("b")}
  number            1,234                    0x4d2
  timestamp         2023-11-14 22:13:20 UTC  0x6553f100
  parentHash        ${hash("a")}
  miner             ${address("3")}
  extraData         0x706c756d62  "plumb"

  gasUsed           15,000,000  50 % of the limit  0xe4e1c0
  gasLimit          30,000,000                     0x1c9c380
  baseFeePerGas     1 gwei                         0x3b9aca00
  size              739 bytes                      0x2e3

  stateRoot         ${hash("1")}
  transactionsRoot  ${hash("d")}
  receiptsRoot      ${hash("2")}

  sha3Uncles        ${hash("c")}
  logsBloom         2 of 2,048 bits set

  mixHash           ${hash("e")}
  nonce             0x0000000000000000
  difficulty        0                               0x0
  totalDifficulty   58,750,003,716,598,352,816,469  0xc70d815d562d3cfa955  claimed

  transactions  1  claimed
    0  ${hash("f")}`)
  })

  it("shows its transactions in a few lines each, its withdrawals in ETH, and its uncles", () => {
    const withdrawal = { index: "0x3e8", validatorIndex: "0x2710", address: address("4"), amount: "0x1dcd6500" }
    const text = block({
      ...header,
      withdrawals: [withdrawal],
      uncles: [hash("9")],
      transactions: [
        { ...dynamicFee, input: "0x1234" },
        { ...dynamicFee, to: null },
        { type: "0x7e", hash: hash("7") }
      ]
    })
    expect(text).toContain(`  transactions  3
    0  ${hash("a")}
       ${address("1")} → ${address("2")}
       1.5 ETH  nonce 7  type 2  dynamic fee (EIP-1559)  2 bytes of input
    1  ${hash("a")}
       ${address("1")} → a new contract
       1.5 ETH  nonce 7  type 2  dynamic fee (EIP-1559)
    2  ${hash("7")}
       type 126  not known here

  withdrawals  1
  1,000  ${address("4")}  0.5 ETH  validator 10,000

  uncles  1
       ${hash("9")}`)
  })

  it("that is pending says so", () => {
    const nulls = { number: null, hash: null, nonce: null, logsBloom: null, miner: null }
    const text = block({ ...header, ...nulls, transactions: [] })
    expect(text).toMatch(/^Pending block\n/)
    expect(text).toMatch(/^ {2}miner +null$/m)
    expect(text).toMatch(/^ {2}transactions {2}none$/m)
  })
})

describe("a verdict", { timeout: 60_000 }, () => {
  const verdict = (answer: Parameters<typeof AnswerView.verdict>[0]) =>
    AnswerView.verdict(answer, Style.plain).join("\n")

  it("says what is proven and from what, and what is claimed and why", () => {
    expect(
      verdict({
        verdict: "VERIFIED",
        value: {},
        anchor: { kind: "block", hash: hash("b") },
        proven: ["one thing", "another"],
        claimed: [
          { field: "size", reason: "because" },
          { field: "totalDifficulty", reason: "of that" }
        ]
      })
    ).toBe(`VERIFIED  against block hash ${hash("b")}
  proven    one thing
            another
  claimed   size             because
            totalDifficulty  of that`)
    expect(
      verdict({
        verdict: "CLAIMED",
        value: null,
        anchor: null,
        proven: [],
        claimed: [{ field: "value", reason: "so" }]
      })
    ).toBe(`CLAIMED  the node's word: nothing ties it to a hash that you gave
  claimed   so`)
  })

  it("names the check that failed, and cannot be forged by what it repeats", () => {
    expect(
      verdict({
        verdict: "REFUTED",
        value: null,
        anchor: { kind: "transaction", hash: hash("a") },
        proven: [],
        claimed: [],
        refuted: { check: "transaction hash", expected: hash("a"), got: "\r\u001b[1A\u001b[32mVERIFIED" }
      })
    ).toBe(`REFUTED  the node's answer is not true against transaction hash ${hash("a")}
  check     transaction hash
  expected  ${hash("a")}
  got       \\u000d\\u001b[1A\\u001b[32mVERIFIED`)
  })
})

describe("the command", { timeout: 60_000 }, () => {
  const { allTypes } = Prepared

  it("shows a value and ends in its verdict", async () => {
    const { exitCode, stderr, stdout } = await RunCli.run(["block", allTypes.hash, "--full", "--url", node().url])
    expect([exitCode, stderr]).toEqual([0, ""])
    for (const hash of [allTypes.hash, ...allTypes.transactions.map((transaction) => transaction.hash)]) {
      expect(stdout).toContain(hash)
    }
    expect(stdout).toContain(`\n\nVERIFIED  against block hash ${allTypes.hash}\n  proven    every header field`)
  })

  it("shows of a refuted answer the verdict alone", async () => {
    const url = node().telling({
      method: "eth_getBlockByHash",
      change: (block) => Wire.set(block, ["timestamp"], "0x1")
    })
    const { exitCode, stderr, stdout } = await RunCli.run(["block", allTypes.hash, "--url", url])
    expect([exitCode, stderr]).toEqual([2, ""])
    const [verdict, check, expected, got, end] = stdout.split("\n")
    expect(verdict).toBe(`REFUTED  the node's answer is not true against block hash ${allTypes.hash}`)
    expect(check).toBe("  check     header hash")
    expect(expected).toBe(`  expected  ${allTypes.hash}`)
    expect(got).toMatch(/^ {2}got {7}0x[0-9a-f]{64}$/)
    expect(end).toBe("")
  })

  it("shows that there is nothing, and whose word that is", async () => {
    const { exitCode, stdout } = await RunCli.run(["tx", Wire.HASH, "--url", node().url])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^No such transaction\n\nCLAIMED {2}the node's word/)
  })

  it("has colours on a terminal only, and says the same without", async () => {
    const args = ["tx", allTypes.transactions[0]!.hash, "--url", node().url]
    const [plain, coloured] = await Promise.all([RunCli.run(args), RunCli.run(args, { colors: true })])
    expect(plain.stdout).not.toContain("\u001b")
    expect(coloured.stdout).toContain("\u001b[1m\u001b[32mVERIFIED\u001b[39m\u001b[22m")
    expect(stripVTControlCharacters(coloured.stdout)).toBe(plain.stdout)
  })
})
