/** Each bound ends a call with its name. */
import { assert, describe, it } from "@effect/vitest"
import { Hex, Keccak256 } from "@plumbline/codec"
import { type CallEngine, EthReason } from "@plumbline/eth-methods"
import { type CallBounds, Hardforks, VerifiedCalls } from "@plumbline/verified-calls"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import { RunStopped } from "../src/evm/pace.ts"
import { runOnce } from "../src/evm/runOnce.ts"
import { call, CONTRACT, environmentOf, type Setting, using } from "./support/calling.ts"
import * as MadeNode from "./support/madeNode.ts"

const chain = Hardforks.always(MadeNode.CHAIN_ID, "prague")

/** The bound that a call reached, and its limit. */
const reached = (bounds: Partial<CallBounds.CallBounds>, setting: Setting) =>
  Effect.map(Effect.flip(call({ ...setting, options: { chain, bounds } })), (error) => {
    const reason = error._tag === "UnprovenError" ? error.claims[0]?.reason : undefined
    return reason !== undefined && EthReason.CallNotRun.is(reason) && reason.cause.reason._tag === "OutOfBounds"
      ? [reason.cause.reason.bound, reason.cause.reason.limit]
      : error.message
  })

const chainOf = (length: number): Record<number, bigint> =>
  Object.fromEntries(Array.from({ length }, (_, i) => [i + 1, BigInt(i + 2)]))

/** Follows slot 1 to the slot that it names, and so on. */
const FOLLOW = "0x60015b548060025700" as const

const LOOP = "0x5b5f56" as const

describe("a bound", () => {
  it.effect("of round trips", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* reached({ roundTrips: 5 }, { code: FOLLOW, storage: chainOf(10) }), ["round trips", 5])
    })
  )

  it.effect("of slots", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* reached({ slots: 4 }, { code: FOLLOW, storage: chainOf(10) }), ["slots", 4])
    })
  )

  it.effect("of accounts", () =>
    Effect.gen(function* () {
      const code = `0x${["01", "02", "03"].map((n) => `61ee${n}3150`).join("")}00` as const
      assert.deepEqual(yield* reached({ accounts: 3 }, { code }), ["accounts", 3])
    })
  )

  it.effect("of block hashes", () =>
    Effect.gen(function* () {
      const code = "0x6103e340506103e240506103e1405000"
      assert.deepEqual(yield* reached({ blockHashes: 2 }, { code, older: 7 }), ["block hashes", 2])
    })
  )

  it.effect("of bytes of proofs", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* reached({ proofBytes: 100 }, { code: "0x00" }), ["bytes of proofs", 100])
    })
  )

  it.effect("of bytes of code, before it is hashed", () =>
    Effect.gen(function* () {
      const lie: Setting["lie"] = (method, answer) => (method === "eth_getCode" ? `0x${"00".repeat(33)}` : answer)
      assert.deepEqual(yield* reached({ codeBytes: 32 }, { code: "0x00", lie }), ["bytes of code", 32])
    })
  )

  it.effect("of bytes of input", () =>
    Effect.gen(function* () {
      const request = { data: "0x0102" } as const
      assert.deepEqual(yield* reached({ inputBytes: 1 }, { code: "0x00", request }), ["bytes of input", 1])
    })
  )

  it.effect("of bytes of return data", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* reached({ returnBytes: 31 }, { code: "0x60205ff3" }), ["bytes of return data", 31])
    })
  )

  it.live("of time, also for code without an end", () =>
    Effect.gen(function* () {
      const bounds = { time: "150 millis", gas: 10n ** 12n } as const
      assert.deepEqual(yield* reached(bounds, { code: LOOP }), ["time", 150])
    })
  )
})

it.effect("a hint that never comes is waited for only in a part of the time", () =>
  Effect.gen(function* () {
    const silent: Partial<CallEngine.CallNode> = { createAccessList: () => Effect.never }
    const runner = VerifiedCalls.make({ chain }).over(silent as CallEngine.CallNode, undefined)
    const asked = runner.hint({ to: CONTRACT }, { blockHash: Keccak256.EMPTY })
    const hint = yield* Effect.forkChild(asked ?? Effect.die("no hint was asked for"))
    yield* TestClock.adjust("2 seconds")
    assert.isUndefined(yield* Fiber.join(hint))
  })
)

