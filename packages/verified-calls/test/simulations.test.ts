/** Simulations over proven state. The laboratory compares them with geth. */
import { assert, describe, it } from "@effect/vitest"
import { createAddressFromString, createContractAddress } from "@ethereumjs/util"
import type { Address } from "@plumbline/codec"
import { type CallRequest, EthEvidence, EthReason, type Simulation } from "@plumbline/eth-methods"
import { Hardforks } from "@plumbline/verified-calls"
import { Effect } from "effect"

import { ask, CONTRACT, FROM, OTHER, type Setting } from "./support/calling.ts"
import * as MadeNode from "./support/madeNode.ts"

const word = MadeNode.word
const RETURN = "5f5260205ff3"

type Blocks = Simulation.SimulationRequest["blockStateCalls"]

const simulated = (
  setting: Setting,
  blockStateCalls: Blocks,
  options: Omit<Simulation.SimulationRequest, "blockStateCalls"> = {}
) =>
  Effect.map(
    ask(setting, (eth, _, block) => eth.simulate({ blockStateCalls, ...options }, block)),
    ({ value }) => value
  )

/** Returns the blocks of a proven simulation. */
const blocks = (...input: Parameters<typeof simulated>) =>
  Effect.map(simulated(...input), ({ _tag, value }) => {
    assert.strictEqual(_tag, "VERIFIED")
    assert.ok(value._tag === "Simulated", value._tag === "Refused" ? value.message : value._tag)
    return value.blocks
  })

const refusal = (...input: Parameters<typeof simulated>) =>
  Effect.map(simulated(...input), ({ value }) => (value._tag === "Refused" ? value.code : value._tag))

const unsupported = (...input: Parameters<typeof simulated>) =>
  Effect.map(Effect.flip(simulated(...input)), (error) => {
    const reason = error._tag === "UnprovenError" ? error.claims[0]?.reason : undefined
    return reason !== undefined && EthReason.CallNotRun.is(reason) ? reason.cause.message : error.message
  })

const to = CONTRACT
const call: CallRequest.CallRequest = { to }
const funded = { [FROM]: { balance: 10n ** 18n } }
const pay = (value: bigint, more: CallRequest.CallRequest = {}): CallRequest.CallRequest => ({
  from: FROM,
  to: OTHER,
  value,
  ...more
})

/** Adds 1 to slot 0, and returns its new value. */
const COUNTER = `0x5f54600101805f55${RETURN}` as const

