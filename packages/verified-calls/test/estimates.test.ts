/** Estimates of gas and access lists, by runs over proven state. The laboratory compares both with geth and anvil. */
import { assert, describe, it } from "@effect/vitest"
import { Address } from "@plumbline/codec"
import { type CallOutcome, EthEvidence, EthReason } from "@plumbline/eth-methods"
import { type CallBounds, Hardforks } from "@plumbline/verified-calls"
import { Effect } from "effect"

import { ask, CONTRACT, FROM, OTHER, type Setting } from "./support/calling.ts"
import * as MadeNode from "./support/madeNode.ts"

const word = MadeNode.word

const estimate = (setting: Setting) =>
  ask(setting, (eth, request, block) => eth.estimateGas(request, block, setting.stateOverride, setting.blockOverride))

/** Returns a proven estimate, after calls with its gas and with what it calls too low. */
const checked = Effect.fnUntraced(function* (setting: Setting) {
  const {
    gas,
    proven,
    tooLow,
    with: ends
  } = (yield* ask(
    setting,
    Effect.fnUntraced(function* (eth, request, block) {
      const { _tag, proven, value } = yield* eth.estimateGas(request, block, setting.stateOverride)
      assert.strictEqual(_tag, "VERIFIED")
      assert.ok(value._tag === "Estimated", value._tag)
      const { gas, tooLow } = value
      const at = (gas: bigint) =>
        Effect.map(eth.call({ ...request, gas }, block, setting.stateOverride), ({ value }) => value._tag)
      return { gas, tooLow, proven, with: [yield* at(gas), yield* at(tooLow)] }
    })
  )).value
  assert.deepEqual(ends[0], "Returned")
  assert.notStrictEqual(ends[1], "Returned")
  return { gas, tooLow, proven }
})

/** Calls the other contract with all gas but a 64th, and reverts if that fails. */
const FORWARDS = `0x5f5f5f5f5f73${OTHER.slice(2)}5af16022575f5ffd5b00` as MadeNode.Text

/** Needs more gas than there is: MSTORE at 2^60. */
const ENDLESS = "0x5f67100000000000000052"

/** Writes 1 to slots 0 to 9. */
const WRITES =
  `0x${Array.from({ length: 10 }, (_, i) => `600160${i.toString(16).padStart(2, "0")}55`).join("")}00` as const

