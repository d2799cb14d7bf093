/** Answers in the form of other chains: claimed where a lie could have the same form, refuted where none can. */
import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { Hash32 } from "@plumbline/codec"
import { Result, Schema } from "effect"
import { concat, keccak256, numberToHex, stringToHex } from "viem"

import { EthReason, Log, OnlyProven, Transaction, Verify } from "../../src/index.ts"
import * as Made from "../support/made.ts"
import * as Receipts from "../support/receipts.ts"

/** Chains that are known to follow Ethereum's rules. */
const ETHEREUM = [1n, 17_000n, 560_048n, 11_155_111n]

const verify = (json: Made.JsonObject, options?: Verify.BlockOptions) =>
  Verify.block(Made.decodeBlock(json), Hash32.fromHexUnsafe(Made.string(json["hash"])), options)

const checkOf = <A>(verdict: Result.Result<A, { readonly check: string }>): string =>
  Result.isFailure(verdict) ? verdict.failure.check : "no failure"

describe("an empty list of withdrawals under another root", () => {
  it("is claimed on an unknown chain, because chains of the OP stack have such blocks since Isthmus", async () => {
    const block = { ...(await Made.block(Hardfork.Prague, [])), withdrawals: [] }
    for (const chainId of [undefined, 10n]) {
      const verdict = Result.getOrThrow(verify(block, { chainId }))
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.deepStrictEqual(
        verdict.claimed.map(({ field, reason }) => [field, reason._tag]),
        [
          ["withdrawals", "WithdrawalsRootOfOther"],
          // the size counts the withdrawals
          ["size", "SizeOfParts"]
        ]
      )
      assert.notInclude(verdict.proven.map(({ sentence }) => sentence).join("\n"), "withdrawals")
    }
  })

  it("passes as proven only on a chain that is known to belong to the OP stack", async () => {
    const block = { ...(await Made.block(Hardfork.Prague, [])), withdrawals: [] }
    const outcomeOf = (chainId: bigint | undefined) => OnlyProven.from(Result.getOrThrow(verify(block, { chainId })))
    for (const chainId of [10n, 8453n, 11_155_420n]) assert.strictEqual(outcomeOf(chainId)._tag, "Proven")
    for (const chainId of [undefined, 100n, 137n, 7771n, 31_337n]) {
      const outcome = outcomeOf(chainId)
      assert(outcome._tag === "Unproven", `chain ${chainId}`)
      assert.deepStrictEqual(
        outcome.claims.map(({ field }) => field),
        ["withdrawals"]
      )
    }
  })

  it("is refuted on a chain of Ethereum, by its id or by the block's transactions", async () => {
    const empty = { ...(await Made.block(Hardfork.Prague, [])), withdrawals: [] }
    for (const chainId of ETHEREUM) assert.strictEqual(checkOf(verify(empty, { chainId })), "withdrawalsRoot")
    const whole: Made.JsonObject = { ...(await Made.block(Hardfork.Prague)), withdrawals: [] }
    assert.strictEqual(checkOf(verify(whole)), "withdrawalsRoot")
    const hashes = Made.list(whole["transactions"]).map((one) => Made.object(one)["hash"]!)
    assert.strictEqual(checkOf(verify({ ...whole, transactions: hashes })), "no failure")
    assert.strictEqual(checkOf(verify({ ...whole, transactions: hashes }, { chainId: 1n })), "withdrawalsRoot")
  })

  it("is proven under the root of an empty list, and a list with an item is always compared", async () => {
    const block = await Made.block(Hardfork.Prague, [])
    const [first] = Made.list(block["withdrawals"])
    assert.strictEqual(checkOf(verify({ ...block, withdrawals: [first!] }, { chainId: 10n })), "withdrawalsRoot")
  })
})

