/** The loop that runs code, beside that of @ethereumjs/evm, and runs that take turns. */
import { assert, describe, it } from "@effect/vitest"
import { Common, Mainnet } from "@ethereumjs/common"
import { createEVM } from "@ethereumjs/evm"
import { MerkleStateManager } from "@ethereumjs/statemanager"
import { Account, createAddressFromString } from "@ethereumjs/util"
import { Hex, Keccak256 } from "@plumbline/codec"
import type { CallOutcome as Outcomes } from "@plumbline/eth-methods"
import * as Random from "@plumbline/seeded/Random"
import { Effect } from "effect"

import { RunStopped } from "../src/evm/pace.ts"
import { runOnce } from "../src/evm/runOnce.ts"
import * as EvmWord from "../src/rules/evmWord.ts"
import type { Hardfork } from "../src/rules/Hardforks.ts"
import type { StateView } from "../src/state/stateView.ts"
import { CONTRACT, environmentOf, FROM } from "./support/calling.ts"
import { word } from "./support/madeNode.ts"

const GAS = 200_000n

/** The words of the contract by slot. */
type Slots = Readonly<Record<number, bigint>>

const viewOf = (code: Uint8Array, slots: Slots, asked: () => void = () => {}): StateView => {
  const account = {
    exists: true,
    nonce: 1n,
    balance: 0n,
    codeHash: Keccak256.hashHex(code),
    // any root but the empty one: the words below are what is proven
    storageRoot: Keccak256.EMPTY,
    slots: new Map(Object.entries(slots).map(([slot, value]) => [word(BigInt(slot)), value]))
  }
  return {
    account: () => {
      asked()
      return account
    },
    code: () => code,
    blockHash: () => undefined
  }
}

const SLOTS: Slots = { 0: 0n, 1: 1n, 2: 2n ** 255n + 17n, 3: 0xabcdef0123456789n }

const push = (value: bigint | number, size?: number): ReadonlyArray<number> => {
  const text = value.toString(16)
  const bytes = size ?? Math.max(1, Math.ceil(text.length / 2))
  return [0x5f + bytes, ...Hex.toBytesUnsafe(`0x${text.padStart(2 * bytes, "0")}`)]
}

/** A piece of code. Most pieces leave one more word on the stack; jumps go anywhere. */
const piece = (random: Random.Random): ReadonlyArray<number> => {
  const offset = () => push(Random.pick(random, [0, 1, 31, 32, 33, 64, 100, 8160, 8192, 9000]))
  const value = () => {
    const size = 1 + Random.int(random, 32)
    const bytes = Random.bytes(random, size)
    if (Random.chance(random, 0.3)) bytes.fill(Random.pick(random, [0, 255]), 0, Random.int(random, size))
    return [0x5f + size, ...bytes]
  }
  const pieces: ReadonlyArray<() => ReadonlyArray<number>> = [
    value,
    () => [...value(), ...value(), Random.pick(random, [0x01, 0x02, 0x03])],
    () => [Random.pick(random, [0x01, 0x02, 0x03, 0x16, 0x18, 0x0a])],
    () => [...value(), ...offset(), 0x52],
    () => [...value(), ...offset(), 0x53],
    () => [...offset(), 0x51],
    () => [...Random.pick(random, [offset(), value()]), 0x35],
    () => [...push(Random.int(random, 4)), 0x54],
    () => [...push(64), ...offset(), 0x20],
    () => [0x59],
    () => [0x5a],
    () => [0x5b],
    () => [0x50],
    () => [0x80 + Random.int(random, 4)],
    () => [0x90 + Random.int(random, 4)],
    () => [...push(Random.int(random, 120), 1), 0x56],
    () => [...push(Random.int(random, 2)), ...push(Random.int(random, 120), 1), 0x57],
    () => [...push(96), ...offset(), 0xf3],
    () => [Random.int(random, 0x20), 0xfe]
  ]
  return Random.pick(random, pieces)()
}