describe("an estimate", () => {
  it.effect("of a transfer is its fixed cost, and the floor of EIP-7623 with data", () =>
    Effect.gen(function* () {
      const accounts = { [FROM]: { balance: 10n ** 18n } }
      const plain = yield* checked({ accounts, request: { from: FROM, to: OTHER, value: 1n } })
      assert.deepInclude(plain, { gas: 21_000n, tooLow: 20_999n })
      const data = `0x${"00".repeat(6)}${"ff".repeat(100)}` as const
      const long = yield* checked({ accounts, request: { to: OTHER, data } })
      assert.deepInclude(long, { gas: 21_000n + 60n + 4000n })
      // before Prague there is no floor
      const before = yield* checked({ fork: "cancun", accounts, request: { to: OTHER, data } })
      assert.deepInclude(before, { gas: 21_000n + 24n + 1600n })
    })
  )

  it.effect("suffices for a call that keeps a 64th of its gas, and lies within 1.5 % of what does not", () =>
    Effect.gen(function* () {
      const { gas, proven, tooLow } = yield* checked({
        code: FORWARDS,
        accounts: { [OTHER]: { code: WRITES } }
      })
      // ten fresh slots: 22,100 each
      assert.isAbove(Number(gas), 21_000 + 10 * 22_100)
      assert.isAtMost(Number(gas - tooLow) / Number(gas), 0.015)
      const run = proven.find(EthEvidence.CallRun.is)!
      assert.strictEqual(run.gasLimit, gas)
      assert.strictEqual(
        proven.find(EthEvidence.GasEstimated.is)?.sentence,
        `gas: the run with a limit of ${gas} succeeded, and ${tooLow} is too low`
      )
    })
  )

  it.effect("holds for a call that sees its gas: the lower end was run too", () =>
    Effect.gen(function* () {
      // reverts unless it has more than 300,000 gas: GAS, PUSH3 300000, LT, JUMPI
      const code = "0x5a620493e010600c575f5ffd5b00" as MadeNode.Text
      const { gas, tooLow } = yield* checked({ code })
      assert.isAbove(Number(gas), 300_000)
      assert.isAbove(Number(tooLow), 290_000)
      // succeeds with less than 100,000 gas only, so it fails with all the gas that it can have
      const little = yield* estimate({ code: "0x5a620186a011600c575f5ffd5b00" })
      assert.strictEqual(little.value.value._tag, "Reverted")
    })
  )

  it.effect("is the revert or the halt of a call that fails with all gas", () =>
    Effect.gen(function* () {
      const reverts = yield* estimate({ code: "0x602a5f5260205ffd" })
      assert.deepInclude(reverts.value, { _tag: "VERIFIED" })
      assert.deepInclude(reverts.value.value, { _tag: "Reverted", data: word(42) })
      const invalid = yield* estimate({ code: "0xfe" })
      assert.include(invalid.value.value, { _tag: "Halted", halt: "invalid opcode" })
      const endless = yield* estimate({ code: ENDLESS, request: { gas: 50_000n } })
      assert.include(endless.value.value, { _tag: "Halted", halt: "gas required exceeds allowance (50000)" })
    })
  )

  it.effect("asks for no more gas than the sender can pay, and no more than a transaction may have", () =>
    Effect.gen(function* () {
      const request = { from: FROM, gasPrice: 2_000_000_000n } as const
      const code = "0x5a5f5260205ff3" as const
      const poor = { accounts: { [FROM]: { balance: 50_000n * 2_000_000_000n } }, code, request }
      assert.isAtMost(Number((yield* checked(poor)).gas), 50_000)
      const poorer = yield* estimate({
        ...poor,
        code: WRITES,
        accounts: { [FROM]: { balance: 22_000n * 2_000_000_000n } }
      })
      assert.include(poorer.value.value, { _tag: "Halted", halt: "gas required exceeds allowance (22000)" })
      const most = (fork: "prague" | "osaka") =>
        Effect.map(estimate({ fork, code: ENDLESS }), ({ value }) => (value.value as CallOutcome.Halted).halt)
      assert.strictEqual(yield* most("prague"), "gas required exceeds allowance (36000000)")
      // EIP-7825
      assert.strictEqual(yield* most("osaka"), "gas required exceeds allowance (16777216)")
    })
  )

  it.effect("sees the caller's changes", () =>
    Effect.gen(function* () {
      const { gas } = yield* checked({ code: "0x00", stateOverride: { [CONTRACT]: { code: WRITES } } })
      assert.isAbove(Number(gas), 21_000 + 10 * 22_100)
    })
  )
})

it.effect("an estimate whose sender another one fails to read fails with the same reason", () =>
  Effect.gen(function* () {
    const setting: Setting = {
      code: "0x00",
      request: { from: FROM, gasPrice: 2_000_000_000n },
      lie: (method, answer, [address]) => (method === "eth_getProof" && address === FROM ? undefined : answer)
    }
    const { value } = yield* ask(setting, (eth, request, block) =>
      Effect.all(
        [1, 2, 3].map(() => Effect.flip(eth.estimateGas(request, block))),
        { concurrency: "unbounded" }
      )
    )
    for (const failed of value) {
      const reason = failed._tag === "UnprovenError" ? failed.claims[0]?.reason : undefined
      assert.ok(reason !== undefined && EthReason.CallNotRun.is(reason), String(failed))
      assert.include(reason.cause.reason, { _tag: "Unavailable", address: Address.fromHexUnsafe(FROM) })
    }
  })
)