describe("calls of a simulation", () => {
  it.effect("see the writes of those before, in later blocks too, and none of another request", () =>
    Effect.gen(function* () {
      const setting = { code: COUNTER, storage: { 0: 40n } } as const
      const [first, second] = yield* blocks(setting, [{ calls: [call, call] }, { calls: [call] }])
      assert.deepEqual(
        [...first!.calls, ...second!.calls].map(({ returnData }) => returnData),
        [word(41), word(42), word(43)]
      )
      // EIP-2200: from 40 to 41, and in the next transaction again from an original value of 41
      assert.strictEqual(first!.calls[0]!.gasUsed, first!.calls[1]!.gasUsed)
      assert.strictEqual(first!.gasUsed, 2n * first!.calls[0]!.gasUsed)
    })
  )

  it.effect("carry balances and nonces, and make contracts that later calls find", () =>
    Effect.gen(function* () {
      // makes a contract that returns the balance of its caller
      const creation = `0x673331${RETURN}5f5260086018f3` as const
      const from = createAddressFromString(FROM)
      const [block] = yield* blocks({ accounts: funded }, [
        {
          stateOverrides: { [FROM]: { nonce: 6n } },
          calls: [
            pay(5n),
            { from: FROM, data: creation },
            { from: FROM, to: createContractAddress(from, 7n).toString() }
          ]
        }
      ])
      assert.deepEqual(
        block!.calls.map(({ returnData, status }) => [status, returnData]),
        [
          [1n, "0x"],
          [1n, `0x3331${RETURN}`],
          [1n, word(10n ** 18n - 5n)]
        ]
      )
    })
  )

  it.effect("pay for their gas, and the block's producer gets the tip", () =>
    Effect.gen(function* () {
      // the balance of the address in the data
      const code = `0x5f3531${RETURN}` as const
      const producer = "0x00000000000000000000000000000000000aaaaa"
      const balanceOf = (address: string): CallRequest.CallRequest => ({
        to,
        data: `0x${address.slice(2).padStart(64, "0")}`
      })
      const [block] = yield* blocks({ code, accounts: funded }, [
        {
          blockOverrides: { feeRecipient: producer, baseFeePerGas: 7n },
          calls: [pay(5n, { gas: 50_000n, gasPrice: 10n }), balanceOf(FROM), balanceOf(OTHER), balanceOf(producer)]
        }
      ])
      assert.deepEqual(
        block!.calls.slice(1).map(({ returnData }) => BigInt(returnData)),
        [10n ** 18n - 5n - 21_000n * 10n, 5n, 21_000n * 3n]
      )
    })
  )

  it.effect("pay for their gas also if the sender's nonce makes no contract any more (EIP-2681)", () =>
    Effect.gen(function* () {
      const balanceOf = (address: string): CallRequest.CallRequest => ({
        to,
        data: `0x${address.slice(2).padStart(64, "0")}`
      })
      const [block] = yield* blocks({ code: `0x5f3531${RETURN}`, accounts: funded }, [
        {
          blockOverrides: { feeRecipient: OTHER, baseFeePerGas: 7n },
          stateOverrides: { [FROM]: { nonce: 2n ** 64n - 1n } },
          calls: [{ from: FROM, data: "0x00", gas: 100_000n, gasPrice: 10n }, balanceOf(FROM), balanceOf(OTHER)]
        }
      ])
      // 21,000, 32,000 for the creation, a zero byte, and a word of code (EIP-3860)
      const gas = 53_006n
      assert.deepInclude(block!.calls[0]!, { status: 0n, gasUsed: gas })
      assert.deepEqual(
        block!.calls.slice(1).map(({ returnData }) => BigInt(returnData)),
        [10n ** 18n - gas * 10n, gas * 3n]
      )
    })
  )

  it.effect("that fail because their code makes a contract of too much code do not end the simulation", () =>
    Effect.gen(function* () {
      // CREATE of 49,153 bytes of memory
      const [block] = yield* blocks({ code: "0x61c0015f5ff0" }, [{ calls: [{ to, gas: 100_000n }] }])
      assert.deepInclude(block!.calls[0]!, { status: 0n, gasUsed: 100_000n })
    })
  )

  it.effect("that fail have an error and no logs", () =>
    Effect.gen(function* () {
      // LOG0, then reverts with 42
      const [block] = yield* blocks({ code: "0x5f5fa0602a5f5260205ffd" }, [{ calls: [call] }])
      assert.deepInclude(block!.calls[0]!, {
        status: 0n,
        returnData: "0x",
        logs: [],
        error: { code: 3, message: "execution reverted", data: word(42) }
      })
      const [halted] = yield* blocks({ code: "0xfe" }, [{ calls: [{ to, gas: 30_000n }] }])
      assert.deepInclude(halted!.calls[0]!, {
        status: 0n,
        gasUsed: 30_000n,
        error: { code: -32_015, message: "invalid opcode" }
      })
    })
  )
})

describe("logs of a simulation", () => {
  it.effect("have their places, and transfers of ether if asked for, without those of frames that failed", () =>
    Effect.gen(function* () {
      // LOG1 with topic 9, then sends 1 wei to OTHER, whose code reverts if it has no data
      const code = `0x60095f5fa15f5f5f5f600173${OTHER.slice(2)}5af15000` as const
      const accounts = { ...funded, [OTHER]: { code: "0x5f5ffd" as const } }
      const calls = [pay(3n, { to }), pay(4n, { to: "0x0000000000000000000000000000000000000abc" })]
      const [plain] = yield* blocks({ code, accounts }, [{ calls }])
      assert.deepEqual(
        plain!.calls.map(({ logs }) => logs!.length),
        [1, 0]
      )
      const [traced] = yield* blocks({ code, accounts }, [{ calls }], { traceTransfers: true })
      const logs = traced!.calls.flatMap(({ logs }) => logs!)
      assert.deepEqual(
        logs.map(({ address, data, logIndex, topics, transactionIndex }) => [
          address,
          topics.at(-1),
          data,
          logIndex,
          transactionIndex
        ]),
        [
          [`0x${"ee".repeat(20)}`, word(BigInt(CONTRACT)), word(3), 0n, 0n],
          [CONTRACT, word(9), "0x", 1n, 0n],
          [`0x${"ee".repeat(20)}`, word(0xabc), word(4), 2n, 1n]
        ]
      )
      assert.deepInclude(logs[0]!, { blockNumber: 1001n, blockTimestamp: 1_750_000_012n, removed: false })
    })
  )
})

