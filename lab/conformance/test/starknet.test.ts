/**
 * Runs all fixtures of the fourth set: answers of nodes of the second chain, from real networks and from its
 * specifications.
 */
import { assert, it } from "@effect/vitest"
import { Block, Broadcast, Receipt, Starknet, SyncStatus, Transaction } from "@plumbline/second-chain-methods"
import { Schema } from "effect"

import { samples, specifications, transactions } from "./starknet/specifications.ts"
import { real } from "./starknet/transactions.ts"
import { conformance, files, json } from "./support/fixtures.ts"
import * as Tally from "./support/tally.ts"

/** Reads a value and writes it again. The result must be the same text, unless another text is expected. */
const readAndWrite = <S extends Schema.Codec<any, any>>(
  schema: S,
  wire: unknown,
  where: string,
  expected = JSON.stringify(wire)
): S["Type"] => {
  const value = Schema.decodeUnknownSync(schema)(wire)
  assert.strictEqual(JSON.stringify(Schema.encodeUnknownSync(schema)(value)), expected, where)
  return value
}

/** The number of real transactions of each kind and version, counted without this code. */
const REAL: Readonly<Record<string, number>> = {
  "INVOKE v0": 32,
  "INVOKE v1": 333,
  "INVOKE v3": 42,
  "DECLARE v1": 23,
  "DECLARE v2": 11,
  "DECLARE v3": 1,
  "DEPLOY v0": 7,
  "DEPLOY_ACCOUNT v1": 22,
  "DEPLOY_ACCOUNT v3": 2,
  "L1_HANDLER v0": 9,
  "INVOKE v1, as handed in": 1,
  "INVOKE v3, as handed in": 1
}

/** The versions that describe each kind. No version before 0.4 distinguishes DECLARE v0 from v1. */
const ALL = "0.2.1 0.3.0 0.4.0 0.5.1 0.6.0 0.7.1 0.8.1 0.9.0 0.10.2"
const FROM_4 = "0.4.0 0.5.1 0.6.0 0.7.1 0.8.1 0.9.0 0.10.2"
const FROM_6 = "0.6.0 0.7.1 0.8.1 0.9.0 0.10.2"
const DESCRIBED: Readonly<Record<string, string>> = {
  "INVOKE v0": ALL,
  "INVOKE v1": ALL,
  "INVOKE v3": FROM_6,
  "DECLARE v0": FROM_4,
  "DECLARE v1": ALL,
  "DECLARE v2": `0.3.0 ${FROM_4}`,
  "DECLARE v3": FROM_6,
  "DEPLOY v0": ALL,
  "DEPLOY_ACCOUNT v1": ALL,
  "DEPLOY_ACCOUNT v3": FROM_6,
  "L1_HANDLER v0": ALL,
  UNKNOWN: "0.4.0"
}

const TYPES = ["INVOKE", "DECLARE", "DEPLOY", "DEPLOY_ACCOUNT", "L1_HANDLER"]

