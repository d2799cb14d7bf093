/**
 * The rules that a call must keep to before its code runs, beside the answers of geth 1.16.9 (`--dev`, Osaka) to the same
 * calls. `npx --yes pnpm lab calls` compares the outcomes of calls that keep to them.
 */
import { assert, describe, it } from "@effect/vitest"
import { type CallRequest, EthReason } from "@plumbline/eth-methods"
import { Effect, Result } from "effect"

import { ask, CONTRACT, FROM, outcome, type Setting } from "./support/calling.ts"
import { word } from "./support/madeNode.ts"

const blobs = (count: number, version = "01") =>
  Array.from({ length: count }, (_, at) => `0x${version}${at.toString(16).padStart(62, "0")}` as const)

const authorization = {
  chainId: 0n,
  address: CONTRACT,
  nonce: 0n,
  yParity: 0n,
  r: "0x1",
  s: "0x1"
} as const satisfies CallRequest.Authorization

const MAX_64 = 2n ** 64n - 1n
const to = CONTRACT

/** A call that no transaction can carry: what geth answers to eth_call, and our reason. */
const refused: ReadonlyArray<readonly [request: CallRequest.CallRequest, geth: string, ours: string]> = [
  [{ to, blobVersionedHashes: [] }, "blob transaction missing blob hashes", "an empty list of blobs"],
  [{ to, blobVersionedHashes: blobs(7) }, "blob transaction has too many blobs", "more than 6 blobs"],
  [
    { to, blobVersionedHashes: [...blobs(1), ...blobs(1, "02")] },
    "blob 1 has invalid hash version",
    "a hash of another version than 0x01 for blob 1"
  ],
  [{ to: null, blobVersionedHashes: blobs(1) }, "blob transaction of type create", "a creation with blobs"],
  [{ to: null, blobVersionedHashes: [] }, "blob transaction of type create", "a creation with blobs"],
  [{ to, authorizationList: [] }, "EIP-7702 transaction with empty auth list", "an empty authorization list"],
  [
    { to: null, authorizationList: [authorization] },
    "EIP-7702 transaction cannot be used to create contract",
    "a creation with an authorization list"
  ],
  [
    { to: null, authorizationList: [] },
    "EIP-7702 transaction cannot be used to create contract",
    "a creation with an authorization list"
  ],
  [
    { to, gasPrice: 1n, maxFeePerGas: 1n },
    "both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified",
    "both gasPrice and a fee cap"
  ],
  [
    { to, gasPrice: 0n, maxPriorityFeePerGas: 0n },
    "both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified",
    "both gasPrice and a fee cap"
  ],
  [{ to, gas: MAX_64 + 1n }, "cannot unmarshal hex number > 64 bits", "a gas limit of more than 64 bits"],
  [{ to, nonce: MAX_64 + 1n }, "cannot unmarshal hex number > 64 bits", "a nonce of more than 64 bits"],
  [
    { to, authorizationList: [{ ...authorization, nonce: MAX_64 + 1n }] },
    "cannot unmarshal hex number > 64 bits",
    "an authorization whose nonce has more than 64 bits"
  ]
]

/** Calls that need the block or the sender to be judged: geth refuses them too, and the refusal is proven. */
const halted: ReadonlyArray<readonly [request: CallRequest.CallRequest, halt: string]> = [
  [
    { to, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n + 1n },
    "max priority fee per gas higher than max fee per gas"
  ],
  [{ to, maxPriorityFeePerGas: 1n }, "max priority fee per gas higher than max fee per gas"],
  [{ to, maxFeePerGas: 1n }, "max fee per gas less than block base fee"],
  [{ to, maxFeePerGas: 2n ** 256n - 1n }, "insufficient funds for gas * price + value"],
  [{ to, from: FROM, value: 2n ** 256n - 1n }, "insufficient funds for gas * price + value"],
  [{ to, gas: 20_999n }, "intrinsic gas too low"],
  [{ to, gas: 0n }, "intrinsic gas too low"],
  [{ to: null, data: `0x${"00".repeat(49_153)}` }, "max initcode size exceeded"]
]