describe("a block whose hash is not that of Ethereum's header", () => {
  const mixHash = "0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365"
  const extraData = `0x${"00".repeat(32)}f843b841${"22".repeat(65)}`
  const forms: ReadonlyArray<readonly [engine: string, fields: Made.JsonObject]> = [
    ["IBFT or QBFT", { mixHash, extraData }],
    ["AuRa", { mixHash: null, step: "331", signature: `0x${"11".repeat(65)}` }],
    ["Avalanche", { extDataHash: `0x${"11".repeat(32)}` }],
    ["XDPoS", { penalties: "0x" }],
    ["Kaia", { governanceData: "0x" }],
    ["Celo", { epochSnarkData: { bitmap: "0x0", signature: "0x" } }],
    ["a proof of authority", { extraData }]
  ]
  for (const [engine, fields] of forms) {
    it(`is claimed as a whole, never proven, if it has the form of ${engine}`, async () => {
      const block = { ...(await Made.block(Hardfork.London)), stateRoot: `0x${"33".repeat(32)}`, ...fields }
      for (const chainId of [undefined, 1337n]) {
        const verdict = Result.getOrThrow(verify(block, { chainId }))
        assert.strictEqual(verdict._tag, "CLAIMED")
        assert.deepStrictEqual(verdict.proven, [])
        assert.isUndefined(Verify.provenHeader(verdict))
        assert.lengthOf(verdict.claimed, 1)
        const { reason } = verdict.claimed[0]!
        assert(EthReason.AnotherHash.is(reason))
        assert.strictEqual(reason.engine, engine)
      }
      // a lie in this dress is a lie where the rule of the chain is known, unless the header cannot be hashed
      for (const chainId of ETHEREUM) {
        if (fields["mixHash"] === null) {
          const { _tag, claimed } = Result.getOrThrow(verify(block, { chainId }))
          assert.strictEqual(_tag, "CLAIMED")
          assert.isTrue(EthReason.SealNotSent.is(claimed[0]!.reason))
          continue
        }
        assert.match(checkOf(verify(block, { chainId })), /^header (?:hash|shape)$|^header\.mixHash$/u)
      }
    })
  }

  it("is refuted in Ethereum's form, and for another hash than the requested one in any form", async () => {
    const block = await Made.block(Hardfork.London)
    assert.strictEqual(checkOf(verify({ ...block, stateRoot: block["parentHash"]! })), "header hash")
    const dressed = Made.decodeBlock({ ...block, mixHash, extraData })
    assert.strictEqual(checkOf(Verify.block(dressed, Hash32.ZERO)), "block.hash")
  })

  it("is no matter for a block of Clique, whose hash follows Ethereum's rule", async () => {
    const block = await Made.block(Hardfork.London, undefined, undefined, { extraData: new Uint8Array(97).fill(7) })
    assert.strictEqual(Result.getOrThrow(verify(block))._tag, "VERIFIED")
  })
})

