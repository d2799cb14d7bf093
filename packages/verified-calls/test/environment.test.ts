/** The block and the transaction that a call sees. */
import { assert, describe, it } from "@effect/vitest"
import { Common, Holesky, Hoodi, Mainnet, Sepolia } from "@ethereumjs/common"
import { Hardforks } from "@plumbline/verified-calls"
import { Effect } from "effect"

import { call, FROM, OTHER, outcome, type Setting } from "./support/calling.ts"
import { CHAIN_ID, word } from "./support/madeNode.ts"

const RETURN = "5f5260205ff3"

/** Returns what one instruction gives. */
const told = (opcode: string, setting: Setting = {}) =>
  Effect.map(outcome({ code: `0x${opcode}${RETURN}`, ...setting }), (result) =>
    result._tag === "Returned" ? BigInt(result.data) : result._tag
  )

describe("the block", () => {
  it.effect("is that of the header", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* told("41"), 0xc0ffen)
      assert.strictEqual(yield* told("42"), 1_750_000_000n)
      assert.strictEqual(yield* told("43"), 1000n)
      assert.strictEqual(yield* told("44"), BigInt(`0x${"ab".repeat(32)}`))
      assert.strictEqual(yield* told("44", { fork: "london", code: "0x4460005260206000f3" }), 131_072n)
      assert.strictEqual(yield* told("45"), 36_000_000n)
      assert.strictEqual(yield* told("46"), CHAIN_ID)
    })
  )

  it.effect("has no base fee for a call without a price, and the header's for one with a price", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* told("48"), 0n)
      const accounts = { [FROM]: { balance: 10n ** 20n } } as const
      const paying = (request: Setting["request"]) =>
        ({ accounts, request: { from: FROM, gas: 100_000n, ...request } }) as const
      assert.strictEqual(yield* told("48", paying({ gasPrice: 2_000_000_000n })), 1_000_000_000n)
      assert.strictEqual(yield* told("3a", paying({ gasPrice: 2_000_000_000n })), 2_000_000_000n)
      const capped = paying({ maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1n })
      assert.strictEqual(yield* told("3a", capped), 1_000_000_001n)
      assert.include(yield* outcome({ code: "0x00", ...paying({ gasPrice: 1n }) }), {
        halt: "max fee per gas less than block base fee"
      })
      assert.include(yield* outcome({ code: "0x00", ...paying({ maxFeePerGas: 10n ** 16n }) }), {
        halt: "insufficient funds for gas * price + value"
      })
    })
  )

  it.effect("takes the price of its blobs from the sender, also without a price of gas (EIP-4844)", () =>
    Effect.gen(function* () {
      const request = {
        from: FROM,
        maxFeePerBlobGas: 10n,
        blobVersionedHashes: [`0x01${"00".repeat(31)}`]
      } as const
      // returns the sender's balance
      const code = "0x333160005260206000f3"
      const rich = yield* outcome({ code, fork: "cancun", request, accounts: { [FROM]: { balance: 1_310_720n } } })
      // one blob of 131,072 gas at 1 wei
      assert.include(rich, { _tag: "Returned", data: word(1_310_720n - 131_072n) })
      const poor = yield* outcome({ code, fork: "cancun", request, accounts: { [FROM]: { balance: 1_310_719n } } })
      assert.include(poor, { _tag: "Halted", halt: "insufficient funds for gas * price + value" })
      // e to the power of 30,000,000 / 3,338,477 is about 8,000 wei
      const header = { excessBlobGas: 30_000_000n }
      const dear = yield* outcome({ code, fork: "cancun", request, header, accounts: { [FROM]: { balance: 1n } } })
      assert.include(dear, { _tag: "Halted", halt: "max fee per blob gas less than block blob gas fee" })
    })
  )

  it.effect("has the price of blobs by the schedule of the fork (EIP-4844, 7691, 7892)", () =>
    Effect.gen(function* () {
      // values of `fake_exponential` of the execution specification
      const header = { excessBlobGas: 20_000_000n }
      assert.strictEqual(yield* told("4a", { fork: "cancun", header }), 399n)
      assert.strictEqual(yield* told("4a", { fork: "prague", header }), 54n)
      // Osaka has no schedule of its own: it keeps Prague's, or that of the chain before it
      assert.strictEqual(yield* told("4a", { fork: "osaka", header }), 54n)
      const prague = { hardfork: "prague", block: 0n, blobUpdateFraction: 8_346_193n } as const
      const kept = { chain: { chainId: CHAIN_ID, forks: [prague, { hardfork: "osaka", block: 0n }] } } as const
      assert.strictEqual(yield* told("4a", { fork: "osaka", header, options: kept }), 10n)
      const options = {
        chain: { chainId: CHAIN_ID, forks: [{ hardfork: "prague", block: 0n, blobUpdateFraction: 8_346_193n }] }
      } as const
      assert.strictEqual(yield* told("4a", { header, options }), 10n)
    })
  )
})

