import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { RLP } from "@ethereumjs/rlp"
import { bytesToHex, hexToBytes, type PrefixedHexString } from "@ethereumjs/util"
import { Hash32 } from "@plumbline/codec"
import * as Random from "@plumbline/seeded/Random"
import type { RefutedError } from "@plumbline/verdict"
import { Result, Schema } from "effect"

import { EthReason, Receipt, Verify } from "../../src/index.ts"
import { changes, nulls, removals, reorderings } from "../support/changes.ts"
import * as Made from "../support/made.ts"
import * as Receipts from "../support/receipts.ts"
import * as Tamper from "../support/tamper.ts"

const verify = (receipts: ReadonlyArray<Made.Json>, block: ReturnType<typeof Receipts.proven>) =>
  Verify.receipts(Receipts.decode(receipts), block)

/** Returns the refutation; throws if there is none. */
const refuted = (receipts: ReadonlyArray<Made.Json>, block: ReturnType<typeof Receipts.proven>): RefutedError => {
  const verdict = verify(receipts, block)
  return Result.isFailure(verdict) ? verdict.failure : assert.fail(verdict.success._tag)
}

const claimedBy = (receipts: ReadonlyArray<Made.Json>, block: ReturnType<typeof Receipts.proven>) => {
  const verdict = Result.getOrThrow(verify(receipts, block))
  assert.strictEqual(verdict._tag, "VERIFIED")
  return verdict.claimed.map(({ field }) => field)
}

const set = (receipts: ReadonlyArray<Made.Json>, at: number, fields: Made.JsonObject): Array<Made.Json> =>
  receipts.with(at, { ...Made.object(receipts[at]), ...fields })

const without = (receipts: ReadonlyArray<Made.Json>, name: string): Array<Made.Json> =>
  receipts.map((receipt) => {
    const { [name]: _, ...rest } = Made.object(receipt)
    return rest
  })

/** Returns the `claimed` path that covers a changed path: `receipts[].blobGasPrice` for `[3].blobGasPrice`. */
const asClaim = (path: string): string => `receipts${path.replaceAll(/\[\d+\]/g, "[]")}`

