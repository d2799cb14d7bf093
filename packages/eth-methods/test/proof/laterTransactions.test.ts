/** Transactions of an invented type, with and without the data that names it. ethereumjs makes all bytes. */
import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { Hash32 } from "@plumbline/codec"
import { Effect, Layer, Result, Schema } from "effect"

import {
  EthReason,
  LaterForks,
  LaterTransactions,
  Receipt,
  TrustedBlock,
  VerdictEthClient,
  Verify
} from "../../src/index.ts"
import { changes, removals, reorderings } from "../support/changes.ts"
import * as InventedFork from "../support/inventedFork.ts"
import * as InventedTypes from "../support/inventedTypes.ts"
import * as Made from "../support/made.ts"
import { node } from "../support/node.ts"
import * as Receipts from "../support/receipts.ts"

const decode = Schema.decodeUnknownSync(LaterForks.LaterForks)
const forks = decode(InventedTypes.FILE)

const hashOf = (json: Made.JsonObject): Hash32.Hash32 => Hash32.fromHexUnsafe(Made.string(json["hash"]))

const verify = (json: Made.JsonObject, options: Verify.BlockOptions = { forks }) =>
  Verify.block(Made.decodeBlock(json), hashOf(json), options)

const checkOf = (verdict: Result.Result<{ readonly _tag: string }, { readonly check: string }>): string =>
  Result.isFailure(verdict) ? verdict.failure.check : verdict.success._tag

const transactionAt = (block: Made.JsonObject, at: number) => Made.object(Made.list(block["transactions"])[at])

describe("a block with transactions of a later type", () => {
  it("is proven with all of them, and only what their rules decide is claimed", async () => {
    for (const hardfork of [Hardfork.Berlin, Hardfork.Osaka, Hardfork.Amsterdam]) {
      const { at, block } = await InventedTypes.make({ hardfork })
      const verdict = Result.getOrThrow(verify(block))
      assert.strictEqual(verdict._tag, "VERIFIED", hardfork)
      const claims = verdict.claimed.map(({ field, reason }) => [field, reason._tag])
      assert.deepStrictEqual(
        claims,
        at.map((i) => [`transactions[${i}].from`, "TransactionRulesUnknown"])
      )
      assert.isDefined(verdict.value.size)
    }
  })

  it("is proven if it has no other transactions", async () => {
    const { block } = await InventedTypes.make({ others: false })
    const verdict = Result.getOrThrow(verify(block))
    assert.strictEqual(verdict._tag, "VERIFIED")
    assert.notInclude(
      verdict.proven.map(({ _tag }) => _tag),
      "Senders"
    )
  })

  it("is claimed without the data, with a proven header, and proven with hashes of its transactions", async () => {
    const { at, block } = await InventedTypes.make()
    for (const options of [{}, { forks: decode(InventedFork.FILE) }, { chainId: 1n }]) {
      const verdict = Result.getOrThrow(verify(block, options))
      assert.strictEqual(verdict._tag, "CLAIMED")
      const { reason } = verdict.claimed.find(({ field }) => field === "transactions")!
      assert(EthReason.UnknownTransactionType.is(reason))
      assert.deepInclude(reason, { type: 5n, index: at[0] })
      assert.deepStrictEqual(
        verdict.proven.map(({ _tag }) => _tag),
        ["HeaderHash", "ListRoot", "ListRoot"]
      )
      assert.strictEqual(checkOf(verify(Receipts.withHashes(block), options)), "VERIFIED")
    }
  })

  it("is refuted for every change, removal and reordering of what its transactions' bytes hold", async () => {
    const { at, block } = await InventedTypes.make({ hardfork: Hardfork.Berlin })
    // an answer that does not decode is no answer
    const lied = (i: number, json: Made.Json): string => {
      const lie = { ...block, transactions: Made.list(block["transactions"]).with(i, json) }
      return Result.isFailure(Made.decodeBlockResult(lie)) ? "malformed" : checkOf(verify(lie))
    }
    let count = 0
    for (const i of at) {
      const { from: _from, ...own } = transactionAt(block, i)
      const beside = /^(?:blockHash|blockNumber|transactionIndex|blockTimestamp)$/u
      for (const { json, path } of [...changes(own), ...reorderings(own)]) {
        if (path === "type") continue
        count++
        assert.notInclude(["VERIFIED", "CLAIMED"], lied(i, json), path)
      }
      for (const { json, path } of removals(own)) {
        // a place that is left out is added, and a receiver that is left out means none
        if (beside.test(path) || (path === "to" && own["to"] === null)) continue
        // without them it is no transaction
        if (path === "hash" || path === "type") continue
        count++
        assert.notInclude(["VERIFIED", "CLAIMED"], lied(i, json), path)
      }
    }
    assert.isAbove(count, 80)
  })

  it("is refuted for a known transaction under the type, and the other way round", async () => {
    const { at, block } = await InventedTypes.make()
    const list = Made.list(block["transactions"])
    const typed = (i: number, type: string) =>
      verify({ ...block, transactions: list.with(i, { ...transactionAt(block, i), type }) })
    assert.match(checkOf(typed(0, "0x5")), /^transactions\[0\]\./u)
    assert.strictEqual(checkOf(typed(at[0]!, "0x6")), `transactions[${at[0]}].type`)
  })

  it("keeps further fields as claims", async () => {
    const { at, block } = await InventedTypes.make()
    const transactions = Made.list(block["transactions"]).with(at[0]!, {
      ...transactionAt(block, at[0]!),
      gasPrice: "0x1",
      accessList: Made.list(transactionAt(block, at[0]!)["accessList"]).map((item) => ({
        ...Made.object(item),
        note: "0x1"
      }))
    })
    const verdict = Result.getOrThrow(verify({ ...block, transactions }))
    const fields = verdict.claimed.map(({ field }) => field)
    assert.includeMembers(fields, [`transactions[${at[0]}].gasPrice`, "transactions[].accessList[].note"])
  })
})