describe("the gas", () => {
  it.effect("is the bound without a limit, less the intrinsic cost", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* told("5a"), 50_000_000n - 21_000n - 2n)
      assert.strictEqual(yield* told("5a", { request: { gas: 10n ** 12n } }), 50_000_000n - 21_000n - 2n)
      assert.strictEqual(yield* told("5a", { request: { gas: 30_000n } }), 30_000n - 21_000n - 2n)
      assert.include(yield* outcome({ code: "0x00", request: { gas: 20_999n } }), { halt: "intrinsic gas too low" })
    })
  )

  it.effect("counts the data, and its floor since Prague (EIP-2028, 7623)", () =>
    Effect.gen(function* () {
      const data = { request: { data: "0x00ff" }, code: "0x00" } as const
      assert.include(yield* outcome({ ...data, fork: "cancun" }), { gasUsed: 21_000n + 4n + 16n })
      assert.include(yield* outcome(data), { gasUsed: 21_000n + 10n + 40n })
    })
  )

  it.effect("makes what an access list names warm, at its price (EIP-2930)", () =>
    Effect.gen(function* () {
      const accessList = [{ address: OTHER, storageKeys: [word(1)] }] as const
      const code = `0x73${OTHER.slice(2)}3100` as const
      assert.include(yield* outcome({ code }), { gasUsed: 21_000n + 3n + 2600n })
      assert.include(yield* outcome({ code, request: { accessList } }), {
        gasUsed: 21_000n + 2400n + 1900n + 3n + 100n
      })
    })
  )
})

describe("a creation", () => {
  it.effect("gives the code of the contract", () =>
    Effect.gen(function* () {
      // init code that returns the bytes 60 2a
      const made = yield* outcome({ request: { to: null, data: "0x61602a5f526002601ef3" } })
      assert.include(made, { _tag: "Returned", data: "0x602a" })
    })
  )

  it.effect("by an account whose nonce is the last halts, and uses no more than the intrinsic gas (EIP-2681)", () =>
    Effect.gen(function* () {
      const request = { from: FROM, to: null, data: "0x5f5ff3", gas: 100_000n } as const
      const by = (nonce: bigint) => outcome({ request, accounts: { [FROM]: { nonce } }, fork: "shanghai" })
      // as geth 1.16.9 ends it: 21,000 + 32,000 for the creation, 2 for a word of code, 48 for the data
      const gasUsed = 21_000n + 32_000n + 2n + 2n * 16n + 16n
      assert.deepEqual(yield* by(2n ** 64n - 1n), { _tag: "Halted", halt: "nonce uint64 overflow", gasUsed })
      assert.include(yield* by(2n ** 64n - 2n), { _tag: "Returned" })
    })
  )
})