const programOf = (random: Random.Random): Uint8Array => {
  const code = Array.from({ length: 4 + Random.int(random, 30) }, () => piece(random)).flat()
  // the end may cut a PUSH
  const whole = [...code, ...push(0), 0x52, ...push(96), ...push(0), 0xf3]
  return Uint8Array.from(Random.chance(random, 0.2) ? whole.slice(0, Random.int(random, whole.length)) : whole)
}

/** Runs the same call by @ethereumjs/evm alone, with its own loop and its own state. */
const theirs = async (hardfork: Hardfork, code: Uint8Array, data: Uint8Array): Promise<string> => {
  const common = new Common({ chain: Mainnet, hardfork })
  const stateManager = new MerkleStateManager({ common })
  const at = createAddressFromString(CONTRACT)
  await stateManager.putAccount(at, new Account(1n))
  await stateManager.putCode(at, code)
  for (const [slot, value] of Object.entries(SLOTS)) {
    const bytes = Hex.toBytesUnsafe(word(value))
    if (value > 0n) await stateManager.putStorage(at, Hex.toBytesUnsafe(word(BigInt(slot))), bytes)
  }
  const evm = await createEVM({ common, stateManager })
  const nonZero = data.filter((byte) => byte !== 0).length
  const intrinsic = BigInt(21_000 + 16 * nonZero + 4 * (data.length - nonZero))
  const caller = createAddressFromString(FROM)
  const { execResult } = await evm.runCall({ caller, to: at, data, gasLimit: GAS - intrinsic })
  const { exceptionError, executionGasUsed, returnValue } = execResult
  const end = exceptionError === undefined ? Hex.fromBytes(returnValue) : exceptionError.error.replace(/ at 0x.*$/u, "")
  return `${end} ${intrinsic + executionGasUsed}`
}

const ours = async (hardfork: Hardfork, code: Uint8Array, data: Uint8Array): Promise<string> => {
  const run = await runOnce(
    environmentOf({ hardfork, data, gasLimit: GAS }),
    viewOf(code, SLOTS),
    new AbortController().signal
  )
  if (run._tag !== "Whole") return run._tag
  const { outcome } = run.ended
  return `${outcome._tag === "Halted" ? outcome.halt : outcome.data} ${outcome.gasUsed}`
}

describe("code", () => {
  for (const hardfork of ["istanbul", "berlin", "cancun"] as const) {
    it.effect(`ends as in the machine's own loop, by the rules of ${hardfork}`, () =>
      Effect.gen(function* () {
        const random = Random.make(7)
        const ends = new Set<string>()
        const count = Random.runs(150)
        for (let i = 0; i < count; i++) {
          const [code, data] = [programOf(random), Random.bytes(random, 40)]
          const expected = yield* Effect.promise(() => theirs(hardfork, code, data))
          assert.strictEqual(yield* Effect.promise(() => ours(hardfork, code, data)), expected, Hex.fromBytes(code))
          ends.add(expected.startsWith("0x") ? "data" : expected.replace(/ \d+$/u, ""))
        }
        // the programs are worth little if most of them end alike
        if (count >= 100) {
          for (const end of ["data", "invalid JUMP", "stack underflow", "invalid opcode"])
            assert.include([...ends], end)
        }
      })
    )
  }
})

it("SELFDESTRUCT gives 24,000 gas back once, before London", async () => {
  // sets slots 0 to 4, then CALLER SELFDESTRUCT
  const writes = [0, 1, 2, 3, 4].flatMap((slot) => [...push(1), ...push(slot), 0x55])
  const code = Uint8Array.from([...writes, 0x33, 0xff])
  const view = viewOf(code, { 0: 0n, 1: 0n, 2: 0n, 3: 0n, 4: 0n })
  const gasUsed = async (hardfork: Hardfork) => {
    const run = await runOnce(environmentOf({ hardfork, gasLimit: GAS }), view, new AbortController().signal)
    return run._tag === "Whole" ? run.ended.outcome.gasUsed : run._tag
  }
  // Yellow Paper, appendix G: 20,000 for a new word, 5000 for the end, 3 and 2 for what they take
  const spent = 21_000n + 5n * 20_006n + 5002n
  assert.strictEqual(await gasUsed("istanbul"), spent - 24_000n)
  // EIP-2929: 2100 for a cold slot; EIP-3529: nothing is given back
  assert.strictEqual(await gasUsed("london"), spent + 5n * 2100n)
})