describe("a transaction of a later type", () => {
  it("is proven by its hash with the data, and claimed without it", async () => {
    const { at, block } = await InventedTypes.make()
    for (const i of at) {
      const json = transactionAt(block, i)
      const asked = (options: Verify.TransactionOptions, shown: Made.JsonObject = json) =>
        Verify.transaction(Made.decodeTransaction(shown), hashOf(json), options)
      const verdict = Result.getOrThrow(asked({ forks }))
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.deepStrictEqual(
        verdict.claimed.map(({ field }) => field),
        ["blockHash", "blockNumber", "transactionIndex", "blockTimestamp", "from"]
      )
      const without = Result.getOrThrow(asked({}))
      assert.strictEqual(without._tag, "CLAIMED")
      assert(EthReason.UnknownTransactionType.is(without.claimed[0]!.reason))
      assert.strictEqual(checkOf(asked({ forks }, { ...json, value: "0x2" })), "transaction hash")
      assert.strictEqual(checkOf(asked({ forks }, { ...json, ticket: "0x2" })), "transaction.ticket")
    }
  })

  it("has a proven sender if its hash covers it", async () => {
    const { at, block } = await InventedTypes.make()
    const json = transactionAt(block, at[0]!)
    // the sender in place of the ticket, which is as long as a padded address here
    const fields = InventedTypes.TYPE.fields.map((field) =>
      field.name === "ticket" ? { ...field, name: "from" } : field
    )
    const named = decode({ forks: [{ name: "x", transactionTypes: [{ type: "0x5", fields }] }] })
    const verdict = Verify.transaction(Made.decodeTransaction(json), hashOf(json), { forks: named })
    assert.strictEqual(checkOf(verdict), "transaction.from")
  })
})

