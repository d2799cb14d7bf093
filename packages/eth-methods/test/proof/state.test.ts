import { assert, describe, it } from "@effect/vitest"
import { type Address, Hash32, type Hex } from "@plumbline/codec"
import { Anchor } from "@plumbline/verdict"
import * as Proven from "@plumbline/verdict/prove/Proven"
import { Result, Schema } from "effect"

import { AccountProof, type StorageKey, StorageWord, Verify } from "../../src/index.ts"
import * as State from "../support/state.ts"

const decode = Schema.decodeUnknownSync(AccountProof.AccountProof)
const word = Schema.decodeUnknownSync(StorageWord.StorageWord)

const made = State.make()

const account = async (address: Address.Address, keys: ReadonlyArray<StorageKey.StorageKey> = []) => {
  const { answer, block } = await made
  const json = await answer(address, keys)
  return Result.getOrThrow(Verify.account(decode(json), { address, storageKeys: keys }, block))
}

const checkOf = (verdict: Result.Result<unknown, { readonly check: string }>): string | undefined =>
  Result.isFailure(verdict) ? verdict.failure.check : undefined

describe("answers about the state, against a proven account", () => {
  it("proves balance and nonce, and refutes any other", async () => {
    const cases = [
      [State.CONTRACT, 10n ** 18n, 7n],
      [State.PLAIN, 9n, 0n],
      [State.NOWHERE, 0n, 0n]
    ] as const
    for (const [address, balance, nonce] of cases) {
      const proven = await account(address)
      assert.strictEqual(Result.getOrThrow(Verify.balance(balance, proven)).anchor, proven.anchor)
      assert.strictEqual(Result.getOrThrow(Verify.transactionCount(nonce, proven)).value, nonce)
      for (const more of [1n, 2n ** 64n]) {
        assert.strictEqual(checkOf(Verify.balance(balance + more, proven)), "balance")
        assert.strictEqual(checkOf(Verify.transactionCount(nonce + more, proven)), "nonce")
      }
    }
  })

  it("proves code, of contracts, of delegated accounts (EIP-7702) and of none, and refutes any other", async () => {
    const all = [State.CONTRACT, State.BARE, State.DELEGATED, State.PLAIN, State.NOWHERE]
    for (const address of all) {
      const proven = await account(address)
      for (const other of all) {
        const code = State.codeOf(other) as Hex.Hex
        const right = code === State.codeOf(address)
        assert.strictEqual(
          checkOf(Verify.code(code, proven)),
          right ? undefined : "code hash",
          `${other} as ${address}`
        )
      }
      assert.strictEqual(checkOf(Verify.code("0x00", proven)), "code hash")
    }
  })

  it("proves that there is no code where geth and Nethermind say a codeHash of zeros", async () => {
    const { answer, block } = await made
    const json = { ...(await answer(State.NOWHERE, [])), codeHash: Hash32.ZERO, storageHash: Hash32.ZERO }
    const question = { address: State.NOWHERE, storageKeys: [] }
    const absent = Result.getOrThrow(Verify.account(decode(json), question, block))
    assert.isUndefined(checkOf(Verify.code("0x", absent)))
    assert.strictEqual(checkOf(Verify.code("0x00", absent)), "code hash")
  })

  it("proves words of storage, and refutes any other", async () => {
    const proven = await account(State.CONTRACT, State.keys)
    for (const key of State.keys) {
      const right = word(`0x${State.wordOf(key).toString(16)}`)
      assert.strictEqual(Result.getOrThrow(Verify.storageAt(right, key, proven)).value, right)
      for (const other of ["0x2", `0x${"f".repeat(63)}e`]) {
        assert.strictEqual(checkOf(Verify.storageAt(word(other), key, proven)), "storage")
      }
    }
    const absent = await account(State.NOWHERE, State.keys)
    assert.isUndefined(checkOf(Verify.storageAt(Hash32.ZERO, State.keys[0]!, absent)))
    assert.strictEqual(checkOf(Verify.storageAt(word("0x1"), State.keys[0]!, absent)), "storage")
  })

  it("proves no word of a slot that was not in the proof", async () => {
    const proven = await account(State.CONTRACT, State.keys.slice(0, 1))
    assert.strictEqual(checkOf(Verify.storageAt(Hash32.ZERO, State.keys[2]!, proven)), "storageProof")
  })

  it("takes ganache's 0x for zero and its words without leading zeros", async () => {
    const proven = await account(State.CONTRACT, State.keys)
    assert.isUndefined(checkOf(Verify.storageAt(word("0x"), State.keys[2]!, proven)))
    assert.isUndefined(checkOf(Verify.storageAt(word("0x01"), State.keys[0]!, proven)))
    assert.isUndefined(checkOf(Verify.storageAt(word("0x80"), State.keys[3]!, proven)))
    assert.strictEqual(checkOf(Verify.storageAt(word("0x"), State.keys[0]!, proven)), "storage")
  })
})