describe("Verify.receipts", () => {
  for (const [fork] of Made.forks) {
    it(`proves the receipts of a block of ${fork}, with every type of transaction it has`, async () => {
      const { block, receipts } = await Receipts.make(fork)
      const verdict = Result.getOrThrow(verify(receipts, Receipts.proven(block)))
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.strictEqual(verdict.anchor?.hash, block["hash"])
      const hasBlobs = receipts.some((receipt) => "blobGasPrice" in Made.object(receipt))
      assert.deepStrictEqual(
        verdict.claimed.map(({ field }) => field),
        hasBlobs ? ["receipts[].blobGasPrice"] : []
      )
    })

    it(`refutes every change of every field of the receipts of a block of ${fork}, and names it`, async () => {
      const { block, receipts } = await Receipts.make(fork)
      const proven = Receipts.proven(block)
      let tried = 0
      for (const change of changes(receipts)) {
        const decoded = Receipts.decodeResult(change.json)
        if (Result.isFailure(decoded)) continue
        tried++
        const verdict = Verify.receipts(decoded.success, proven)
        if (Result.isSuccess(verdict)) {
          assert.include(
            verdict.success.claimed.map(({ field }) => field),
            asClaim(change.path)
          )
        } else assert.include(expectedChecks(`receipts${change.path}`), verdict.failure.check, change.path)
      }
      assert.isAbove(tried, receipts.length * 20)
    })

    it(`refutes or claims what is left out of the receipts of a block of ${fork}, or fills it in`, async () => {
      const { block, receipts } = await Receipts.make(fork)
      const proven = Receipts.proven(block)
      const honest = Result.getOrThrow(verify(receipts, proven))
      let accepted = 0
      for (const change of [...removals(receipts), ...nulls(receipts)]) {
        const decoded = Receipts.decodeResult(change.json)
        if (Result.isFailure(decoded)) continue
        const verdict = Verify.receipts(decoded.success, proven)
        if (Result.isFailure(verdict)) continue
        accepted++
        assert(verdict.success._tag === "VERIFIED")
        assert.deepStrictEqual(Tamper.fooled(verdict.success, honest.value), [], change.path)
      }
      assert.isAbove(accepted, receipts.length)
    })

    it(`refutes receipts, logs and topics of ${fork} that are missing, doubled, swapped or replaced`, async () => {
      const { block, receipts } = await Receipts.make(fork)
      const proven = Receipts.proven(block)
      const all = reorderings(receipts)
      assert.isAbove(all.length, receipts.length)
      for (const change of all) {
        const verdict = Verify.receipts(Receipts.decode(change.json), proven)
        assert.isTrue(Result.isFailure(verdict), change.path)
      }
      assert.strictEqual(refuted(receipts.slice(1), proven).check, "receipts")
      assert.strictEqual(refuted([], proven).check, "receipts")
    })
  }

  it("adds the block's time to logs without it, and refutes another time beside it", async () => {
    const { block, receipts } = await Receipts.make(Hardfork.Prague)
    const proven = Receipts.proven(block)
    const timeless = receipts.map((receipt) => ({
      ...Made.object(receipt),
      logs: Made.list(Made.object(receipt)["logs"]).map((log) => {
        const { blockTimestamp: _, ...rest } = Made.object(log)
        return rest
      })
    }))
    const honest = Result.getOrThrow(verify(receipts, proven))
    assert.deepStrictEqual(Result.getOrThrow(verify(timeless, proven)).value, honest.value)
    let logs = 0
    for (const [at, receipt] of timeless.entries()) {
      for (const [index, log] of receipt.logs.entries()) {
        logs++
        for (const [field, lie] of [
          ["blockTimestamp", "0x1"],
          ["logIndex", "0xffff"],
          ["removed", true]
        ] as const) {
          const lying = { ...receipt, logs: receipt.logs.with(index, { ...log, [field]: lie }) }
          const { check } = refuted(timeless.with(at, lying), proven)
          assert.strictEqual(check, `receipts[${at}].logs[${index}].${field}`)
        }
      }
    }
    assert.isAbove(logs, 1)
  })

  it("refutes the receipts of another block, even when they say that they are of this one", async () => {
    const one = await Receipts.make(Hardfork.Prague)
    const other = await Receipts.make(Hardfork.Prague, { logs: () => [] })
    const disguised = other.receipts.map((receipt, i) => ({
      ...Made.object(receipt),
      blockHash: one.block["hash"]!,
      transactionHash: Made.object(one.receipts[i])["transactionHash"]!
    }))
    for (const receipts of [other.receipts, disguised]) {
      assert.strictEqual(refuted(receipts, Receipts.proven(one.block)).check, "receiptsRoot")
    }
  })

  it("proves that a block without transactions has no receipts", async () => {
    const { block } = await Receipts.make(Hardfork.Prague, { transactions: [] })
    assert.deepStrictEqual(claimedBy([], Receipts.proven(block)), [])
  })

  it("takes hardhat's genesis root, the hash of no bytes, for no receipts, and any other for some", async () => {
    const root = (hex: string): Uint8Array => hexToBytes(hex as PrefixedHexString)
    const hashOfNothing = root("0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470")
    const none = { transactions: [], fields: { transactionsTrie: hashOfNothing, receiptTrie: hashOfNothing } }
    const genesis = await Receipts.make(Hardfork.Prague, none)
    assert.deepStrictEqual(claimedBy([], Receipts.proven(genesis.block)), [])
    const some = await Receipts.make(Hardfork.Prague, { transactions: [], fields: { receiptTrie: Receipts.topic(1) } })
    assert.strictEqual(refuted([], Receipts.proven(some.block)).check, "receiptsRoot")
  })

  it("refutes a block whose own bloom or gas is not that of its receipts; since Amsterdam gas is counted otherwise", async () => {
    const bloom = await Receipts.make(Hardfork.Prague, { fields: { logsBloom: new Uint8Array(256).fill(1) } })
    assert.strictEqual(refuted(bloom.receipts, Receipts.proven(bloom.block)).check, "logsBloom")
    const gas = await Receipts.make(Hardfork.Prague, { fields: { gasUsed: 1n } })
    assert.strictEqual(refuted(gas.receipts, Receipts.proven(gas.block)).check, "gasUsed")
    const amsterdam = await Receipts.make(Hardfork.Amsterdam, { fields: { gasUsed: 1n } })
    assert.strictEqual(Result.getOrThrow(verify(amsterdam.receipts, Receipts.proven(amsterdam.block)))._tag, "VERIFIED")
  })

  it("refutes a bloom that does not fit its logs, although the root holds it", async () => {
    const transactions = Made.signed(Hardfork.London).slice(0, 1)
    const wrong = new Uint8Array(256).fill(255)
    const forged = await Receipts.make(Hardfork.London, {
      transactions,
      fields: {
        receiptTrie: await Receipts.rootOf([RLP.encode([Uint8Array.of(1), 21_000n, wrong, []])]),
        logsBloom: wrong
      }
    })
    const answer = set(forged.receipts, 0, { logsBloom: bytesToHex(wrong) })
    assert.strictEqual(refuted(answer, Receipts.proven(forged.block)).check, "receipts[0].logsBloom")
  })

  it("claims what receipts say of transactions that are known by their hashes only, and of senders not recovered", async () => {
    const { block, receipts } = await Receipts.make(Hardfork.Prague)
    const byHash = Receipts.proven(Receipts.withHashes(block))
    const fields = [
      "transactionHash",
      "from",
      "to",
      "contractAddress",
      "effectiveGasPrice",
      "blobGasUsed",
      "blobGasPrice"
    ]
    assert.sameMembers(
      claimedBy(receipts, byHash),
      [...fields, "logs[].transactionHash"].map((field) => `receipts[].${field}`)
    )
    assert.sameMembers(
      claimedBy(receipts, Receipts.proven(block, { senders: false })),
      ["from", "contractAddress", "blobGasPrice"].map((field) => `receipts[].${field}`)
    )
    // two claims that contradict each other are refuted
    const wrong = set(receipts, 0, { transactionHash: `0x${"11".repeat(32)}` })
    assert.deepInclude(refuted(wrong, byHash), {
      check: "receipts[0].transactionHash",
      expected: Made.string(Made.object(receipts[0])["transactionHash"]),
      got: `0x${"11".repeat(32)}`
    })
    // a change must be refuted, make the verdict CLAIMED, or be in a field that is listed as claimed
    for (const change of changes(receipts)) {
      const decoded = Receipts.decodeResult(change.json)
      if (Result.isFailure(decoded)) continue
      const verdict = Verify.receipts(decoded.success, byHash)
      if (Result.isFailure(verdict) || verdict.success._tag === "CLAIMED") continue
      assert.include(
        verdict.success.claimed.map(({ field }) => field),
        asClaim(change.path)
      )
    }
  })

  it("claims types that are not known here when the root does not fit, and never beside whole transactions", async () => {
    const { block, receipts } = await Receipts.make(Hardfork.Prague)
    const unknown = set(receipts, 4, { type: "0x64" })
    assert.strictEqual(refuted(unknown, Receipts.proven(block)).check, "receipts[4].type")
    const byHash = Receipts.proven(Receipts.withHashes(block))
    for (const index of [0, 4]) {
      const verdict = Result.getOrThrow(verify(set(receipts, index, { type: "0x64" }), byHash))
      assert(verdict._tag === "CLAIMED")
      assert.isNull(verdict.anchor)
      assert.deepStrictEqual(verdict.claimed[0]!.reason, EthReason.UnknownReceiptType({ index }))
    }
    assert.strictEqual(refuted(set(receipts, 4, { type: "0x80" }), byHash).check, "receipts[4].type")
    assert.strictEqual(refuted(set(receipts, 4, { type: "0x1" }), byHash).check, "receiptsRoot")
  })

  it("refutes receipts that say neither status nor root", async () => {
    const { block, receipts } = await Receipts.make(Hardfork.Prague)
    assert.strictEqual(refuted(without(receipts, "status"), Receipts.proven(block)).check, "receipts[0].status")
  })

  it("refutes a root that stands as a status: the same bytes under another name", async () => {
    const { block, receipts } = await Receipts.make(Hardfork.Chainstart, { roots: () => new Uint8Array(32).fill(0xab) })
    const renamed = set(without(receipts, "root"), 0, { status: Made.object(receipts[0])["root"]! })
    assert.strictEqual(refuted(renamed, Receipts.proven(block)).check, "receipts[0].status")
  })

  it("fits ethereumjs' roots for random logs of random transactions", async () => {
    const runs = Random.runs(20)
    for (let seed = 1; seed <= runs; seed++) {
      const random = Random.make(seed)
      const fork = Random.pick(random, Made.forks)[0]
      const kinds = Made.signed(fork)
      const transactions = Array.from({ length: Random.int(random, 40) }, () => Random.pick(random, kinds))
      const logs = transactions.map(() =>
        Array.from({ length: Random.int(random, 4) }, (): [Uint8Array, Array<Uint8Array>, Uint8Array] => [
          Receipts.address(Random.int(random, 50)),
          Array.from({ length: Random.int(random, 5) }, () => Receipts.topic(Random.int(random, 50))),
          new Uint8Array(Random.int(random, 300)).fill(seed)
        ])
      )
      const { block, receipts } = await Receipts.make(fork, { transactions, logs: (index) => logs[index]! })
      const verdict = verify(receipts, Receipts.proven(Receipts.withHashes(block)))
      assert.isTrue(Result.isSuccess(verdict), `seed ${seed}`)
    }
  })
})