describe("receipts of transactions of a later type", () => {
  const proven = (block: Made.JsonObject, options: Verify.BlockOptions) => {
    const verdict = Result.getOrThrow(verify(block, options))
    return verdict._tag === "VERIFIED" ? verdict : Verify.provenHeader(verdict)!
  }
  const check = (
    { block, receipts }: InventedTypes.Invented,
    options: Verify.OfChain,
    said: ReadonlyArray<Made.Json> = receipts
  ) => Verify.receipts(Schema.decodeUnknownSync(Schema.Array(Receipt.Receipt))(said), proven(block, options), options)

  it("are proven with their last fields, and claimed without the data", async () => {
    const invented = await InventedTypes.make()
    const verdict = Result.getOrThrow(check(invented, { forks }))
    assert.strictEqual(verdict._tag, "VERIFIED")
    for (const i of invented.at) {
      const fields = verdict.claimed.flatMap(({ field }) => (field.startsWith(`receipts[${i}].`) ? [field] : []))
      assert.sameMembers(
        fields.map((field) => field.slice(field.indexOf(".") + 1)),
        ["from", "contractAddress", "effectiveGasPrice", "blobGasUsed"]
      )
    }
    const without = Result.getOrThrow(check(invented, {}))
    assert.strictEqual(without._tag, "CLAIMED")
    assert(EthReason.UnknownReceiptType.is(without.claimed[0]!.reason))
  })

  it("are proven without the data if they have the form of the known types", async () => {
    const invented = await InventedTypes.make({ last: {} })
    assert.strictEqual(checkOf(check(invented, {})), "VERIFIED")
    const { receiptFields: _, ...type } = InventedTypes.TYPE
    const open = decode({ forks: [{ name: "x", transactionTypes: [type] }] })
    assert.strictEqual(checkOf(check(invented, { forks: open })), "VERIFIED")
    // another form is not known then, and the node may be honest
    assert.strictEqual(checkOf(check(await InventedTypes.make(), { forks: open })), "CLAIMED")
    const none = decode({ forks: [{ name: "x", transactionTypes: [{ ...type, receiptFields: [] }] }] })
    assert.strictEqual(checkOf(check(await InventedTypes.make(), { forks: none })), "receiptsRoot")
  })

  it("are refuted for every change of what the trie holds, or what follows from the block", async () => {
    const invented = await InventedTypes.make({ hardfork: Hardfork.Berlin })
    const open = /^(?:from|contractAddress|effectiveGasPrice)$/u
    for (const i of invented.at) {
      for (const { json, path } of changes(invented.receipts[i]!)) {
        if (open.test(path)) continue
        assert.notInclude(
          ["VERIFIED", "CLAIMED"],
          checkOf(check(invented, { forks }, invented.receipts.with(i, Made.object(json)))),
          path
        )
      }
      for (const name of ["ticketGas", "tickets"]) {
        const { [name]: _, ...rest } = invented.receipts[i]!
        assert.strictEqual(
          checkOf(check(invented, { forks }, invented.receipts.with(i, rest))),
          `receipts[${i}].${name}`
        )
      }
    }
  })
})

describe("the time of a fork", () => {
  const time = 1_700_000_000

  it("makes its types known only from then on", async () => {
    const { block } = await InventedTypes.make()
    const at = (timestamp: number) => decode({ forks: [{ ...InventedTypes.FILE.forks[0], timestamp }] })
    assert.strictEqual(checkOf(verify(block, { forks: at(time) })), "VERIFIED")
    assert.strictEqual(checkOf(verify(block, { forks: at(time + 1) })), "CLAIMED")
  })

  it("claims a header with the fork's fields before, and one without them after", async () => {
    const later = await InventedFork.block(Hardfork.Amsterdam)
    const known = await Made.block(Hardfork.Amsterdam)
    const at = (timestamp: number) => decode({ forks: [{ ...InventedFork.FILE.forks[0], timestamp }] })
    const cases = [
      [later, time, "VERIFIED"],
      [later, time + 1, "CLAIMED"],
      [known, time + 1, "VERIFIED"],
      [known, time, "CLAIMED"]
    ] as const
    for (const [block, timestamp, expected] of cases) {
      const verdict = Result.getOrThrow(verify(block, { forks: at(timestamp) }))
      assert.strictEqual(verdict._tag, expected)
      if (verdict._tag === "CLAIMED") {
        const { reason } = verdict.claimed[0]!
        assert(EthReason.ForkMismatch.is(reason))
        const present = block === later
        assert.deepInclude(reason, { fork: "invented", timestamp, field: "inventedRoot", present })
        assert.isUndefined(Verify.provenHeader(verdict))
      }
    }
    // a node may show the fields of a fork that has not begun: no hash covers them
    const early = Result.getOrThrow(verify({ ...known, ...InventedFork.FIELDS }, { forks: at(time + 1) }))
    assert.strictEqual(early._tag, "VERIFIED")
    assert.includeMembers(
      early.claimed.map(({ field }) => field),
      Object.keys(InventedFork.FIELDS)
    )
    for (const block of [later, known]) {
      for (const timestamp of [time, time + 1]) {
        const lie = { ...block, gasUsed: "0x1" }
        assert.match(checkOf(verify(lie, { forks: at(timestamp) })), /^(?:header hash|CLAIMED)$/u)
      }
    }
    const lie = { ...later, inventedCount: "0x81" }
    assert.strictEqual(checkOf(verify(lie, { forks: at(time) })), "header hash")
  })
})