describe("Verify.storageValues", () => {
  const question = { [State.CONTRACT]: State.keys, [State.NOWHERE]: State.keys.slice(0, 1) }
  const right = {
    [State.CONTRACT]: State.keys.map((key) => word(`0x${State.wordOf(key).toString(16)}`)),
    [State.NOWHERE]: [Hash32.ZERO]
  }
  const accounts = () => Promise.all([account(State.NOWHERE, State.keys), account(State.CONTRACT, State.keys)])

  it("proves words of several accounts, in whatever case their addresses are", async () => {
    const proven = await accounts()
    assert.isUndefined(checkOf(Verify.storageValues(right, question, proven)))
    const upper = Object.fromEntries(
      Object.entries(right).map(([address, words]) => [`0x${address.slice(2).toUpperCase()}`, words])
    )
    assert.isUndefined(checkOf(Verify.storageValues(upper, question, proven)))
  })

  it("refutes every other word, and words that are missing, too many or swapped", async () => {
    const proven = await accounts()
    for (const [address, words] of Object.entries(right)) {
      const cases: ReadonlyArray<readonly [string, ReadonlyArray<Hash32.Hash32>]> = [
        ...words.map((_, i) => [`values[${address}][${i}]`, words.with(i, word("0x1234"))] as const),
        [`values[${address}]`, words.slice(1)],
        [`values[${address}]`, [...words, Hash32.ZERO]],
        ...(words.length > 1 ? [[`values[${address}][0]`, words.toReversed()] as const] : [])
      ]
      for (const [check, changed] of cases) {
        assert.strictEqual(checkOf(Verify.storageValues({ ...right, [address]: changed }, question, proven)), check)
      }
      const { [address]: _, ...rest } = right
      assert.strictEqual(checkOf(Verify.storageValues(rest, question, proven)), "values")
      assert.strictEqual(checkOf(Verify.storageValues({ ...rest, [State.PLAIN]: words }, question, proven)), "values")
    }
    assert.strictEqual(checkOf(Verify.storageValues({ ...right, [State.PLAIN]: [] }, question, proven)), "values")
  })

  it("needs all accounts, with their slots, of one block", async () => {
    const [nowhere, contract] = await accounts()
    assert.strictEqual(checkOf(Verify.storageValues(right, question, [])), "accounts")
    assert.strictEqual(checkOf(Verify.storageValues(right, question, [contract])), "accounts")
    const elsewhere = Proven.amend(nowhere, { anchor: Anchor.block(Hash32.ZERO) })
    assert.strictEqual(checkOf(Verify.storageValues(right, question, [elsewhere, contract])), "accounts")
    const fewer = await account(State.CONTRACT, State.keys.slice(1))
    assert.strictEqual(checkOf(Verify.storageValues(right, question, [nowhere, fewer])), "storageProof")
  })
})