describe("receipts in every client's spelling", () => {
  it("Nethermind says a status beside the root of before Byzantium, where geth and Besu say the root alone", async () => {
    const { block, receipts } = await Receipts.make(Hardfork.Chainstart)
    const both = set(receipts, 0, { status: "0x0" })
    assert.deepStrictEqual(claimedBy(both, Receipts.proven(block)), ["receipts[].status"])
  })

  it("others say a root of zeros, 0x or null beside the status of since Byzantium", async () => {
    const { block, receipts } = await Receipts.make(Hardfork.London)
    for (const root of ["0x", null]) {
      const both = receipts.map((receipt) => ({ ...Made.object(receipt), root }))
      assert.deepStrictEqual(claimedBy(both, Receipts.proven(block)), [])
    }
    const both = receipts.map((receipt) => ({ ...Made.object(receipt), root: Hash32.ZERO }))
    assert.deepStrictEqual(claimedBy(both, Receipts.proven(block)), ["receipts[].root"])
    const nothing = receipts.map((receipt) => ({ ...Made.object(receipt), root: "0x", status: null }))
    assert.strictEqual(refuted(nothing, Receipts.proven(block)).check, "receipts[0].status")
  })

  it("nodes of before Berlin and London say no type and no effectiveGasPrice", async () => {
    const { block, receipts } = await Receipts.make(Hardfork.Istanbul)
    const old = without(without(receipts, "type"), "effectiveGasPrice")
    assert.deepStrictEqual(claimedBy(old, Receipts.proven(block)), [])
    // but a missing type other than 0 is refuted, because the trie contains the type
    const { block: berlin, receipts: typed } = await Receipts.make(Hardfork.Berlin)
    const check = refuted(without(typed, "type"), Receipts.proven(berlin)).check
    assert.strictEqual(check, "receipts[3].type")
  })

  it("execution-apis lets nodes pad the type to a byte", async () => {
    const { block, receipts } = await Receipts.make(Hardfork.Prague)
    const padded = receipts.map((receipt) => ({
      ...Made.object(receipt),
      type: `0x0${Made.string(Made.object(receipt)["type"]).slice(2)}`
    }))
    assert.isTrue(Result.isSuccess(verify(padded, Receipts.proven(block))))
  })

  it("anvil says the block's time as a JSON number, which the block proves", async () => {
    const { block, receipts } = await Receipts.make(Hardfork.Prague)
    const timed = (time: number) => receipts.map((receipt) => ({ ...Made.object(receipt), blockTimestamp: time }))
    assert.deepStrictEqual(claimedBy(timed(1_700_000_000), Receipts.proven(block)), ["receipts[].blobGasPrice"])
    assert.strictEqual(refuted(timed(1), Receipts.proven(block)).check, "receipts[0].blockTimestamp")
  })

  it("geth gives a failed creation its address, others null; a successful one has an address", async () => {
    const transactions = Made.signed(Hardfork.London).filter((transaction) => transaction.to === undefined)
    const none = { contractAddress: null }
    const check = "receipts[0].contractAddress"
    const successful = await Receipts.make(Hardfork.London, { transactions })
    assert.strictEqual(refuted(set(successful.receipts, 0, none), Receipts.proven(successful.block)).check, check)
    const failed = await Receipts.make(Hardfork.London, { transactions, failed: () => true })
    // before Byzantium, receipts do not show if the creation succeeded
    const old = await Receipts.make(Hardfork.SpuriousDragon, { transactions: transactions.slice(0, 1) })
    const cases: ReadonlyArray<readonly [typeof failed, Array<string>]> = [
      [failed, []],
      [old, ["receipts[].contractAddress"]]
    ]
    for (const [{ block, receipts }, claimed] of cases) {
      const proven = Receipts.proven(block)
      assert.deepStrictEqual(claimedBy(receipts, proven), [])
      assert.deepStrictEqual(claimedBy(set(receipts, 0, none), proven), claimed)
      const other = set(receipts, 0, { contractAddress: `0x${"22".repeat(20)}` })
      assert.strictEqual(refuted(other, proven).check, check)
    }
  })

  it("Nethermind's error and Besu's revertReason are kept, and claimed", async () => {
    const { block, receipts } = await Receipts.make(Hardfork.Istanbul)
    const told = set(receipts, 1, { error: "revert", revertReason: "0x1234" })
    assert.sameMembers(claimedBy(told, Receipts.proven(block)), ["receipts[].error", "receipts[].revertReason"])
    const log = {
      ...Made.object(Made.list(Made.object(receipts[1])["logs"])[0]),
      transactionLogIndex: "0x0",
      type: "mined"
    }
    const parity = set(receipts, 1, { logs: [log] })
    assert.sameMembers(claimedBy(parity, Receipts.proven(block)), [
      "receipts[].logs[].transactionLogIndex",
      "receipts[].logs[].type"
    ])
  })
})

