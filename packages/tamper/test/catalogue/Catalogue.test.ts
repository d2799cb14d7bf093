import { Block, EthMethods, Log, Receipt } from "@plumbline/eth-methods"
import { Transport } from "@plumbline/jsonrpc-core"
import { Effect } from "effect"
import { assert, it } from "vitest"

import { Catalogue, Tamper } from "../../src/index.ts"

const all = [...Catalogue.lies, ...Catalogue.omissions]

/** Returns the answer to a call of the method, through a lie, when the true answer is this one. */
const told = (lie: string, method: string, truth: unknown): Promise<unknown> => {
  const call: Transport.Transport["Service"]["call"] = () => Effect.succeed(truth)
  const node = { call, callAll: Transport.oneByOne(call) }
  return Effect.runPromise(Tamper.make(Catalogue.byName(lie)!)(node).call({ method, params: [] }))
}

it("has each name once, written alike", () => {
  const names = all.map(({ name }) => name)
  assert.strictEqual(new Set(names).size, names.length)
  for (const name of names) assert.match(name, /^[a-z]+\d?(?:-[a-z]+\d?)*$/u)
})

it("touches methods that there are, and says of each lie what it is", () => {
  for (const { about, methods } of all) {
    assert.match(about, /^[a-z].{10,120}[^.]$/u)
    for (const method of methods) assert.isDefined(EthMethods.group.get(method), method)
  }
})

it("has an omission for each field of a block, an uncle, a receipt and a log, except the one that nothing proves", () => {
  for (const [kind, known] of [
    ["block", Block.knownFields],
    ["uncle", Block.headerFields],
    ["receipt", Receipt.knownFields],
    ["single-receipt", Receipt.knownFields],
    ["log", Log.knownFields]
  ] as const) {
    const every = kind === "single-receipt" ? "receipt that is asked for alone" : kind
    const fields = Catalogue.omissions
      .filter(({ about, name }) => name.startsWith(`${kind}-`) && about.endsWith(` is absent in every ${every}`))
      .map(({ about }) => about.split(" ")[0]!)
    // the catalogue is of Ethereum's lies; the fields of a deposit are those of the OP stack
    const expected = [...known].filter((field) => field !== "totalDifficulty" && !field.startsWith("deposit"))
    assert.deepStrictEqual(fields.sort(), expected.sort(), kind)
  }
})

it("has an omission for each method that reads and that hashes prove", () => {
  // clients compute the answers to these
  const computed = new Set(["eth_sendRawTransaction", "eth_sendRawTransactionSync", "web3_sha3"])
  const omitted = Catalogue.omissions.filter(({ about }) => about.startsWith("every answer to "))
  const proven = EthMethods.all.filter(({ name, trust }) => trust === "proven" && !computed.has(name))
  assert.deepStrictEqual(
    new Set(omitted.flatMap(({ methods }) => [...methods])),
    new Set(proven.map(({ name }) => name))
  )
})

it("leaves each field out in three ways, in every answer that shows it", async () => {
  const receipt = { contractAddress: "0x01", logs: [{ topics: ["0x02"], removed: false }], status: "0x1" }
  for (const [method, shown, wrapped] of [
    ["eth_getTransactionReceipt", receipt, (one: unknown) => one],
    ["eth_getBlockReceipts", [receipt], (one: unknown) => [one]]
  ] as const) {
    const { contractAddress: _, ...without } = receipt
    assert.deepStrictEqual(await told("receipt-contract-address-absent", method, shown), wrapped(without))
    const named = { ...receipt, contractAddress: null }
    assert.deepStrictEqual(await told("receipt-contract-address-null", method, shown), wrapped(named))
    const empty = { ...receipt, contractAddress: "0x" }
    assert.deepStrictEqual(await told("receipt-contract-address-empty", method, shown), wrapped(empty))
    const topics = { ...receipt, logs: [{ topics: [], removed: false }] }
    assert.deepStrictEqual(await told("log-topics-empty", method, shown), wrapped(topics))
  }
  const logs = receipt.logs
  assert.deepStrictEqual(await told("log-removed-absent", "eth_getLogs", logs), [{ topics: ["0x02"] }])
  const block = { transactions: [{ accessList: [{ address: "0x03", storageKeys: ["0x04"] }] }], uncles: ["0x05"] }
  assert.deepStrictEqual(await told("access-list-entry-storage-keys-empty", "eth_getBlockByHash", block), {
    ...block,
    transactions: [{ accessList: [{ address: "0x03", storageKeys: [] }] }]
  })
  assert.deepStrictEqual(await told("block-uncles-empty", "eth_getBlockByNumber", block), { ...block, uncles: [] })
  const none = { storageReads: [], balanceChanges: [], nonceChanges: [], codeChanges: [] }
  const list = [
    { address: "0x06", storageChanges: [{ key: "0x07", changes: [{ index: "0x1", value: "0x08" }] }], ...none }
  ]
  // a list in which a changed slot has no changes is that of no valid block
  assert.deepStrictEqual(await told("slot-changes-changes-empty", "eth_getBlockAccessList", list), [
    { ...list[0], storageChanges: [{ key: "0x07", changes: [] }] }
  ])
  assert.deepStrictEqual(await told("account-changes-storage-changes-empty", "eth_getBlockAccessList", list), [
    { ...list[0], storageChanges: [] }
  ])
  const proof = { storageProof: [{ key: "0x0", value: "0x1" }] }
  assert.deepStrictEqual(await told("slot-proof-value-absent", "eth_getProof", proof), {
    storageProof: [{ key: "0x0" }]
  })
})

it("adds no field to an answer that lacks it, and withholds whole answers", async () => {
  assert.deepStrictEqual(await told("receipt-root-null", "eth_getTransactionReceipt", { status: "0x1" }), {
    status: "0x1"
  })
  assert.deepStrictEqual(await told("eth-get-logs-empty", "eth_getLogs", [{}]), [])
  assert.isNull(await told("eth-get-balance-null", "eth_getBalance", "0x1"))
})
