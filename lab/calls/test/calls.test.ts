import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import { Effect } from "effect"
import { type Hex, numberToHex, pad } from "viem"

import { artifacts, subjects } from "../src/callWorld.ts"
import { anvilChoices, difference, gethChoices, type Side } from "../src/compare.ts"
import * as Run from "../src/differentialRun.ts"
import { allKinds, type Call, drawMany } from "../src/draw/randomCalls.ts"
import * as Ours from "../src/engineContender.ts"
import * as Nodes from "../src/oracleNodes.ts"
import { ask, type Outcome } from "../src/outcome.ts"
import { mutants } from "../src/outcomeMutants.ts"
import { one } from "../src/rpc.ts"

const hash = (digit: string): Hex => `0x${digit.repeat(64)}`
const word = (value: bigint): Hex => pad(numberToHex(value), { size: 32 })

const header = { number: "0x9", hash: hash("9"), timestamp: "0x1", miner: "0x0", mixHash: "0x0" } as const
const head = { ...header, gasLimit: "0x1c9c380", baseFeePerGas: "0x7" } as const
const side = (name: string, choices: Side["choices"], digit = "a"): Side => ({
  name,
  node: { head, hashes: new Map([[8, hash(digit)]]) },
  choices
})
const anvilSide = side("anvil", anvilChoices)
const gethSide = side("geth", gethChoices, "b")

const call: Call = { kind: "reverts and halts", transaction: {} }
const differs = (asked: Call, one: Outcome, other: Outcome): boolean =>
  difference(asked, [anvilSide, one], [gethSide, other]) !== undefined
const returned = (data: Hex, gasUsed = 21_000n): Outcome => ({ _tag: "returned", data, gasUsed })

describe("a comparison", () => {
  it("notices each place in which an end can differ", () => {
    const ends: ReadonlyArray<Outcome> = [
      returned("0x"),
      returned(word(7n)),
      { _tag: "reverted", data: "0x08c379a0", gasUsed: 30_000n },
      { _tag: "halted", by: "invalid opcode", gasUsed: 100_000n },
      { _tag: "refused", by: "intrinsic gas" }
    ]
    for (const end of ends) {
      assert.isFalse(differs(call, end, end))
      for (const mutant of mutants(Random.make(1), end)) assert.isTrue(differs(call, end, mutant))
    }
  })

  it("takes the hash of one block on two chains for the same, and no other hash", () => {
    assert.isFalse(differs(call, returned(hash("a")), returned(hash("b"))))
    assert.isTrue(differs(call, returned(hash("a")), returned(hash("c"))))
  })

  it("lets a choice pass only as the side states it", () => {
    const fees = (fee: bigint): Outcome => returned(`${word(fee)}${word(1n).slice(2)}`)
    const free: Call = { ...call, choice: "feeWithoutPrice" }
    assert.isFalse(differs(free, fees(7n), fees(0n)))
    assert.isTrue(differs(free, fees(0n), fees(7n)))
    assert.isTrue(differs(free, fees(7n), fees(1n)))
    assert.isTrue(differs(call, fees(7n), fees(0n)))

    const gas: Call = { ...call, choice: "gas" }
    assert.isFalse(differs(gas, returned(word(29_000_000n)), returned(word(49_000_000n))))
    assert.isTrue(differs(gas, returned(word(29_000_000n)), returned(word(48_999_999n))))
    const named: Call = { ...gas, transaction: { gas: numberToHex(60_000_000) } }
    assert.isFalse(differs(named, returned(word(59_000_000n)), returned(word(49_000_000n))))
    assert.isTrue(differs(named, returned(word(59_000_000n)), returned(word(59_000_000n))))

    const refused = (by: "intrinsic gas" | "insufficient funds" | "fee below base fee"): Outcome => ({
      _tag: "refused",
      by
    })
    const low: Call = { ...call, choice: "lowPrice" }
    assert.isFalse(differs(low, returned("0x"), refused("fee below base fee")))
    assert.isTrue(differs(low, refused("fee below base fee"), returned("0x")))

    const last: Call = { ...call, choice: "lastNonce" }
    assert.isFalse(differs(last, returned("0x"), { _tag: "halted", by: "nonce", gasUsed: 21_000n }))
    assert.isTrue(differs(last, returned("0x"), { _tag: "halted", by: "nonce", gasUsed: 21_001n }))

    for (const both of [call, { ...call, choice: "checksFirst" } as const]) {
      assert.isFalse(differs(both, refused("intrinsic gas"), refused("insufficient funds")))
      assert.isTrue(differs(both, refused("insufficient funds"), refused("intrinsic gas")))
    }
  })
})

describe("random calls", () => {
  it("are the same for the same seed, and of every kind", () => {
    const place = { number: 297, timestamp: 1_800_000_000 }
    const calls = drawMany(3, 600, place)
    assert.deepStrictEqual(drawMany(3, 600, place), calls)
    assert.notDeepEqual(drawMany(4, 600, place), calls)
    assert.deepStrictEqual(new Set(calls.map(({ kind }) => kind)), new Set(allKinds))
  })

  it("notice one changed byte of code, one slot and one wei of the world", () =>
    Effect.gen(function* () {
      const node = yield* Nodes.anvil()
      const calls = drawMany(5, 300, Run.placeOf(node))
      const transactions = calls.map(({ transaction }) => transaction)
      const asked = Effect.promise(() => ask(node.send, node.head.number, transactions))
      const told = (...request: Parameters<typeof one> extends [any, ...infer Rest] ? Rest : never) =>
        Effect.promise(() => one(node.send, ...request))
      const before = yield* asked
      const side: Side = { name: "anvil", node, choices: anvilChoices }
      const differences = (after: ReadonlyArray<Outcome>): number =>
        calls.filter((call, index) => difference(call, [side, before[index]!], [side, after[index]!]) !== undefined)
          .length
      assert.strictEqual(differences(yield* asked), 0)

      const code = artifacts["Slots"]!.runtimeCode
      // the first free place of memory is 0xa0 in place of 0x80
      assert.isTrue(code.startsWith("0x6080604052"))
      yield* told("anvil_setCode", subjects.Slots, `0x60a0${code.slice(6)}`)
      assert.isAbove(differences(yield* asked), 0)
      yield* told("anvil_setCode", subjects.Slots, code)

      yield* told("anvil_setStorageAt", subjects.Slots, word(1n), word(9n))
      assert.isAbove(differences(yield* asked), 0)
      yield* told("anvil_setStorageAt", subjects.Slots, word(1n), word(8n))

      yield* told("anvil_setBalance", subjects.Surroundings, numberToHex(5n * 10n ** 18n + 1n))
      assert.isAbove(differences(yield* asked), 0)
    }).pipe(Effect.scoped, Effect.runPromise))

  it("end on our engine as on anvil: value, revert data, halt and gas", () =>
    Effect.gen(function* () {
      const node = yield* Nodes.anvil()
      const calls = drawMany(1, 300, Run.placeOf(node))
      const contenders = [Run.asked(node, anvilChoices), yield* Ours.over(node)]
      const { pairs } = yield* Effect.promise(() => Run.run(contenders, [["anvil", "ours on anvil"]], calls))
      const [{ changed, declined, differences, noticed }] = pairs as [Run.Pair]
      assert.deepStrictEqual(
        differences.map((difference) => Run.shownDifference(difference, 1)),
        []
      )
      assert.isBelow(declined, 10)
      assert.isAbove(changed, 600)
      assert.strictEqual(noticed, changed)
    }).pipe(Effect.scoped, Effect.runPromise))
})