describe("Verify.receipt", () => {
  const decodeOne = Schema.decodeUnknownSync(Receipt.Receipt)

  it("proves each answer against the proven receipts, and refutes every change of it", async () => {
    const { block, receipts } = await Receipts.make(Hardfork.Prague)
    const all = Result.getOrThrow(verify(receipts, Receipts.proven(block)))
    assert(all._tag === "VERIFIED")
    for (const receipt of receipts) {
      const hash = Hash32.fromHexUnsafe(Made.string(Made.object(receipt)["transactionHash"]))
      const one = Result.getOrThrow(Verify.receipt(decodeOne(receipt), hash, all))
      const fields = "blobGasPrice" in Made.object(receipt) ? ["blobGasPrice"] : []
      assert.deepStrictEqual(
        one.claimed.map(({ field }) => field),
        fields
      )
      for (const change of [...changes(receipt), ...reorderings(receipt)]) {
        const decoded = Schema.decodeUnknownResult(Receipt.Receipt)(change.json)
        if (Result.isFailure(decoded)) continue
        const verdict = Verify.receipt(decoded.success, hash, all)
        // even claimed fields must agree with the other answer
        assert.isTrue(Result.isFailure(verdict), change.path)
      }
    }
  })

  it("refutes another transaction's receipt, and one of another block", async () => {
    const { block, receipts } = await Receipts.make(Hardfork.London)
    const all = Result.getOrThrow(verify(receipts, Receipts.proven(block)))
    assert(all._tag === "VERIFIED")
    const [first, second] = receipts.map((receipt) => decodeOne(receipt))
    const other = Verify.receipt(first!, second!.transactionHash, all)
    assert.strictEqual(Result.isFailure(other) && other.failure.check, "receipt.transactionHash")
    const foreign = { ...first!, transactionHash: Hash32.ZERO }
    const elsewhere = Verify.receipt(foreign, Hash32.ZERO, all)
    assert.strictEqual(Result.isFailure(elsewhere) && elsewhere.failure.check, "receipt.transactionHash")
  })

  it("refutes an answer that leaves out how it ended, or a type other than 0", async () => {
    for (const fork of [Hardfork.Homestead, Hardfork.Prague]) {
      const { block, receipts } = await Receipts.make(fork)
      const all = Result.getOrThrow(verify(receipts, Receipts.proven(block)))
      assert(all._tag === "VERIFIED")
      for (const receipt of receipts) {
        const one = decodeOne(receipt)
        const ended = fork === Hardfork.Homestead ? "root" : "status"
        assert.property(one, ended)
        for (const name of [ended, "type"] as const) {
          const { [name]: left, ...rest } = one
          const verdict = Verify.receipt(rest, one.transactionHash, all)
          const check = Result.isFailure(verdict) ? verdict.failure.check : undefined
          assert.strictEqual(check, name === "type" && (left ?? 0n) === 0n ? undefined : `receipt.${name}`)
        }
      }
    }
  })

  it("claims fields that the list does not have, and proves a type that it leaves out", async () => {
    const { block, receipts } = await Receipts.make(Hardfork.Istanbul)
    const all = Result.getOrThrow(verify(without(receipts, "type"), Receipts.proven(block)))
    assert(all._tag === "VERIFIED")
    const one = decodeOne({ ...Made.object(receipts[0]), l1Fee: "0x1" })
    const verdict = Result.getOrThrow(Verify.receipt(one, one.transactionHash, all))
    assert.deepStrictEqual(
      verdict.claimed.map(({ field }) => field),
      ["l1Fee"]
    )
    const typed = Verify.receipt({ ...one, type: 2n }, one.transactionHash, all)
    assert.strictEqual(Result.isFailure(typed) && typed.failure.check, "receipt.type")
  })
})

/** Returns the checks that may catch a change of this field. */
const expectedChecks = (path: string): ReadonlyArray<string> => {
  const log = /^(receipts\[\d+\])\.logs\[\d+\]\.(\w+)/.exec(path)
  if (log !== null) {
    const [, receipt, field] = log
    // the bloom filter covers addresses and topics, and is checked first; the root refutes only a change whose bits are
    // all set already
    if (field === "address" || field === "topics") return [`${receipt}.logsBloom`, "receiptsRoot"]
    return field === "data" ? ["receiptsRoot"] : [path]
  }
  const field = path.slice(path.lastIndexOf(".") + 1)
  if (["root", "cumulativeGasUsed"].includes(field)) return ["receiptsRoot"]
  if (field === "status") return ["receiptsRoot", path]
  // a receipt has the hash of its transaction, and the receipt's logs repeat that hash
  if (field === "transactionHash") return [path, path.replace(/transactionHash$/, "logs[0].transactionHash")]
  return [path]
}