it.live("the answers of a large packet are checked in turns", () =>
  Effect.gen(function* () {
    const codes = Array.from({ length: 120 }, (_, i) => `0x${MadeNode.word(i).slice(2)}${"5b".repeat(24_000)}` as const)
    const others = codes.map((code, i) => [`0x${MadeNode.word(0xc0de00 + i).slice(26)}` as const, { code }] as const)
    const made = yield* Effect.promise(() =>
      MadeNode.make({ ...Object.fromEntries(others), [CONTRACT]: { code: "0x00" } })
    )
    const accessList = others.map(([address]) => ({ address, storageKeys: [] }))
    const known = new Map<string, unknown>([["eth_createAccessList", { accessList, gasUsed: "0x0" }]])
    let turns = 0
    const answers: MadeNode.Answers = async (method, params) => {
      const key = known.has(method) ? method : `${method} ${JSON.stringify(params)}`
      if (!known.has(key)) known.set(key, await made.answers(method, params))
      turns = 0
      return known.get(key)
    }
    const ask = using(answers, (eth) => eth.call({ to: CONTRACT }, made.hash), { chain })
    yield* ask
    const other = setInterval(() => turns++, 0)
    yield* Effect.ensuring(
      ask,
      Effect.sync(() => clearInterval(other))
    )
    // 3 MB of code take more than ten slices
    assert.isAbove(turns, 3)
  })
)

/** A call of the contract with more gas than a run of a test uses. */
const environment = environmentOf({ chainId: MadeNode.CHAIN_ID, number: 1000n, gasLimit: 10n ** 12n })

describe("a run", () => {
  it.live("lets others run, and ends when its reader leaves", () =>
    Effect.gen(function* () {
      const made = yield* Effect.promise(() => MadeNode.make({ [CONTRACT]: { code: LOOP } }))
      const options = { chain, bounds: { gas: 10n ** 12n, time: "1 hour" } } as const
      const running = yield* Effect.forkChild(
        using(made.answers, (eth) => eth.call({ to: CONTRACT }, made.hash), options)
      )
      // without turns, the loop would never let this timer fire
      for (let turn = 0; turn < 5; turn++) yield* Effect.sleep("20 millis")
      yield* Fiber.interrupt(running)
      const other = yield* using(made.answers, (eth) => eth.call({ to: CONTRACT, gas: 30_000n }, made.hash), options)
      assert.include(other.value.value, { _tag: "Halted", halt: "out of gas" })
    })
  )

  it.live("gives way in code without jumps too", () =>
    Effect.gen(function* () {
      // a run asks at its turns whether it was cancelled: EXP, BALANCE, BLOCKHASH, MLOAD, SLOAD and TLOAD
      for (const part of ["5f195f190a50", "303150", "6103e74050", "5f5150", "5f5450", "5f5c50"]) {
        // longer than any contract, so that it takes more than one slice
        const code = Hex.toBytesUnsafe(`0x${part.repeat(Math.floor(2 ** 20 / (part.length / 2)))}`)
        const hash = Keccak256.hashHex(code)
        const account = {
          exists: true,
          nonce: 0n,
          balance: 0n,
          codeHash: hash,
          storageRoot: hash,
          slots: new Map([[MadeNode.word(0), 5n]])
        }
        const view = { account: () => account, code: () => code, blockHash: () => hash }
        const ended = yield* Effect.promise(() =>
          runOnce(environment, view, AbortSignal.abort()).catch((error: unknown) => error)
        )
        assert.deepEqual(ended, new RunStopped("cancelled"), part)
      }
    })
  )

  it.live("writes the caller's changes in turns", () =>
    Effect.gen(function* () {
      const changes = Array.from({ length: 400 }, (_, i) => ({
        address: `0x${MadeNode.word(0xc0de00 + i).slice(26)}`,
        balance: 0n,
        nonce: 0n,
        code: new Uint8Array(65_536).fill(i),
        isWhole: true,
        slots: new Map()
      }))
      const account = { exists: false, nonce: 0n, balance: 0n, codeHash: Keccak256.EMPTY, storageRoot: Keccak256.EMPTY }
      const view = {
        account: () => ({ ...account, slots: new Map() }),
        code: () => undefined,
        blockHash: () => undefined
      }
      // without turns, the run would end before it asks whether it was cancelled
      const ended = yield* Effect.promise(() =>
        runOnce({ ...environment, changes }, view, AbortSignal.abort()).catch((error: unknown) => error)
      )
      assert.deepEqual(ended, new RunStopped("cancelled"))
    })
  )

  it.effect("that lacks a read and then loops is a probe, and ends early", () =>
    Effect.gen(function* () {
      // loops for ever if slot 1 is zero, as it looks while it is not proven
      const { value } = yield* call({
        code: "0x6001545b80156003570000",
        storage: { 1: 5n },
        options: { chain, bounds: { gas: 10n ** 12n } }
      })
      assert.strictEqual(value.value._tag, "Returned")
    })
  )
})
