/** Tests the bounds of the ledger directly, because the pool's methods cannot reach such large bounds. */
import { assert, describe, it } from "@effect/vitest"
import { Felt, type Transaction } from "@plumbline/second-chain-methods"

import * as PoolLedger from "../../src/pool/poolLedger.ts"
import * as Pool from "../support/pool.ts"

const felt = (n: number): Felt.Felt => Felt.fromBigIntUnsafe(BigInt(n))
const { address: sender } = Pool.accounts[0]!

/** Returns the admitted transaction `n` with this many felts of calldata. */
const admitted = (n: number, felts: number) => ({
  transaction: {
    ...Pool.invokeV3(Pool.accounts[0]!, n),
    calldata: Array.from({ length: felts }, () => "0x1"),
    transaction_hash: felt(n)
  } as unknown as Transaction.KnownTransaction,
  sender,
  deployed: undefined
})

/** Returns the deployment of account `n`. */
const deployed = (n: number) => ({ ...admitted(n, 1), sender: felt(1000 + n), deployed: felt(n) })

const bounds: PoolLedger.LedgerBounds = { pending: 100, blocks: 100, deployed: 2, felts: 10 }

describe("the ledger", () => {
  it("takes in no more calldata than it may keep pending", () => {
    const ledger = PoolLedger.make(bounds, 0n)
    ledger.add(admitted(0, 7))
    assert.isUndefined(ledger.isFull(3, false))
    assert.strictEqual(ledger.isFull(4, false), "it is full: 7 felts of calldata are pending")
    ledger.seal(0n)
    assert.isUndefined(ledger.isFull(10, false))
  })

  it("forgets the oldest blocks that hold more calldata than it may keep, and never the newest", () => {
    const ledger = PoolLedger.make(bounds, 0n)
    for (const [n, felts] of [4, 4, 2, 3, 10].entries()) {
      ledger.add(admitted(n, felts))
      ledger.seal(0n)
      const kept = [0n, 1n, 2n, 3n, 4n, 5n].filter((number) => ledger.byNumber(number) !== undefined)
      assert.deepStrictEqual(kept, [[0n, 1n], [0n, 1n, 2n], [0n, 1n, 2n, 3n], [2n, 3n, 4n], [5n]][n])
      for (let before = 0; before <= n; before++) {
        assert.strictEqual(ledger.find(felt(before)) !== undefined, kept.includes(BigInt(before + 1)))
      }
    }
    assert.strictEqual(ledger.nonceAt(sender, ledger.head()), 5n)
  })

  it("lets so many accounts be deployed, and no more, and takes calls of those that are there", () => {
    const ledger = PoolLedger.make(bounds, 0n)
    ledger.add(deployed(0))
    assert.isUndefined(ledger.isFull(1, true))
    ledger.add(deployed(1))
    for (let block = 0; block < 2; block++) {
      assert.strictEqual(ledger.isFull(1, true), "it is full: 2 accounts were deployed")
      assert.isUndefined(ledger.isFull(1, false))
      ledger.seal(0n)
    }
  })
})
