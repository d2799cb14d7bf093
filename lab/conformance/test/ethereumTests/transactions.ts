/** TransactionTests: encodings of transactions, most of them broken on purpose, with the verdict of each fork. */
import { assert, it } from "@effect/vitest"
import { Hex } from "@plumbline/codec"
import { BlockRlp, SenderRecovery, Transaction, Verify } from "@plumbline/eth-methods"
import { FastRecovery } from "@plumbline/secp256k1"
import { Effect, Result } from "effect"

import { files, json } from "../support/fixtures.ts"
import type { Tally } from "../support/tally.ts"

interface Test {
  readonly result: Readonly<
    Record<string, { readonly exception?: string; readonly hash?: string; readonly sender?: string }>
  >
  readonly txbytes: string
}

/**
 * No fork accepts these transactions, but a proof cannot refute them. Maps the exception that the test names to the
 * reason.
 */
const outside: Readonly<Record<string, string>> = {
  GASLIMIT_OVERFLOW: "gas above 2^64 is well encoded: a limit of consensus",
  GASLIMIT_PRICE_PRODUCT_OVERFLOW: "gas times price above 2^256: no account has it",
  INTRINSIC_GAS_TOO_LOW: "the gas that it needs is a rule of the fork",
  INVALID_CHAINID: "signed for another chain (EIP-155): the sender is proven, and so is which chain it is",
  NONCE_OVERFLOW: "a nonce above 2^64 is well encoded: a limit of consensus (EIP-2681)",
  NONCE_TOO_BIG: "a nonce of 2^64 - 1 is well encoded: a limit of consensus (EIP-2681)",
  PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS_2: "a tip above the fee is well encoded: a rule of consensus (EIP-1559)",
  UNKNOWN: "a type that is not known is CLAIMED, not proven"
}

const SPLIT = /(?:TransactionException\.)/gu

const exceptionsOf = ({ result }: Test): ReadonlyArray<string> => [
  ...new Set(Object.values(result).flatMap(({ exception }) => exception?.replaceAll(SPLIT, "").split("|") ?? []))
]

export const transactions = (tally: Tally): void => {
  it("every engine finds the senders of these transactions, and none where there is none", async () => {
    const engines = [SenderRecovery.noble, await Effect.runPromise(FastRecovery.make)]
    let found = 0
    let unsigned = 0
    for (const file of files("2-ethereum-tests/TransactionTests/**/*.json")) {
      for (const test of Object.values<Test>(json(file))) {
        const bytes = Hex.toBytesUnsafe(test.txbytes)
        const usual = BlockRlp.decodeTransaction(bytes)
        const sender = Object.values(test.result).find(({ hash }) => hash !== undefined)?.sender
        for (const recovery of engines) {
          const read = BlockRlp.decodeTransaction(bytes, { recovery })
          assert.deepStrictEqual(read, usual, recovery.name)
          if (Result.isFailure(read)) {
            if (read.failure.path === "transaction.signature") unsigned++
          } else if (sender !== undefined) {
            assert.strictEqual<unknown>(read.success["from"], sender)
            const verdict = Result.getOrThrow(Verify.transaction(read.success, read.success.hash, { recovery }))
            assert.strictEqual(verdict._tag, "VERIFIED")
            found++
          }
        }
      }
    }
    assert.deepStrictEqual({ found, unsigned }, { found: 34 * engines.length, unsigned: 12 * engines.length })
  })

  it("every transaction that a fork takes verifies with its hash and sender; no broken encoding or signature does", () => {
    const valid = tally.count("transactions that a fork takes")
    const invalid = tally.count("transactions that no fork takes")
    const tests = files("2-ethereum-tests/TransactionTests/**/*.json").flatMap((file) =>
      Object.values<Test>(json(file))
    )
    for (const test of tests) {
      const read = BlockRlp.decodeTransaction(Hex.toBytesUnsafe(test.txbytes))
      const taken = Object.values(test.result).find(({ hash }) => hash !== undefined)
      if (Result.isFailure(read)) {
        assert.isUndefined(taken)
        invalid.refuted(`bytes: ${read.failure.path}`)
        continue
      }
      const transaction = read.success
      const verdict = Result.getOrThrow(Verify.transaction(transaction, transaction.hash))
      assert.strictEqual(verdict._tag, Transaction.isKnown(transaction) ? "VERIFIED" : "CLAIMED")
      if (taken === undefined) {
        const why = exceptionsOf(test).find((exception) => outside[exception] !== undefined)
        invalid.outside(outside[why ?? (verdict._tag === "CLAIMED" ? "UNKNOWN" : "")] ?? test.txbytes)
        continue
      }
      assert.strictEqual<unknown>(transaction.hash, taken.hash)
      assert.strictEqual<unknown>(transaction["from"], taken.sender)
      valid.verified()
    }
    valid.expect({ verified: 34 })
    invalid.expect({
      refuted: {
        "bytes: transaction": 28,
        "bytes: transaction.accessList[i].address": 1,
        "bytes: transaction.accessList[i].storageKeys[i]": 1,
        "bytes: transaction.gas": 5,
        "bytes: transaction.gasPrice": 3,
        "bytes: transaction.input": 1,
        "bytes: transaction.maxPriorityFeePerGas": 2,
        "bytes: transaction.nonce": 4,
        "bytes: transaction.r": 2,
        "bytes: transaction.s": 2,
        "bytes: transaction.signature": 12,
        "bytes: transaction.to": 5,
        "bytes: transaction.v": 4,
        "bytes: transaction.value": 3
      },
      outside: {
        [outside["GASLIMIT_OVERFLOW"]!]: 1,
        [outside["GASLIMIT_PRICE_PRODUCT_OVERFLOW"]!]: 3,
        [outside["INTRINSIC_GAS_TOO_LOW"]!]: 2,
        [outside["INVALID_CHAINID"]!]: 20,
        [outside["NONCE_OVERFLOW"]!]: 1,
        [outside["NONCE_TOO_BIG"]!]: 1,
        [outside["PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS_2"]!]: 1,
        [outside["UNKNOWN"]!]: 1
      }
    })
  })
}