describe("a revert", () => {
  const reverting = (data: string) => ({ code: "0x365f5f37365ffd", request: { data: `0x${data}` } }) as const

  it.effect("is a proven result, with its bytes and its reason", () =>
    Effect.gen(function* () {
      const text = Buffer.from("not enough").toString("hex").padEnd(64, "0")
      const error = `08c379a0${word(32).slice(2)}${word(10).slice(2)}${text}`
      const { value } = yield* call(reverting(error))
      assert.strictEqual(value._tag, "VERIFIED")
      assert.include(value.value, { _tag: "Reverted", data: `0x${error}`, reason: "not enough" })
      const panic = `4e487b71${word(0x11).slice(2)}`
      assert.include(yield* outcome(reverting(panic)), { reason: "arithmetic underflow or overflow" })
      assert.include(yield* outcome(reverting("db42144d")), { data: "0xdb42144d", reason: undefined })
      assert.include(yield* outcome(reverting("")), { _tag: "Reverted", data: "0x", reason: undefined })
      // a text that is longer than the bytes
      const short = `08c379a0${word(32).slice(2)}${word(2n ** 200n).slice(2)}`
      assert.include(yield* outcome(reverting(short)), { reason: undefined })
    })
  )

  it.effect("differs from a halt, which has a name and takes all gas", () =>
    Effect.gen(function* () {
      const gas = 100_000n
      const halt = (code: Setting["code"]) => outcome({ code: code!, request: { gas } })
      assert.deepEqual(yield* halt("0xfe"), { _tag: "Halted", halt: "invalid opcode", gasUsed: gas })
      assert.deepEqual(yield* halt("0x5b5f56"), { _tag: "Halted", halt: "out of gas", gasUsed: gas })
      assert.deepEqual(yield* halt("0x5f56"), { _tag: "Halted", halt: "invalid JUMP", gasUsed: gas })
      const behindEnd = { _tag: "Halted", halt: "return data out of bounds", gasUsed: gas } as const
      assert.deepEqual(yield* halt("0x60015f5f3e"), behindEnd)
      assert.deepEqual(yield* halt("0x5f60015f3e"), behindEnd)
      assert.include(yield* halt("0x5f5f5f3e"), { _tag: "Returned" })
      assert.deepEqual(yield* halt("0x50"), { _tag: "Halted", halt: "stack underflow", gasUsed: gas })
    })
  )
})

describe("a precompiled contract", () => {
  const ones = (size: number) => "01".repeat(size)

  /** An input at which each precompiled contract that can fail does so, by its definition in the named EIP. */
  const failing: ReadonlyArray<readonly [number: number, why: string, input: string]> = [
    [0x05, "a base of 2^255 bytes (EIP-7823)", `80${"00".repeat(31)}${"00".repeat(64)}`],
    [0x06, "a point off the curve (EIP-196)", ones(128)],
    [0x07, "a point off the curve (EIP-196)", ones(96)],
    [0x08, "a point off the curve (EIP-197)", ones(192)],
    [0x08, "an input that is no pair (EIP-197)", ones(191)],
    [0x09, "an input of the wrong size (EIP-152)", ones(212)],
    [0x09, "a last byte that is neither 0 nor 1 (EIP-152)", `00000001${"00".repeat(208)}02`],
    [0x0b, "points off the curve (EIP-2537)", `${"00".repeat(16)}${ones(48)}`.repeat(4)],
    [0x0b, "an input of the wrong size (EIP-2537)", ones(255)],
    [0x0c, "a point off the curve (EIP-2537)", `${`${"00".repeat(16)}${ones(48)}`.repeat(2)}${ones(32)}`],
    [0x0c, "no input (EIP-2537)", ""],
    [0x0d, "points off the curve (EIP-2537)", `${"00".repeat(16)}${ones(48)}`.repeat(8)],
    [0x0e, "a point off the curve (EIP-2537)", `${`${"00".repeat(16)}${ones(48)}`.repeat(4)}${ones(32)}`],
    [0x0f, "points off the curve (EIP-2537)", `${"00".repeat(16)}${ones(48)}`.repeat(6)],
    [0x10, "a number above the field (EIP-2537)", `${"00".repeat(16)}${"ff".repeat(48)}`],
    [0x11, "numbers above the field (EIP-2537)", `${"00".repeat(16)}${"ff".repeat(48)}`.repeat(2)]
  ]
  const address = (number: number) => `0x${number.toString(16).padStart(40, "0")}` as const

  it.effect("that fails is a halt with all gas, and never a revert", () =>
    Effect.gen(function* () {
      const gas = 500_000n
      for (const [number, why, input] of failing) {
        const request = { to: address(number), data: `0x${input}`, gas } as const
        const ended = yield* outcome({ request, fork: "osaka" })
        assert.include(ended, { _tag: "Halted", gasUsed: gas }, `${number}: ${why}`)
      }
    })
  )

  it.effect("that fails in a call from code is a failed call without data", () =>
    Effect.gen(function* () {
      // CALL with the call's data and 200,000 gas; returns its success, and the size of the return data
      const calling = (number: number, input: string) => {
        const code =
          `0x365f5f375f5f365f5f61${number.toString(16).padStart(4, "0")}62030d40f15f523d60205260405ff3` as const
        return outcome({ code, request: { data: `0x${input}` }, fork: "osaka" })
      }
      for (const [number, why, input] of failing) {
        const ended = yield* calling(number, input)
        assert.include(ended, { _tag: "Returned", data: `0x${"00".repeat(64)}` }, `${number}: ${why}`)
      }
      assert.include(yield* calling(0x04, "ff"), { data: `0x${word(1).slice(2)}${word(1).slice(2)}` })
    })
  )
})