describe("a simulated block", () => {
  it.effect("follows from the one before, and a gap is filled", () =>
    Effect.gen(function* () {
      const made = yield* blocks({ code: `0x43${RETURN}` }, [
        { blockOverrides: { number: 1003n, feeRecipient: OTHER, gasLimit: 9_000_000n }, calls: [call] },
        { calls: [call] }
      ])
      assert.deepEqual(
        made.map(({ number, timestamp }) => [number, timestamp]),
        [1001n, 1002n, 1003n, 1004n].map((number, index) => [number, 1_750_000_012n + 12n * BigInt(index)])
      )
      assert.deepInclude(made[3]!, { miner: OTHER as Address.Address, gasLimit: 9_000_000n, baseFeePerGas: 0n })
      assert.deepEqual(
        made.slice(2).map(({ calls }) => calls[0]!.returnData),
        [word(1003), word(1004)]
      )
      assert.isUndefined(made[1]!.parentHash)
    })
  )

  it.effect("has the next base fee if it is validated", () =>
    Effect.gen(function* () {
      const [first, second] = yield* blocks({ accounts: funded }, [{}, {}], { validation: true })
      // the block used no gas: an eighth less (EIP-1559)
      assert.deepEqual([first!.baseFeePerGas, second!.baseFeePerGas], [875_000_000n, 765_625_000n])
      const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n }
      const [paid] = yield* blocks({ accounts: funded }, [{ calls: [pay(1n, { ...fees, nonce: 0n })] }], {
        validation: true
      })
      assert.strictEqual(paid!.calls[0]!.status, 1n)
    })
  )

  it.effect("gives the hashes of real blocks, also by EIP-2935, and no hash of a simulated one", () =>
    Effect.gen(function* () {
      const at = (number: number) =>
        ({ code: `0x61${number.toString(16).padStart(4, "0")}40${RETURN}`, older: 2 }) as Setting
      const [first, second] = yield* blocks(at(1000), [{ calls: [call] }, { calls: [call] }])
      const hash = first!.parentHash
      assert.deepEqual([first!.calls[0]!.returnData, second!.calls[0]!.returnData], [hash, hash])
      assert.match(yield* unsupported(at(1001), [{}, { calls: [call] }]), /the hash of a simulated block/u)
      const history = "0x0000f90827f1c53a10cb7a02335b175320002935"
      const asked = (number: number) => ({ to: history, data: word(number) }) as CallRequest.CallRequest
      const [kept] = yield* blocks({ history: true, older: 3 }, [{ calls: [asked(1000), asked(998)] }])
      assert.strictEqual(kept!.calls[0]!.returnData, kept!.parentHash)
      assert.notStrictEqual(kept!.calls[1]!.returnData, word(0))
      assert.match(
        yield* unsupported({ history: true, older: 3 }, [{}, { calls: [asked(1001)] }]),
        /the hash of a simulated block/u
      )
    })
  )
})

