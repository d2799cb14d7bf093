/** The text form of answers. */
import { stripVTControlCharacters } from "node:util"

import { describe, expect, it } from "@effect/vitest"
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as AccountProof from "@plumbline/eth-methods/model/AccountProof"
import * as Block from "@plumbline/eth-methods/model/Block"
import * as Transaction from "@plumbline/eth-methods/model/Transaction"
import { Anchor, Claim, Evidence, Reason } from "@plumbline/verdict"
import { Schema } from "effect"

import * as AnswerView from "../../src/answer/AnswerView.ts"
import type * as ReadAnswer from "../../src/answer/ReadAnswer.ts"
import * as BlockView from "../../src/chain/BlockView.ts"
import * as TransactionView from "../../src/chain/TransactionView.ts"
import * as UncleView from "../../src/chain/UncleView.ts"
import * as ProofView from "../../src/storage/ProofView.ts"
import * as SlotView from "../../src/storage/SlotView.ts"
import * as Style from "../../src/terminal/Style.ts"
import * as Devnet from "../support/Devnet.ts"
import * as Prepared from "../support/Prepared.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Wire from "../support/Wire.ts"

const node = Devnet.lyingNode()

const hash = (digit: string): string => `0x${digit.repeat(64)}`
const address = (digit: string): string => `0x${digit.repeat(40)}`

const Shown = Evidence.kind("Shown", ({ text }: { readonly text: string }) => text)
const Because = Reason.kind("Because", ({ text }: { readonly text: string }) => text)
const shown = (text: string) => Shown({ text })
const claim = (field: string, text: string) => Claim.of(field, Because({ text }))

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

const transaction = (wire: unknown, claimed: ReadonlyArray<string> = []): string =>
  TransactionView.view(Schema.decodeUnknownSync(Transaction.Transaction)(wire), new Set(claimed), Style.plain).join(
    "\n"
  )

const block = (wire: unknown, claimed: ReadonlyArray<string> = []): string =>
  BlockView.view(Schema.decodeUnknownSync(Block.Block)(wire), new Set(claimed), Style.plain).join("\n")

describe("a transaction", () => {
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
    expect(text).toMatch(/^ {2}to +none: it creates a contract$/m)
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

  it("that is a deposit shows its mint in ETH and its source, and no nonce unless the node says one", () => {
    const ofSigned = new Set(["nonce", "maxFeePerGas", "maxPriorityFeePerGas", "accessList"])
    const rest = Object.fromEntries(Object.entries(dynamicFee).filter(([name]) => !ofSigned.has(name)))
    const deposit = { ...rest, type: "0x7e", sourceHash: hash("5"), mint: "0xde0b6b3a7640000", isSystemTx: true }
    const text = transaction(deposit)
    expect(text).toMatch(/^ {2}type +126 {2}deposit \(OP stack\) +0x7e$/m)
    expect(text).toMatch(/^ {2}mint +1 ETH +0xde0b6b3a7640000$/m)
    expect(text).toContain(hash("5"))
    expect(text).not.toMatch(/^ {2}nonce/m)
    expect(block({ ...header, transactions: [deposit] })).toContain("1.5 ETH  mint 1 ETH  type 126  deposit (OP stack)")
  })

  it("of an unknown type is shown as it came, and cannot write on the terminal", () => {
    const text = transaction({ type: "0x64", hash: hash("a"), "l1\u001b[2J": { note: "\u001b[32mVERIFIED\u009b" } })
    expect(text).toContain("Transaction of an unknown type")
    expect(text).toMatch(/^ {2}type +100 {2}not known here {2}0x64$/m)
    expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u)
    expect(text).toContain('l1\\u001b[2J  {"note":"\\u001b[32mVERIFIED\\u009b"}')
  })
})