describe("a word", () => {
  it("is the number of its bytes, and back", () => {
    const random = Random.make(3)
    for (let i = 0; i < Random.runs(300); i++) {
      const bytes = Random.bytes(random, 32)
      bytes.fill(Random.pick(random, [0, 255]), 0, Random.int(random, 33))
      const value = BigInt(Hex.fromBytes(bytes))
      assert.strictEqual(EvmWord.read(bytes, 0, 32), value)
      const written = new Uint8Array(40).fill(9)
      EvmWord.write(written, 5, value)
      assert.deepEqual([...written], [9, 9, 9, 9, 9, ...bytes, 9, 9, 9])
    }
  })

  it("is followed by zeros where its bytes end", () => {
    for (let size = 0; size <= 33; size++) {
      const bytes = Uint8Array.from({ length: size }, (_, i) => i + 1)
      const padded = [...bytes, ...new Uint8Array(33)].slice(1, 33)
      assert.strictEqual(EvmWord.read(bytes, 1, 33), BigInt(Hex.fromBytes(Uint8Array.from(padded))))
    }
  })
})

/**
 * Keeps the word of slot 1 in transient storage and in slot 3, loops for several turns, and returns both words, the
 * transient word from before, the price of a second read of slot 1, and slot 2.
 */
const keeping = (): Uint8Array => {
  const begin = [...Hex.toBytesUnsafe("0x5f5c6040526001545f5d600154600355")]
  const loop = [...push(300_000), 0x5b, ...push(1), 0x90, 0x03, 0x80, ...push(begin.length + 4, 1), 0x57, 0x50]
  const end = Hex.toBytesUnsafe("0x5a600154505a90036060525f5c5f5260035460205260025460805260a05ff3")
  return Uint8Array.from([...begin, ...loop, ...end])
}

/** GAS, PUSH1, a warm SLOAD and POP. */
const WARM = 2n + 3n + 100n + 2n

describe("runs that take turns", () => {
  it.live("see their own state, transient storage and warm slots, and a cancelled run leaves nothing", () =>
    Effect.gen(function* () {
      const code = keeping()
      const order: Array<string> = []
      const controllers = Array.from({ length: 5 }, () => new AbortController())
      const run = (i: number) => {
        const view = viewOf(code, { 1: BigInt(100 + i), 2: BigInt(200 + i), 3: 0n })
        const signal = controllers[i]!.signal
        order.push(`begin ${i}`)
        return runOnce(environmentOf({ hardfork: "cancun", gasLimit: 10n ** 9n }), view, signal)
          .then((end) => (end._tag === "Whole" ? end.ended.outcome : end._tag))
          .catch((error: unknown) => error)
          .finally(() => order.push(`end ${i}`))
      }
      const alone = yield* Effect.promise(() => run(0))
      order.length = 0
      const ends = yield* Effect.promise(() => {
        const all = Promise.all([0, 1, 2, 3, 4].map(run))
        controllers[2]!.abort()
        return all
      })
      assert.deepEqual(
        order.slice(0, 5).map((line) => line.split(" ")[0]),
        Array(5).fill("begin")
      )
      assert.deepEqual(ends[2], new RunStopped("cancelled"))
      assert.deepEqual(ends[0], alone)
      const gas = new Set<bigint>()
      for (const i of [0, 1, 3, 4]) {
        const end = ends[i] as Outcomes.CallOutcome
        if (end._tag !== "Returned") throw new Error(`run ${i} has not returned`)
        gas.add(end.gasUsed)
        const own = BigInt(100 + i)
        const words = [own, own, 0n, WARM, BigInt(200 + i)]
        assert.strictEqual(end.data, `0x${words.map((value) => word(value).slice(2)).join("")}`)
      }
      assert.strictEqual(gas.size, 1)
    })
  )
})