describe("the hardforks", () => {
  it("of known chains begin where @ethereumjs/common says", () => {
    for (const chain of [Mainnet, Sepolia, Holesky, Hoodi]) {
      const known = Hardforks.of(BigInt(chain.chainId))!
      const common = new Common({ chain })
      for (const activation of known.forks) {
        const theirs = chain.hardforks.find(({ name }) => name === activation.hardfork)!
        if (activation.time !== undefined) {
          assert.strictEqual(String(activation.time), String(theirs.timestamp), `${chain.name} ${activation.hardfork}`)
        } else if (chain === Mainnet && activation.hardfork !== "paris") {
          assert.strictEqual(activation.block, BigInt(theirs.block!), activation.hardfork)
        }
        // the block or second before, and the first one
        for (const before of [1n, 0n]) {
          const number = (activation.block ?? 30_000_000n + before) - before
          const timestamp = (activation.time ?? before) - before
          if (number < 0n || timestamp < 0n || activation.hardfork === "paris") continue
          if (chain !== Mainnet && activation.time === undefined) continue
          const { hardfork } = Hardforks.at(known, { number, timestamp })
          common.setHardforkBy({ blockNumber: number, timestamp })
          assert.isTrue(common.gteHardfork(hardfork), `${chain.name} ${hardfork}`)
          const next = Hardforks.names[Hardforks.names.indexOf(hardfork) + 1]!
          // Petersburg began with Constantinople, and our names leave out the forks that change no instruction
          const isNext = next.startsWith("bpo") && common.hardfork() === hardfork
          if (hardfork !== "byzantium" && !isNext) assert.isFalse(common.gteHardfork(next), `${chain.name} ${next}`)
        }
      }
    }
  })

  it.effect("must fit the header's fields", () =>
    Effect.gen(function* () {
      for (const [fork, told] of [
        ["cancun", "prague"],
        ["prague", "cancun"],
        ["shanghai", "london"],
        ["london", "shanghai"]
      ] as const) {
        const options = { chain: Hardforks.always(CHAIN_ID, told) }
        const error = yield* Effect.flip(call({ code: "0x00", fork, options }))
        assert.match(error.message, /not supported: the block does not fit the chain's rules/u)
      }
    })
  )

  it.effect("come from the program, never from the node", () =>
    Effect.gen(function* () {
      const none = yield* Effect.flip(call({ code: "0x00", options: {} }))
      assert.match(none.message, /not supported: a chain that is not named/u)
    })
  )

  it.effect("keep all digits of a chain's id, and refuse block numbers that the machine rounds", () =>
    Effect.gen(function* () {
      const id = 2n ** 60n + 1n
      const options = { chain: Hardforks.always(id, "prague") }
      assert.include(yield* outcome({ code: `0x46${RETURN}`, options }), { data: word(id) })
      // BLOCKHASH of the parent's parent
      const asked = { code: `0x6002430340${RETURN}`, options } as const
      const error = yield* Effect.flip(call({ ...asked, header: { number: 2n ** 53n + 3n } }))
      assert.match(error.message, /not supported: a block number of more than 53 bits/u)
    })
  )

  it("are not known for other chains", () => {
    assert.isUndefined(Hardforks.of(CHAIN_ID))
  })
})
