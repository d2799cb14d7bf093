/**
 * Tests accounts that are proven in one batch: which answers pass, and that an answer is never proven with the bytes of
 * another answer.
 */
import { assert, describe, it } from "@effect/vitest"
import { Address, Hash32, HexBatch } from "@plumbline/codec"
import { Result, Schema } from "effect"

import { AccountProof, Verify } from "../src/index.ts"
import { holds } from "../src/proof/accountProofBatch.ts"
import { changes } from "./support/changes.ts"
import * as State from "./support/state.ts"

const { keys } = State
const here = Address.fromHexUnsafe(State.CONTRACT)
const decode = Schema.decodeUnknownSync(AccountProof.AccountProof)
const decodeResult = Schema.decodeUnknownResult(AccountProof.AccountProof)

const state = async () => {
  const { answer, block, root } = await State.make()
  return {
    answer: await answer(State.CONTRACT, keys),
    plain: await answer(State.PLAIN, []),
    block,
    root: Hash32.fromBytesUnsafe(root)
  }
}

describe("holds", () => {
  it("is true for an account with slots that are there and slots that are not, and for one without", async () => {
    const { answer, plain, root } = await state()
    assert.isTrue(holds(decode(answer), keys, root))
    assert.isTrue(holds(decode(plain), [], root))
    // the state root and the texts of the answer may be in upper case
    const upper = (text: string) => Hash32.fromHexUnsafe(`0x${text.slice(2).toUpperCase()}`)
    const said = decode(answer)
    const capital = { ...said, codeHash: upper(said.codeHash), storageHash: upper(said.storageHash) }
    assert.isTrue(holds(capital, keys, upper(root)))
  })

  it("is false after every change of the answer, of the keys and of the root", async () => {
    const { answer, root } = await state()
    let tried = 0
    for (const change of changes(answer)) {
      const decoded = decodeResult(change.json)
      // the keys of an answer are compared before the batch is used
      if (Result.isFailure(decoded) || change.path.endsWith(".key")) continue
      assert.isFalse(holds(decoded.success, keys, root), change.path)
      tried++
    }
    assert.isAbove(tried, 40)
    const said = decode(answer)
    assert.isFalse(holds(said, keys.toReversed(), root))
    assert.isFalse(holds(said, keys, said.codeHash))
  })

  it("compares numbers of every size with the bytes of the leaf", async () => {
    const { answer, root } = await state()
    const said = decode(answer)
    for (const change of [1n, -1n, 1n << 31n, 1n << 32n, 1n << 63n, 1n << 64n, 1n << 192n, 1n << 256n, 1n << 320n]) {
      assert.isFalse(holds({ ...said, nonce: said.nonce + change }, keys, root), `nonce ${change}`)
      assert.isFalse(holds({ ...said, balance: said.balance + change }, keys, root), `balance ${change}`)
      for (let i = 0; i < keys.length; i++) {
        const storageProof = said.storageProof.map((slot, at) =>
          at === i ? { ...slot, value: slot.value + change } : slot
        )
        assert.isFalse(holds({ ...said, storageProof }, keys, root), `slot ${i} ${change}`)
      }
    }
  })

  it("proves an answer whose texts were pushed out of the batch, by others or by text that has no room", async () => {
    const { answer, plain, root } = await state()
    const [first, second] = [decode(answer), decode(plain)]
    assert.isTrue(holds(first, keys, root))
    assert.isTrue(holds(second, [], root))
    assert.isTrue(holds(first, keys, root))
    const batch = HexBatch.get()!
    while (batch.add(`0x${"01".repeat(60_000)}`) >= 0 && batch.add(root) >= 0) batch.add("0x01")
    for (let i = 0; i < 4000; i++) batch.add("0x02")
    assert.isTrue(holds(first, keys, root))
    // the batch does not accept a node of this size, so the proof is checked step by step
    const huge = `0x${"00".repeat(70_000)}` as const
    assert.isFalse(holds({ ...first, accountProof: [...first.accountProof, huge] }, keys, root))
  })

  it("reads a decoded answer that was changed afterwards as it is now", async () => {
    const { answer, block, root } = await state()
    const said = decode(answer)
    const nodes = said.accountProof as Array<`0x${string}`>
    const right = nodes[0]!
    nodes[0] = `${right.slice(0, -1)}${right.endsWith("0") ? "1" : "0"}` as `0x${string}`
    assert.isFalse(holds(said, keys, root))
    const verdict = Verify.account(said, { address: here, storageKeys: keys }, block)
    assert.strictEqual(Result.isFailure(verdict) && verdict.failure.check, "accountProof node 0")
    nodes[0] = right
    assert.isTrue(holds(said, keys, root))
  })
})

describe("Schema AccountProof", () => {
  it("refuses nodes that are not hex, whether or not the batch has room for them", async () => {
    const { answer } = await state()
    const large = `0x${"ab".repeat(70_000)}`
    assert.deepStrictEqual(decode({ ...answer, accountProof: [large, "0x"] }).accountProof, [large, "0x"] as never)
    for (const bad of ["0x0", "", "ab", "0xzz", `${large}0`, `${large}zz`, 7, null, ["0x"]]) {
      assert.isTrue(Result.isFailure(decodeResult({ ...answer, accountProof: ["0x", bad] })), String(bad))
    }
  })
})