describe("the data of a type", () => {
  it("is refused for known types, fields about places, repeated fields, and more than its bounds", () => {
    const fields = [{ name: "a", kind: "hash" }]
    const types = (...transactionTypes: ReadonlyArray<unknown>) => ({ forks: [{ name: "x", transactionTypes }] })
    const deep = (levels: number): unknown => (levels === 0 ? "hash" : { list: deep(levels - 1) })
    decode(types({ type: "0x5", fields: [{ name: "a", kind: deep(3) }] }))
    for (const wrong of [
      types(),
      types({ type: "0x4", fields }),
      types({ type: "0x80", fields }),
      types({ type: "0x05", fields }),
      types({ type: "0x5", fields: [] }),
      types({ type: "0x5", fields: [...fields, ...fields] }),
      types({ type: "0x5", fields: [{ name: "blockHash", kind: "hash" }] }),
      types({ type: "0x5", fields: [{ name: "a", kind: "word" }] }),
      types({ type: "0x5", fields: [{ name: "a", kind: { list: [] } }] }),
      types({ type: "0x5", fields: [{ name: "a", kind: deep(4) }] }),
      types({ type: "0x5", fields }, { type: "0x5", fields }),
      types({
        type: "0x5",
        fields: Array.from({ length: LaterTransactions.MOST + 1 }, (_, i) => ({ name: `a${i}`, kind: "hash" }))
      }),
      { forks: [{ name: "x" }] },
      { forks: [{ name: "x", timestamp: -1, transactionTypes: [{ type: "0x5", fields }] }] },
      {
        forks: [
          { name: "x", timestamp: 2, transactionTypes: [{ type: "0x5", fields }] },
          { name: "y", timestamp: 1, transactionTypes: [{ type: "0x6", fields }] }
        ]
      }
    ]) {
      assert.throws(() => decode(wrong), undefined, undefined, JSON.stringify(wrong))
    }
  })
})

describe("the clients", () => {
  it.effect("prove the transactions, places, receipts and logs of a block with a later type", () =>
    Effect.gen(function* () {
      const { at, block, receipts } = yield* Effect.promise(() => InventedTypes.make())
      const hash = hashOf(block)
      const { layer } = node((method, [asked, full]) => {
        switch (method) {
          case "eth_getBlockByHash":
          case "eth_getBlockByNumber":
            return full === true ? block : Receipts.withHashes(block)
          case "eth_getTransactionByHash":
            return Made.list(block["transactions"]).find((one) => Made.object(one)["hash"] === asked) ?? null
          case "eth_getTransactionByBlockHashAndIndex":
            return Made.list(block["transactions"])[Number(full)] ?? null
          case "eth_getTransactionReceipt":
            return receipts.find((one) => one["transactionHash"] === asked) ?? null
          case "eth_getBlockReceipts":
            return [...receipts]
          default:
            return undefined
        }
      })
      const asking = <A, E>(
        options: VerdictEthClient.VerdictEthClientOptions,
        program: (eth: VerdictEthClient.Client) => Effect.Effect<A, E>
      ) =>
        Effect.provide(
          VerdictEthClient.VerdictEthClient.use(program),
          VerdictEthClient.layer(options).pipe(Layer.provide([layer, TrustedBlock.layerPinned(hash)]))
        )
      const own = hashOf(transactionAt(block, at[0]!))
      const other = hashOf(transactionAt(block, 0))
      const tags = (options: VerdictEthClient.VerdictEthClientOptions) =>
        asking(options, (eth) =>
          Effect.all({
            block: eth.getBlockByHash(hash, { full: true }),
            hashes: eth.getBlockByHash(hash),
            transaction: eth.getTransactionByHash(own),
            placed: eth.getTransactionByBlockHashAndIndex(hash, BigInt(at[0]!)),
            other: eth.getTransactionByHash(other),
            receipts: eth.getBlockReceipts(hash),
            receipt: eth.getTransactionReceipt(own)
          })
        )
      const withData = yield* tags({ forks })
      for (const [name, verdict] of Object.entries(withData)) assert.strictEqual(verdict._tag, "VERIFIED", name)
      assert.deepStrictEqual(
        withData.transaction.claimed.map(({ field }) => field),
        ["from"]
      )
      assert.notInclude(
        withData.receipt.claimed.map(({ field }) => field),
        "tickets"
      )
      const without = yield* tags({})
      const expected = {
        block: "CLAIMED",
        hashes: "VERIFIED",
        transaction: "CLAIMED",
        placed: "CLAIMED",
        other: "VERIFIED",
        receipts: "CLAIMED",
        receipt: "CLAIMED"
      }
      assert.deepStrictEqual(
        Object.fromEntries(Object.entries(without).map(([name, { _tag }]) => [name, _tag])),
        expected as never
      )
    })
  )
})