describe("a simulation is refused", () => {
  it.effect("as nodes refuse it, with the codes of execution-apis", () =>
    Effect.gen(function* () {
      const setting = { code: "0x00", accounts: funded } as const
      const cases: ReadonlyArray<readonly [code: number, Blocks, validation?: boolean]> = [
        [-38_020, [{ blockOverrides: { number: 1005n } }, { blockOverrides: { number: 1005n } }]],
        [-38_020, [{ blockOverrides: { number: 1000n } }]],
        [-38_021, [{ blockOverrides: { time: 1_750_000_000n } }]],
        [-38_026, [{ blockOverrides: { number: 1257n } }]],
        [-38_014, [{ calls: [pay(10n ** 19n)] }]],
        [-38_013, [{ calls: [{ to, gas: 20_999n }] }]],
        [-38_015, [{ calls: [call, { to, gas: 35_999_999n }] }]],
        [-38_012, [{ calls: [call] }], true],
        [
          -38_010,
          [{ stateOverrides: { [FROM]: { nonce: 2n } }, calls: [pay(1n, { nonce: 1n, gasPrice: 10n ** 9n })] }],
          true
        ],
        [-38_011, [{ calls: [pay(1n, { nonce: 1n, gasPrice: 10n ** 9n })] }], true],
        [-38_025, [{ calls: [{ from: FROM, data: `0x${"00".repeat(49_153)}` }] }]]
      ]
      for (const [code, made, validation = false] of cases) {
        assert.strictEqual(yield* refusal(setting, made, { validation }), code)
      }
    })
  )

  it.effect("here, with the reason", () =>
    Effect.gen(function* () {
      const dies = { accounts: { [CONTRACT]: { balance: 1n, code: `0x73${OTHER.slice(2)}ff` as const } } }
      assert.match(
        yield* unsupported(dies, [{ calls: [call] }], { traceTransfers: true }),
        /transfers of a call that runs SELFDESTRUCT/u
      )
      const queue = "0x00000961ef480eb55e80d19ad83579a64c007002"
      const queued = { accounts: { [queue]: { code: `0x60015f55` as const } } }
      assert.match(
        yield* unsupported(queued, [{ calls: [{ to: queue }] }, { calls: [call] }]),
        /calls write to a system contract/u
      )
      assert.match(yield* unsupported(queued, [{}, { calls: [{ to: queue }] }]), /a queue of requests/u)
      assert.match(
        yield* unsupported({}, [{ stateOverrides: { [queue]: { balance: 1n } } }]),
        /an override of a system contract/u
      )
      assert.match(
        yield* unsupported({ code: `0x4a${RETURN}` }, [{ calls: [call] }]),
        /BLOBBASEFEE on a chain without a blob schedule/u
      )
      const options = { chain: Hardforks.always(MadeNode.CHAIN_ID, "prague"), bounds: { gas: 30_000n } }
      assert.match(
        yield* unsupported({ code: "0x00", options }, [{ calls: [call] }, { calls: [call] }]),
        /more than its bound of 30000: gas of all runs/u
      )
      const short = { chain: options.chain, bounds: { inputBytes: 1 } }
      assert.strictEqual(
        yield* unsupported({ code: "0x00", options: short }, [{ calls: [{ to, data: "0x0000" }] }]),
        "it needs more than its bound of 1: bytes of input"
      )
    })
  )

  it.effect("where its outcome depends on fees of another chain, whose base fee and receivers follow other rules", () =>
    Effect.gen(function* () {
      const options = { chain: Hardforks.always(10n, "prague") }
      const setting = { accounts: funded, code: COUNTER, options } as const
      const validated = unsupported(setting, [{ calls: [call] }], { validation: true })
      assert.match(yield* validated, /with validation on another chain than Ethereum/u)
      for (const price of [{ gasPrice: 1n }, { maxFeePerGas: 1n }, { maxPriorityFeePerGas: 1n, maxFeePerGas: 1n }]) {
        const refused = unsupported(setting, [{ calls: [call] }, { calls: [pay(1n, price)] }])
        assert.match(yield* refused, /call that pays for its gas on another chain than Ethereum/u)
      }
      // calls that pay nothing have the same outcome on each chain, as op-geth credits no fee for them
      const [block] = yield* blocks(setting, [{ calls: [call, pay(5n, { gasPrice: 0n })] }])
      assert.deepEqual(
        block!.calls.map(({ status }) => status),
        [1n, 1n]
      )
    })
  )
})

it.effect("the evidence says that the blocks are made up, and what the caller overrode", () =>
  Effect.gen(function* () {
    const { proven } = yield* simulated({ code: COUNTER, storage: { 0: 1n } }, [
      { blockOverrides: { time: 1_760_000_000n }, stateOverrides: { [OTHER]: { balance: 1n } }, calls: [call] },
      { calls: [call] }
    ])
    const run = proven.find(EthEvidence.SimulationRun.is)!
    assert.deepInclude(run, { blocks: 2, calls: 2, hardfork: "prague" })
    assert.deepEqual(run.overridden, {
      accounts: [{ address: OTHER as Address.Address, fields: ["balance"], slots: 0 }],
      block: ["time"]
    })
    assert.match(
      run.sentence,
      /^hypothetical: 2 calls in 2 blocks made up here after block 0x[0-9a-f]{64}, by the rules/u
    )
  })
)