/** Rules of transactions that geth does not hold against a call either. */
const allowed: ReadonlyArray<readonly [why: string, request: CallRequest.CallRequest]> = [
  ["gas above the cap of Osaka (EIP-7825)", { to, gas: 2n ** 24n + 1n }],
  ["a sender with code (EIP-3607)", { to: FROM, from: to }],
  ["another nonce than the sender's", { to, nonce: 99n }],
  ["the last nonce (EIP-2681)", { to, nonce: MAX_64 }],
  ["six blobs without a price", { to, blobVersionedHashes: blobs(6) }],
  ["blobs and authorizations", { to, blobVersionedHashes: blobs(1), authorizationList: [authorization] }],
  ["prices of zero", { to, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, maxFeePerBlobGas: 0n }],
  ["an init code of the largest size", { to: null, data: `0x${"00".repeat(49_152)}` }],
  ["a signature that no key makes", { to, authorizationList: [{ ...authorization, yParity: 2n }] }]
]

/** Returns the code of the instruction, and of the return of its word. */
const telling = (opcode: string) => `0x${opcode}5f5260205ff3` as const

const call = (setting: Setting) => ask(setting, (eth, request, block) => eth.call(request, block))

/** The methods that run calls, without their values. */
const methods = {
  call: (setting: Setting) => Effect.asVoid(call(setting)),
  estimateGas: (setting: Setting) =>
    Effect.asVoid(ask(setting, (eth, request, block) => eth.estimateGas(request, block))),
  createAccessList: (setting: Setting) =>
    Effect.asVoid(ask(setting, (eth, request, block) => eth.createAccessList(request, block))),
  simulate: (setting: Setting) =>
    Effect.asVoid(
      ask(setting, (eth, request, block) => eth.simulate({ blockStateCalls: [{ calls: [request] }] }, block))
    )
} as const

describe("a call that no transaction can carry", () => {
  for (const [request, geth, rule] of refused) {
    it.effect(`has no outcome: ${rule}, where geth says "${geth}"`, () =>
      Effect.gen(function* () {
        for (const name of ["call", "estimateGas", "createAccessList", "simulate"] as const) {
          const setting: Setting = { code: telling("30"), fork: "osaka", request }
          const ended = yield* Effect.result(methods[name](setting))
          // a simulation first compares the gas with that of its block, which is proven
          if (name === "simulate" && rule.startsWith("a gas limit")) assert(Result.isSuccess(ended))
          else {
            assert(Result.isFailure(ended) && ended.failure._tag === "UnprovenError", name)
            const reason = ended.failure.claims[0]?.reason
            assert(reason !== undefined && EthReason.CallNotRun.is(reason), name)
            assert.deepEqual(reason.cause.reason, { _tag: "Invalid", rule }, name)
          }
        }
      })
    )
  }
})

describe("a call that its block refuses", () => {
  for (const [request, halt] of halted) {
    it.effect(`halts before its code: ${halt}`, () =>
      Effect.gen(function* () {
        const ended = yield* outcome({ code: telling("30"), fork: "osaka", request })
        assert.deepEqual(ended, { _tag: "Halted", halt, gasUsed: 0n })
      })
    )
  }
})

describe("a call that only a transaction may not be", () => {
  for (const [why, request] of allowed) {
    it.effect(`runs, as in geth: ${why}`, () =>
      Effect.gen(function* () {
        assert.include(yield* outcome({ code: telling("30"), fork: "osaka", request }), { _tag: "Returned" })
      })
    )
  }

  it.effect("has any number of blobs before Osaka, but none of another version", () =>
    Effect.gen(function* () {
      const request = { to, blobVersionedHashes: blobs(7) } as const
      assert.include(yield* outcome({ code: telling("30"), fork: "prague", request }), { _tag: "Returned" })
      const old = { to, blobVersionedHashes: blobs(1, "00") } as const
      const error = yield* Effect.flip(call({ code: telling("30"), fork: "prague", request: old }))
      assert.match(error.message, /no transaction can carry it: a hash of another version than 0x01 for blob 0/u)
    })
  )
})