describe("a block", () => {
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
        { type: "0x64", hash: hash("7") }
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
       type 100  not known here

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

describe("uncles", () => {
  const place: ReadAnswer.BlockId = { number: 5n, hash: Hash32.fromHexUnsafe(hash("b")) }
  const uncle = (fields: object = {}): Block.Uncle => Schema.decodeUnknownSync(Block.Uncle)({ ...header, ...fields })

  it("are shown in a few lines each, under their block", () => {
    const value = [uncle({ number: "0x3" }), uncle({ number: "0x4", difficulty: "0x20000" })]
    expect(UncleView.list({ block: place, value }, new Set(["block"]), Style.plain).join("\n")).toBe(`Uncles of block 5

  block      5  0x5  claimed
  blockHash  ${hash("b")}

  uncles  2
    0  ${hash("b")}
       number 3, 2 blocks before  2023-11-14 22:13:20 UTC
       miner ${address("3")}  difficulty 0
    1  ${hash("b")}
       number 4, 1 block before  2023-11-14 22:13:20 UTC
       miner ${address("3")}  difficulty 131,072`)
    const none = UncleView.list({ block: place, value: [] }, new Set(), Style.plain)
    expect(none.at(-1)).toBe("  uncles  none")
    expect(UncleView.list({ block: null, value: [] }, new Set(), Style.plain)).toContain("  block  pending")
  })

  it("are shown field by field one by one, with their block before them", () => {
    const text = UncleView.view({ block: place, value: uncle() }, 1n, new Set(["totalDifficulty"]), Style.plain).join(
      "\n"
    )
    expect(text).toContain(`Uncle 1 of block 5

  block             5  0x5
  blockHash         ${hash("b")}

  hash              ${hash("b")}
  number            1,234                    0x4d2`)
    expect(text).toMatch(/^ {2}totalDifficulty {3}58,750,003,716,598,352,816,469 {2}0xc70d815d562d3cfa955 {2}claimed$/m)
    expect(UncleView.view({ block: place, value: null }, 2n, new Set(), Style.plain)).toEqual([
      "No uncle 2 of block 5",
      "",
      "  block      5  0x5",
      `  blockHash  ${hash("b")}`
    ])
  })
})

describe("an account and its storage", () => {
  const place: ReadAnswer.BlockId = { number: 1234n, hash: Hash32.fromHexUnsafe(hash("b")) }
  const proof = Schema.decodeUnknownSync(AccountProof.AccountProof)({
    address: address("1"),
    balance: "0x14d1120d7b160000",
    codeHash: hash("c"),
    nonce: "0x7",
    storageHash: hash("d"),
    accountProof: ["0xf8", "0xf851"],
    storageProof: [
      { key: "0x0", value: "0x7b", proof: ["0xe2", "0xe3"] },
      { key: hash("e"), value: hash("f"), proof: ["0xe2"] },
      { key: "0x2", value: "0x0", proof: [] }
    ]
  })
  const view = (isAbsent: boolean, fields: object = {}) =>
    ProofView.view({ block: place, value: { proof: { ...proof, ...fields }, isAbsent } }, new Set(), Style.plain)

  it("are shown with the sizes of their proofs", () => {
    expect(view(false).join("\n")).toBe(`Account ${address("1")}

  block        1,234  0x4d2
  blockHash    ${hash("b")}

  nonce        7        0x7
  balance      1.5 ETH  0x14d1120d7b160000
  codeHash     ${hash("c")}
  storageHash  ${hash("d")}
  proof        2 nodes, 3 bytes, whole with --json

  slots  3
    0  2 nodes
      0x${"7b".padStart(64, "0")}
      123
    ${hash("e")}  1 node
      ${hash("f")}
      ${2n ** 256n - 1n}
    2  0 nodes
      0`)
  })

  it("are said to be nothing, where that is what the hashes say", () => {
    const nothing = {
      codeHash: "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
      storageHash: "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
    }
    expect(view(false, nothing)).toContain("  codeHash     no code")
    expect(view(false, nothing)).toContain("  storageHash  no storage")
    const absent = view(true, { ...nothing, storageProof: [] })
    expect(absent).toEqual([
      `No account ${address("1")}`,
      "",
      "  block      1,234  0x4d2",
      `  blockHash  ${hash("b")}`,
      "",
      "  proof      2 nodes, 3 bytes, whole with --json"
    ])
  })

  it("are shown word by word, as a number too", () => {
    const word = (slot: string, value: string) =>
      SlotView.view(
        { block: place, value: Hash32.fromHexUnsafe(value) },
        {
          address: proof.address,
          slot: Hash32.fromHexUnsafe(slot),
          isAbsent: false,
          claimed: new Set(),
          style: Style.plain
        }
      )
    const small = `0x${"2a".padStart(64, "0")}`
    expect(word(small, small).join("\n")).toBe(`Storage of ${address("1")}

  block      1,234  0x4d2
  blockHash  ${hash("b")}

  slot       42  0x2a
  word       ${small}
  decimal    42`)
    expect(word(hash("e"), hash("f")).slice(-3)).toEqual([
      `  slot       ${hash("e")}`,
      `  word       ${hash("f")}`,
      `  decimal    ${2n ** 256n - 1n}`
    ])
  })
})

describe("on a narrow terminal", () => {
  const narrow: Style.Style = { ...Style.plain, columns: 80 }

  it("what has no room beside its name stands under it, and nothing is lost", () => {
    const wire = Schema.decodeUnknownSync(Block.Block)({ ...header, transactions: [dynamicFee] })
    const claimed = new Set(["stateRoot", "totalDifficulty"])
    const lines = BlockView.view(wire, claimed, narrow)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(lines.join("\n")).toContain(`
  stateRoot
    ${hash("1")}
    claimed
  transactionsRoot
    ${hash("d")}
`)
    expect(lines.join("\n")).toContain(`
       ${address("1")}
       → ${address("2")}
       1.5 ETH  nonce 7  type 2  dynamic fee (EIP-1559)`)
    const words = (columns: number) =>
      BlockView.view(wire, claimed, { ...narrow, columns })
        .join(" ")
        .split(/\s+/u)
        .toSorted()
    expect(words(80)).toEqual(words(Infinity))
    expect(words(120)).toEqual(words(Infinity))
  })

  it("the verdict is in lines that fit, each under its name", () => {
    const answer: Parameters<typeof AnswerView.verdict>[0] = {
      verdict: "VERIFIED",
      value: {},
      anchor: Anchor.block(Hash32.fromHexUnsafe(hash("b"))),
      proven: [shown("its block is on the chain, by a pinned hash, of which it is an ancestor")],
      claimed: [
        claim("totalDifficulty", "a header proves its own difficulty, not the sum of all before it"),
        claim("l1\u001b[2J", "so")
      ]
    }
    expect(AnswerView.verdict(answer, narrow).join("\n")).toBe(`VERIFIED  against block hash
          ${hash("b")}
  proven    its block is on the chain, by a pinned hash, of which it is an
            ancestor
  claimed   totalDifficulty  a header proves its own difficulty, not the sum of
                             all before it
            l1\\u001b[2J      so`)
  })
})

describe("a verdict", () => {
  const verdict = (answer: Parameters<typeof AnswerView.verdict>[0]) =>
    AnswerView.verdict(answer, Style.plain).join("\n")

  it("says what is proven and from what, and what is claimed and why", () => {
    expect(
      verdict({
        verdict: "VERIFIED",
        value: {},
        anchor: Anchor.block(Hash32.fromHexUnsafe(hash("b"))),
        proven: [shown("one thing"), shown("another")],
        claimed: [claim("size", "because"), claim("totalDifficulty", "of that"), claim("author", "of that")]
      })
    ).toBe(`VERIFIED  against block hash ${hash("b")}
  proven    one thing
            another
  claimed   size             because
            totalDifficulty  of that
            author           the same`)
    expect(
      verdict({
        verdict: "CLAIMED",
        value: null,
        anchor: null,
        proven: [],
        claimed: [claim("value", "so")]
      })
    ).toBe(`CLAIMED  not proven from a hash that you trust
  claimed   so`)
  })

  it("names a field of each item of a list in words", () => {
    expect(
      verdict({
        verdict: "VERIFIED",
        value: [],
        anchor: Anchor.block(Hash32.fromHexUnsafe(hash("b"))),
        proven: [shown("one thing")],
        claimed: [claim("[].totalDifficulty", "because"), claim("transactions[].from", "of that")]
      })
    ).toContain("claimed   totalDifficulty of each  because\n            transactions[].from      of that")
  })

  it("names the check that failed, and cannot be forged by what it repeats", () => {
    expect(
      verdict({
        verdict: "REFUTED",
        anchor: Anchor.transaction(Hash32.fromHexUnsafe(hash("a"))),
        refuted: { check: "transaction hash", expected: hash("a"), got: "\r\u001b[1A\u001b[32mVERIFIED" }
      })
    ).toBe(`REFUTED  the node's answer is not true against transaction hash ${hash("a")}
  check     transaction hash
  expected  ${hash("a")}
  got       \\u000d\\u001b[1A\\u001b[32mVERIFIED`)
  })

  it("of an account under an empty state has the way out where a developer's chain is asked for its first block", () => {
    const refuted = (expected: string) =>
      verdict({ verdict: "REFUTED", anchor: null, refuted: { check: "accountProof", expected, got: "2 nodes" } })
    expect(refuted("0 nodes")).toMatch(/\n {2}try {7}a later block: /u)
    expect(refuted("3 nodes")).not.toContain("try")
  })
})

describe("the command", () => {
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
    expect(stdout).toMatch(/^No such transaction\n\nCLAIMED {2}not proven/)
  })

  it("has colours on a terminal only, and says the same without", async () => {
    const args = ["tx", allTypes.transactions[0]!.hash, "--url", node().url]
    const [plain, coloured] = await Promise.all([RunCli.run(args), RunCli.run(args, { colors: true })])
    expect(plain.stdout).not.toContain("\u001b")
    expect(coloured.stdout).toContain("\u001b[1m\u001b[32mVERIFIED\u001b[39m\u001b[22m")
    expect(stripVTControlCharacters(coloured.stdout)).toBe(plain.stdout)
  })
})