conformance("the second chain", () => {
  const tally = Tally.make("4-starknet: read, and written as the same JSON")

  it("real transactions of every kind and version are read and written", () => {
    const counters = new Map<string, Tally.Counter>()
    for (const { file, transaction } of real()) {
      const name =
        transaction["transaction_hash"] === undefined
          ? `INVOKE v${readAndWrite(Broadcast.Invoke, transaction, file).version.at(-1)}, as handed in`
          : Transaction.caseOf(readAndWrite(Transaction.Transaction, transaction, file)).kind
      const counter = counters.get(name) ?? tally.count(name)
      counters.set(name, counter)
      counter.verified()
    }
    assert.deepStrictEqual([...counters.keys()].toSorted(), Object.keys(REAL).toSorted())
    for (const [name, verified] of Object.entries(REAL)) counters.get(name)!.expect({ verified })
  })

  it("blocks and receipts of real networks and of a node's tests are read and written", () => {
    const counter = {
      "block with transactions": tally.count("blocks with transactions"),
      "block with hashes": tally.count("blocks with hashes"),
      receipt: tally.count("receipts"),
      transaction: tally.count("transactions of a node's test database, 0.6 to 0.10")
    }
    for (const file of [...files("4-starknet/starknet.go/*.json"), ...files("4-starknet/pathfinder-rpc/*.json")]) {
      const answer = json(file)
      const result = answer.result ?? answer.params?.result ?? answer
      if (Array.isArray(result.transactions)) {
        const [first] = result.transactions
        if (first?.receipt !== undefined) continue
        const isWhole = typeof first === "object"
        readAndWrite(isWhole ? Block.AnyWithTransactions : Block.AnyWithHashes, result, file)
        counter[isWhole ? "block with transactions" : "block with hashes"].verified()
      } else if (result.actual_fee !== undefined) {
        readAndWrite(Receipt.Receipt, result, file)
        counter.receipt.verified()
      } else if (file.includes("pathfinder-rpc") && result.version !== undefined) {
        assert.notStrictEqual(
          Transaction.caseOf(readAndWrite(Transaction.Transaction, result, file)).kind,
          "UNKNOWN",
          file
        )
        counter.transaction.verified()
      }
    }
    counter["block with transactions"].expect({ verified: 14 })
    counter["block with hashes"].expect({ verified: 14 })
    counter.receipt.expect({ verified: 21 })
    counter.transaction.expect({ verified: 21 })
  })

  it("what each version of the specification describes is read and written, with and without what it leaves free", () => {
    const versions: Record<string, Set<string>> = {}
    for (const specification of specifications()) {
      const { schemas, version } = specification
      const counter = tally.count(`samples made from the specification ${version}`)
      // Before 0.3 the specification requires no field, but nodes sent all fields.
      const extents = version === "0.2.1" ? (["all"] as const) : (["all", "required"] as const)
      const check = (schema: Schema.Codec<any, any>, ...names: ReadonlyArray<string>): void => {
        const described = names.filter((name) => schemas[name] !== undefined)
        assert.isNotEmpty(described, `${version} has none of ${names.join(" ")}`)
        for (const name of described) {
          for (const extent of extents) {
            for (const sample of samples(specification, schemas[name], extent)) {
              // Up to 0.3, the specification writes block numbers as hex. They are written here in the form of later
              // versions.
              const text = JSON.stringify(sample)
              const isSyncing = name === "SYNC_STATUS"
              readAndWrite(schema, sample, `${version} ${name}`, isSyncing ? text.replaceAll('"0xabc"', "2748") : text)
              counter.verified()
            }
          }
        }
      }
      check(SyncStatus.SyncStatus, "SYNC_STATUS")
      check(Block.AnyWithHashes, "BLOCK_WITH_TX_HASHES")
      check(Block.AnyWithHashes, "PENDING_BLOCK_WITH_TX_HASHES", "PRE_CONFIRMED_BLOCK_WITH_TX_HASHES")
      check(Receipt.Receipt, "TXN_RECEIPT", "PENDING_TXN_RECEIPT", "TXN_RECEIPT_WITH_BLOCK_INFO")

      for (const type of TYPES) {
        for (const made of extents.flatMap((extent) => transactions(specification, type, `${type}_TXN`, extent))) {
          const wire = { ...made.fields, transaction_hash: "0x1" }
          const { kind } = Transaction.caseOf(readAndWrite(Transaction.Transaction, wire, `${version} ${type}`))
          // In 0.4, a class may replace its hash. Such a transaction has a known kind, but not enough data to be
          // hashed.
          assert.strictEqual(kind, made.fields["contract_class"] === undefined ? made.kind : "UNKNOWN")
          ;(versions[kind] ??= new Set()).add(version)
          counter.verified()
        }
      }
    }
    const read = Object.fromEntries(Object.entries(versions).map(([kind, of]) => [kind, [...of].join(" ")]))
    assert.deepStrictEqual(read, DESCRIBED)
  })

  it("what senders hand in is read and written as the specifications describe it", () => {
    const counts: Record<string, number> = {}
    const counter = tally.count("samples to hand in, of every version that describes them")
    for (const specification of specifications()) {
      for (const [type, schema] of [
        ["INVOKE", Broadcast.Invoke],
        ["DEPLOY_ACCOUNT", Broadcast.DeployAccount]
      ] as const) {
        for (const { fields, kind } of transactions(specification, type, `BROADCASTED_${type}_TXN`, "all")) {
          readAndWrite(schema, fields, `${specification.version} ${kind}`)
          counts[kind] = (counts[kind] ?? 0) + 1
          counter.verified()
        }
      }
    }
    assert.deepStrictEqual(counts, {
      "INVOKE v0": 7,
      "INVOKE v1": 7,
      "INVOKE v3": 10,
      "DEPLOY_ACCOUNT v1": 7,
      "DEPLOY_ACCOUNT v3": 10
    })
  })

  it("methods have the parameters that the specifications give them, in their order", () => {
    const versions: Record<string, Array<string>> = {}
    for (const { methods, version } of specifications()) {
      for (const ours of Object.values(Starknet.group.methods)) {
        const theirs = methods.get(ours.name)
        if (theirs === undefined) continue
        const described: ReadonlyArray<{ readonly name: string; readonly required?: boolean }> = theirs["params"]
        for (const [at, { name, required = true }] of described.entries()) {
          const param = ours.params[at]
          // Some flags of later versions change the form of the answer. Our methods lack these flags.
          if (param === undefined) assert.isFalse(required, `${version} ${ours.name} ${name}`)
          else assert.deepStrictEqual([param.name, !param.optional], [name, required], `${version} ${ours.name}`)
        }
        ;(versions[ours.name] ??= []).push(version)
      }
    }
    assert.deepStrictEqual(versions["starknet_pendingTransactions"], ["0.2.1", "0.3.0", "0.4.0"])
    assert.deepStrictEqual(versions["starknet_specVersion"]?.[0], "0.5.1")
    for (const { name } of Object.values(Starknet.group.methods)) {
      if (name !== "starknet_pendingTransactions") assert.strictEqual(versions[name]?.at(-1), "0.10.2", name)
    }
  })
})