describe("a state-sync transaction of Polygon", () => {
  /** The hash by the rule of bor, computed by viem. */
  const hashIn = (block: Made.JsonObject): `0x${string}` =>
    keccak256(
      concat([
        stringToHex("matic-bor-receipt-"),
        numberToHex(BigInt(Made.string(block["number"])), { size: 8 }),
        Made.string(block["hash"]) as `0x${string}`
      ])
    )
  const nobody = `0x${"00".repeat(20)}`

  /** Makes a block of an unknown chain with a state-sync transaction at its end, and its receipt. */
  const make = async (transactions?: Parameters<typeof Made.block>[1]) => {
    const { block, receipts } = await Receipts.make(Hardfork.Homestead, {
      ...(transactions === undefined ? {} : { transactions }),
      logs: () => [1, 2].map((n) => [Receipts.address(n), [Receipts.topic(n)], new Uint8Array(n)])
    })
    // no transaction names a chain
    for (const one of Made.list(block["transactions"])) assert.match(Made.string(Made.object(one)["v"]), /^0x1[bc]$/u)
    const index = Made.list(block["transactions"]).length
    const place = {
      blockHash: block["hash"]!,
      blockNumber: block["number"]!,
      transactionIndex: Made.hex(index)
    }
    const hash = hashIn(block)
    const zeros = { from: nobody, to: nobody, gas: "0x0", gasPrice: "0x0", nonce: "0x0", value: "0x0", input: "0x" }
    const transaction = { ...place, ...zeros, hash, type: "0x0", v: "0x0", r: "0x0", s: "0x0" }
    const log = {
      ...place,
      transactionHash: hash,
      address: `0x${"10".repeat(20)}`,
      topics: [`0x${"5a".repeat(32)}`],
      data: "0x",
      logIndex: "0x0",
      removed: false
    }
    const receipt = {
      ...place,
      transactionHash: hash,
      from: nobody,
      to: nobody,
      contractAddress: null,
      cumulativeGasUsed: "0x0",
      gasUsed: "0x0",
      effectiveGasPrice: "0x0",
      logs: [log],
      logsBloom: `0x${"00".repeat(256)}`,
      status: "0x1",
      type: "0x0"
    }
    return {
      hash,
      index,
      log,
      receipt,
      transaction,
      block: { ...block, transactions: [...Made.list(block["transactions"]), transaction] } as Made.JsonObject,
      receipts
    }
  }

  const proven = (block: Made.JsonObject) => {
    const verdict = Result.getOrThrow(verify(block))
    assert(verdict._tag === "VERIFIED")
    return verdict
  }

  it("is claimed at the end of a block, and the others stay proven", async () => {
    for (const transactions of [undefined, []]) {
      const { block, index, transaction } = await make(transactions)
      assert.deepStrictEqual(
        proven(block).claimed.map(({ field, reason }) => [field, reason._tag]),
        [[`transactions[${index}]`, "StateSync"]]
      )
      assert.strictEqual(
        checkOf(verify(block, { chainId: 1n })).split(/[[ ]/u)[0],
        index === 0 ? "transactionsRoot" : "transactions"
      )
      // one that is not at the end, or twice, or has another hash, is none
      const own = Made.list(block["transactions"])
      const lies = [
        [transaction, ...own.slice(0, -1)],
        [...own, transaction],
        own.with(own.length - 1, { ...transaction, hash: `0x${"ab".repeat(32)}` })
      ]
      for (const lie of index === 0 ? lies.slice(1) : lies) {
        assert.match(checkOf(verify({ ...block, transactions: lie })), /^transactions(?:Root|\[\d+\] hash)$/u)
      }
    }
  })

  it("is not proven by its hash, and no other transaction passes as one", async () => {
    const { hash, transaction } = await make()
    const decode = Schema.decodeUnknownSync(Transaction.Transaction)
    const verdict = Result.getOrThrow(Verify.transaction(decode(transaction), Hash32.fromHexUnsafe(hash)))
    assert.deepStrictEqual([verdict._tag, verdict.claimed[0]!.reason._tag], ["CLAIMED", "StateSync"])
    const moved = decode({ ...transaction, blockNumber: "0x7" })
    assert.strictEqual(checkOf(Verify.transaction(moved, moved.hash)), "transaction hash")
  })

  it("has a receipt that is claimed beside the proven ones, or none", async () => {
    const { block, index, receipt, receipts } = await make()
    for (const [list, claimed] of [
      [receipts, []],
      [[...receipts, receipt], [`receipts[${index}]`]]
    ] as const) {
      const verdict = Result.getOrThrow(Verify.receipts(Receipts.decode(list), proven(block)))
      assert(verdict._tag === "VERIFIED")
      assert.strictEqual(verdict.value.length, list.length)
      assert.includeMembers(
        verdict.claimed.map(({ field }) => field),
        [...claimed]
      )
    }
    const decoded = Receipts.decode([...receipts, receipt])
    assert.match(checkOf(Verify.receipts(decoded, proven(block), { chainId: 1n })), /^receipts\[\d+\]\.logsBloom$/u)
    const all = Result.getOrThrow(Verify.receipts(decoded, proven(block)))
    assert(all._tag === "VERIFIED")
    const own = decoded.at(-1)!
    assert.strictEqual(checkOf(Verify.receipt(own, own.transactionHash, all)), "receipt.transactionHash")
    // the other receipts are compared as ever
    const lie = Receipts.decode([
      { ...Made.object(receipts[0]), cumulativeGasUsed: "0x1" },
      ...receipts.slice(1),
      receipt
    ])
    assert.strictEqual(checkOf(Verify.receipts(lie, proven(block))), "receiptsRoot")
  })

  it("has logs that make an answer claimed, with and without receipts, and hide no other lie", async () => {
    const { block, log, receipt, receipts } = await make()
    const header = proven(block)
    const list = Result.getOrThrow(Verify.receipts(Receipts.decode([...receipts, receipt]), header))
    assert(list._tag === "VERIFIED")
    const decode = Schema.decodeUnknownSync(Schema.Array(Log.Log))
    const filter = { topics: [`0x${"5a".repeat(32)}`] } as const
    for (const known of [list, null]) {
      for (const logs of [[], decode([log])]) {
        const verdict = Result.getOrThrow(Verify.logs(logs, filter, header, known))
        assert.deepStrictEqual([verdict._tag, verdict.claimed[0]!.reason._tag], ["CLAIMED", "StateSyncLogs"])
        assert.deepStrictEqual(verdict.value, logs)
      }
      const other = decode([{ ...log, transactionHash: `0x${"ab".repeat(32)}` }])
      assert.match(checkOf(Verify.logs(other, filter, header, known)), /^logs/u)
      assert.match(checkOf(Verify.logs(decode([log]), filter, header, known, { chainId: 1n })), /^logs/u)
      // a log that the filter does not select is a lie of any transaction
      assert.match(checkOf(Verify.logs(decode([{ ...log, topics: [] }]), filter, header, known)), /^logs/u)
    }
    const all = list.value.slice(0, -1).flatMap(({ logs }) => logs)
    // the receipts alone can show the transaction too
    const silent = proven({ ...block, transactions: Made.list(block["transactions"]).slice(0, -1) })
    const seen = Result.getOrThrow(Verify.receipts(Receipts.decode([...receipts, receipt]), silent))
    assert(seen._tag === "VERIFIED")
    for (const [known, tag] of [
      [seen, "CLAIMED"],
      [Result.getOrThrow(Verify.receipts(Receipts.decode(receipts), silent)), "VERIFIED"]
    ] as const) {
      assert(known._tag === "VERIFIED")
      assert.strictEqual(Result.getOrThrow(Verify.logs(all, {}, silent, known))._tag, tag)
    }
    const withOwn = Result.getOrThrow(Verify.logs([...all, ...decode([log])], {}, header, list))
    assert.strictEqual(withOwn._tag, "CLAIMED")
    assert.match(checkOf(Verify.logs([...all.slice(1), ...decode([log])], {}, header, list)), /^logs/u)
  })
})

describe("receipts with a status and no root that do not fit", () => {
  const withStatus = (receipts: ReadonlyArray<Made.Json>) =>
    receipts.map((receipt): Made.Json => {
      const { root: _, ...rest } = Made.object(receipt)
      return { ...rest, status: "0x1" }
    })

  it("are claimed where they may be from before Byzantium, after all other checks", async () => {
    const { block, receipts } = await Receipts.make(Hardfork.Homestead)
    const header = Receipts.proven(block)
    const sent = withStatus(receipts)
    for (const options of [{}, { chainId: 61n }, { chainId: undefined }]) {
      const verdict = Result.getOrThrow(Verify.receipts(Receipts.decode(sent), header, options))
      assert.deepStrictEqual([verdict._tag, verdict.claimed[0]!.reason._tag], ["CLAIMED", "RootsNotSent"])
    }
    // the block's number is one of long after Byzantium on mainnet
    const decoded = Receipts.decode(sent)
    for (const chainId of ETHEREUM) {
      assert.strictEqual(checkOf(Verify.receipts(decoded, header, { chainId })), "receiptsRoot")
    }
    const place = Receipts.decode(sent.with(0, { ...Made.object(sent[0]), transactionIndex: "0x5" }))
    assert.strictEqual(checkOf(Verify.receipts(place, header)), "receipts[0].transactionIndex")
    const gas = Receipts.decode(sent.with(0, { ...Made.object(sent[0]), gasUsed: "0x5" }))
    assert.strictEqual(checkOf(Verify.receipts(gas, header)), "receipts[0].gasUsed")
  })

  it("are claimed on mainnet before Byzantium, and refuted after London", async () => {
    const { block, receipts } = await Receipts.make(Hardfork.Homestead, { fields: { number: 4_369_999n } })
    const verdict = Verify.receipts(Receipts.decode(withStatus(receipts)), Receipts.proven(block), { chainId: 1n })
    assert.strictEqual(Result.getOrThrow(verdict)._tag, "CLAIMED")
    const london = await Receipts.make(Hardfork.London)
    const lie = Receipts.decode(withStatus(london.receipts))
    assert.strictEqual(checkOf(Verify.receipts(lie, Receipts.proven(london.block), { chainId: 61n })), "receiptsRoot")
  })
})