describe("a lie", () => {
  const lies: ReadonlyArray<readonly [name: string, NonNullable<Setting["lie"]>, check: string]> = [
    [
      "about a slot",
      (method, answer) =>
        method === "eth_getProof"
          ? { ...answer, storageProof: answer.storageProof.map((slot: object) => ({ ...slot, value: "0x0" })) }
          : answer,
      "storageProof[0].value"
    ],
    ["about code", (method, answer) => (method === "eth_getCode" ? "0x00" : answer), "code hash"],
    [
      "about a balance",
      (method, answer) => (method === "eth_getProof" ? { ...answer, balance: "0x1234" } : answer),
      "account.balance"
    ]
  ]
  for (const [name, lie, check] of lies) {
    it.effect(`${name} refutes an estimate, an access list and a simulation`, () =>
      Effect.gen(function* () {
        // the cost depends on the slot: a write of 1 over 1
        const setting = { code: "0x6001600155", storage: { 1: 1n }, lie } as const
        for (const failed of [
          yield* Effect.flip(estimate(setting)),
          yield* Effect.flip(ask(setting, (eth, request, block) => eth.createAccessList(request, block))),
          yield* Effect.flip(
            ask(setting, (eth, request, block) => eth.simulate({ blockStateCalls: [{ calls: [request] }] }, block))
          )
        ]) {
          assert.include(failed, { _tag: "RefutedError", check })
        }
      })
    )
  }

  it.effect("by omission gives no outcome: a proof that is left out is never a zero", () =>
    Effect.gen(function* () {
      const lie: NonNullable<Setting["lie"]> = (method, answer, params) =>
        method === "eth_getProof" && params[1].length > 0 ? undefined : answer
      const failed = yield* Effect.flip(estimate({ code: "0x6001600155", storage: { 1: 1n }, lie }))
      const reason = failed._tag === "UnprovenError" ? failed.claims[0]?.reason : undefined
      assert.ok(reason !== undefined && EthReason.CallNotRun.is(reason))
      assert.strictEqual(reason.cause.reason._tag, "Unavailable")
    })
  )
})

describe("a bound over all runs", () => {
  const reached = (bounds: Partial<CallBounds.CallBounds>) =>
    Effect.map(
      Effect.flip(
        estimate({
          code: FORWARDS,
          accounts: { [OTHER]: { code: WRITES } },
          options: { chain: Hardforks.always(MadeNode.CHAIN_ID, "prague"), bounds }
        })
      ),
      (error) => {
        const reason = error._tag === "UnprovenError" ? error.claims[0]?.reason : undefined
        return reason !== undefined && EthReason.CallNotRun.is(reason) && reason.cause.reason._tag === "OutOfBounds"
          ? [reason.cause.reason.bound, reason.cause.reason.limit]
          : error.message
      }
    )

  it.effect("ends an estimate, by its name", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* reached({ runs: 2 }), ["runs", 2])
      assert.deepEqual(yield* reached({ gasOfRuns: 400_000n }), ["gas of all runs", 400_000n])
      assert.deepEqual(yield* reached({ accounts: 1 }), ["accounts", 1])
    })
  )
})

describe("an access list", () => {
  const list = (setting: Setting) =>
    Effect.map(
      ask(setting, (eth, request, block) => eth.createAccessList(request, block)),
      ({ value }) => value
    )

  it.effect("has what the call touches, without the sender, the receiver and precompiles", () =>
    Effect.gen(function* () {
      // slot 1 of itself, the balance of OTHER, and a call of the identity precompile
      const code = `0x6001545073${OTHER.slice(2)}31505f5f5f5f5f60045af15000` as MadeNode.Text
      const { _tag, proven, value } = yield* list({ code, storage: { 1: 5n }, accounts: { [OTHER]: { balance: 1n } } })
      assert.strictEqual(_tag, "VERIFIED")
      assert.ok(value._tag === "Listed")
      assert.deepEqual(
        value.list.accessList.toSorted((a, b) => a.address.localeCompare(b.address)),
        [
          { address: CONTRACT, storageKeys: [word(1)] },
          { address: OTHER, storageKeys: [] }
        ] as never
      )
      // 21,000; two addresses and a key (EIP-2930); a warm slot, a warm balance, a call of identity, and pushes and pops
      const pushes = 3n + 2n + 3n + 2n + 5n * 2n + 3n + 2n + 2n
      assert.strictEqual(value.list.gasUsed, 21_000n + 2n * 2400n + 1900n + 100n + 100n + 100n + 15n + pushes)
      assert.strictEqual(
        proven.find(EthEvidence.AccessListRun.is)?.sentence,
        "access list: 2 addresses and 1 slot, by the run with it"
      )
    })
  )

  it.effect("of a call that fails has its failure", () =>
    Effect.gen(function* () {
      const reverts = yield* list({ code: "0x600154505f5ffd", storage: { 1: 5n } })
      assert.ok(reverts.value._tag === "Listed")
      assert.deepInclude(reverts.value.list, {
        error: "execution reverted",
        accessList: [{ address: CONTRACT, storageKeys: [word(1)] }] as never
      })
      const unfunded = yield* list({ code: "0x00", request: { from: FROM, value: 1n } })
      assert.include(unfunded.value, { _tag: "Halted", halt: "insufficient funds for gas * price + value" })
    })
  )
})