describe("the price of blobs", () => {
  const seen = (request: CallRequest.CallRequest) =>
    outcome({ code: telling("4a"), fork: "osaka", request: { to, ...request }, header: { excessBlobGas: 20_000_000n } })

  it.effect("is zero for a call whose blobs have none, and else that of the block", () =>
    Effect.gen(function* () {
      const free = { _tag: "Returned", data: word(0) } as const
      assert.include(yield* seen({ blobVersionedHashes: blobs(1) }), free)
      assert.include(yield* seen({ blobVersionedHashes: blobs(1), maxFeePerBlobGas: 0n }), free)
      assert.include(yield* seen({ maxFeePerBlobGas: 0n }), free)
      assert.include(yield* seen({}), { data: word(54) })
      assert.include(yield* seen({ maxFeePerBlobGas: 1n }), { data: word(54) })
    })
  )

  // the sender has 2^32 wei, and the call returns what is left: 2^32 less 131,072 gas at 3 wei
  const simulated = (request: CallRequest.CallRequest, validation = false, blobBaseFee: bigint | null = 3n) =>
    Effect.map(
      ask({ code: "0x333160005260206000f3", fork: "osaka" }, (eth, _, block) =>
        eth.simulate(
          {
            validation,
            blockStateCalls: [
              {
                blockOverrides: { baseFeePerGas: 0n, ...(blobBaseFee === null ? {} : { blobBaseFee }) },
                stateOverrides: { [FROM]: { balance: 2n ** 32n } },
                calls: [{ from: FROM, to, ...request }]
              }
            ]
          },
          block
        )
      ),
      ({ value: { value } }) => (value._tag === "Refused" ? value : value.blocks[0]!.calls[0]!.returnData)
    )

  it.effect("is taken from the sender in a simulation, whatever the call names", () =>
    Effect.gen(function* () {
      const blobVersionedHashes = blobs(1)
      assert.strictEqual(yield* simulated({ blobVersionedHashes }), word(0xfffa0000n))
      assert.strictEqual(yield* simulated({ blobVersionedHashes, maxFeePerBlobGas: 10n }), word(0xfffa0000n))
      assert.strictEqual(yield* simulated({ blobVersionedHashes, maxFeePerBlobGas: 10n }, true), word(0xfffa0000n))
      const refusal = { _tag: "Refused", code: -32_603 } as const
      assert.deepInclude(yield* simulated({ blobVersionedHashes }, true), refusal)
      assert.deepInclude(yield* simulated({ blobVersionedHashes, maxFeePerBlobGas: 2n }, true), refusal)
      // geth takes it below zero there
      const poor = yield* Effect.flip(simulated({ blobVersionedHashes }, false, 2n ** 20n))
      assert.match(poor.message, /not supported: blobs that their sender cannot pay/u)
      for (const validation of [false, true]) {
        const unknown = yield* Effect.flip(simulated({ blobVersionedHashes }, validation, null))
        assert.match(unknown.message, /not supported: blobs on a chain without a blob schedule/u)
      }
    })
  )

  it.effect("of a sender with the last nonce is no question: with validation, no block has its call", () =>
    Effect.gen(function* () {
      const run = (validation: boolean) =>
        ask({ code: "0x", fork: "osaka", accounts: { [FROM]: { nonce: MAX_64 } } }, (eth, _, block) =>
          eth.simulate(
            {
              validation,
              blockStateCalls: [{ blockOverrides: { baseFeePerGas: 0n }, calls: [{ from: FROM, to, gas: 21_000n }] }]
            },
            block
          )
        )
      const { value } = yield* run(true)
      assert.deepEqual(value.value, { _tag: "Refused", code: -32_603, message: "nonce has max value" })
      assert.strictEqual((yield* run(false)).value.value._tag, "Simulated")
    })
  )
})
