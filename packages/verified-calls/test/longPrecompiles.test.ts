/** Precompiled contracts whose gas pays for seconds of work in JavaScript. */
import { assert, describe, it } from "@effect/vitest"
import { Hex, Keccak256 } from "@plumbline/codec"
import { Effect } from "effect"

import { RunStopped } from "../src/evm/pace.ts"
import { type Run, runOnce } from "../src/evm/runOnce.ts"
import type { Hardfork } from "../src/rules/Hardforks.ts"
import { environmentOf } from "./support/calling.ts"
import { word } from "./support/madeNode.ts"

/** Runs a precompiled contract. */
const run = (
  to: number,
  data: string,
  { chainId = 1n, gas = 50_000_000n, hardfork = "prague", signal = new AbortController().signal }: Asked = {}
): Effect.Effect<Run | RunStopped> => {
  const hash = Keccak256.EMPTY
  const account = { exists: true, nonce: 0n, balance: 0n, codeHash: hash, storageRoot: hash, slots: new Map() }
  const view = { account: () => account, code: () => undefined, blockHash: () => hash }
  const environment = environmentOf({
    chainId,
    hardfork,
    number: 1000n,
    to: `0x${to.toString(16).padStart(40, "0")}`,
    data: Hex.toBytesUnsafe(`0x${data}`),
    gasLimit: gas
  })
  return Effect.promise(() =>
    runOnce(environment, view, signal).catch((error: unknown) => {
      if (error instanceof RunStopped) return error
      throw error
    })
  )
}

interface Asked {
  readonly chainId?: bigint
  readonly gas?: bigint
  readonly hardfork?: Hardfork
  readonly signal?: AbortSignal
}

const returned = (found: Run | RunStopped) => ("ended" in found ? found.ended.outcome : found)

const digits = (n: bigint | number) => word(n).slice(2)

/** The input of MODEXP. */
const powerOf = (...numbers: readonly [string, string, string]) =>
  `${numbers.map((number) => digits(number.length / 2)).join("")}${numbers.join("")}`

/** The generators of EIP-2537, as its precompiled contracts take them. */
const G1 =
  "0000000000000000000000000000000017f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb" +
  "0000000000000000000000000000000008b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1"
const G2 =
  "00000000000000000000000000000000024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8" +
  "0000000000000000000000000000000013e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e" +
  "000000000000000000000000000000000ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801" +
  "000000000000000000000000000000000606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be"

describe("long work of a precompiled contract", () => {
  it.live("gives way: powers, and sums of many multiples of points", () =>
    Effect.gen(function* () {
      const odd = `${"fe".repeat(1023)}ff`
      const works: ReadonlyArray<readonly [number, string]> = [
        [0x05, powerOf("aa".repeat(1024), "ff".repeat(1024), odd)],
        [0x0c, `${G1}${"73".repeat(32)}`.repeat(100)],
        [0x0e, `${G2}${"73".repeat(32)}`.repeat(50)]
      ]
      for (const [address, data] of works) {
        // a run asks at its turns whether it was cancelled
        const ended = yield* run(address, data, { signal: AbortSignal.abort() })
        assert.deepEqual(ended, new RunStopped("cancelled"), `0x${address.toString(16)}`)
      }
    })
  )

  it.effect("is refused beyond a size that no contract needs", () =>
    Effect.gen(function* () {
      const works: ReadonlyArray<readonly [number, string, string]> = [
        // an exponent of 2 MB, of which the data has one byte
        [0x05, `${digits(0)}${digits(2_000_000)}${digits(1)}01`, "0x05 with numbers of more than 1024 bytes"],
        [0x08, `${digits(1)}${digits(2)}${"00".repeat(128)}`.repeat(17), "0x08 with more than 16 pairs"],
        [0x09, `00010001${"00".repeat(208)}01`, "0x09 with more than 65536 rounds"],
        [0x0f, `${G1}${G2}`.repeat(17), "0x0f with more than 16 pairs"]
      ]
      for (const [address, data, what] of works) {
        const ended = yield* run(address, data)
        assert.strictEqual(
          "error" in ended ? ended.error.message : "",
          `not supported: the precompiled contract ${what}`
        )
      }
    })
  )

  it.effect("that the gas does not pay for, or that Osaka forbids, fails as in nodes", () =>
    Effect.gen(function* () {
      const rounds = `00010001${"00".repeat(208)}01`
      assert.include(returned(yield* run(0x09, rounds, { gas: 60_000n })), { _tag: "Halted", gasUsed: 60_000n })
      const pairs = `${G1}${G2}`.repeat(17)
      assert.include(returned(yield* run(0x0f, pairs, { gas: 400_000n })), { _tag: "Halted", gasUsed: 400_000n })
      const exponent = `${digits(0)}${digits(2_000_000)}${digits(1)}01`
      const forbidden = yield* run(0x05, exponent, { hardfork: "osaka" })
      assert.include(returned(forbidden), { _tag: "Halted", gasUsed: 50_000_000n })
    })
  )
})

describe("powers", () => {
  it.effect("are those of EIP-198", () =>
    Effect.gen(function* () {
      const p = "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"
      const less = "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2e"
      assert.include(returned(yield* run(0x05, powerOf("03", less, p))), { _tag: "Returned", data: word(1) })
      assert.include(returned(yield* run(0x05, powerOf("", less, p))), { _tag: "Returned", data: word(0) })
      // zeros follow the data, as in the EIP's last example: 3 ** 0xffff by 2 ** 255
      const short = `${digits(1)}${digits(2)}${digits(32)}03ffff80`
      assert.include(returned(yield* run(0x05, short)), {
        data: "0x3b01b01ac41f2d6e917c6d6a221ce793802469026d9ab7578fa2e79e4da6aaab"
      })
      assert.include(returned(yield* run(0x05, powerOf("03", "", ""))), { _tag: "Returned", data: "0x" })
      assert.include(returned(yield* run(0x05, powerOf("03", "02", "0000"))), { _tag: "Returned", data: "0x0000" })
      assert.include(returned(yield* run(0x05, powerOf("03", "00", "01"))), { _tag: "Returned", data: "0x00" })
      assert.include(returned(yield* run(0x05, "")), { _tag: "Returned", data: "0x" })
    })
  )
})

describe("sums of multiples", () => {
  it.effect("of one point twice are its double, at the price of both", () =>
    Effect.gen(function* () {
      for (const [sum, adds, point, gas] of [
        [0x0c, 0x0b, G1, 22_776n],
        [0x0e, 0x0d, G2, 45_000n]
      ] as const) {
        const twice = returned(yield* run(sum, `${point}${digits(1)}`.repeat(2)))
        const double = returned(yield* run(adds, `${point}${point}`))
        assert.ok("data" in twice && "data" in double)
        assert.strictEqual(twice.data, double.data)
        const once = returned(yield* run(sum, `${point}${digits(2)}`))
        assert.include(once, { _tag: "Returned", data: double.data })
        // without the floor of the data: the price of the contract alone
        const least = gas + 21_000n
        assert.ok(twice.gasUsed > least)
      }
    })
  )

  it.effect("fail as a whole at a wrong point, a wrong length and no data", () =>
    Effect.gen(function* () {
      const good = `${G1}${digits(1)}`
      for (const data of [`${good}${digits(1)}${digits(1)}${digits(1)}${digits(1)}${digits(1)}`, `${good}00`, ""]) {
        assert.include(returned(yield* run(0x0c, data)), { _tag: "Halted", gasUsed: 50_000_000n })
      }
    })
  )
})

describe("on a chain that may have precompiled contracts of its own", () => {
  /** Returns what a run refuses; undefined if it ended. */
  const refused = (found: Run | RunStopped) =>
    "error" in found && found.error.reason._tag === "Unsupported" ? found.error.reason.what : undefined

  it.effect("0x100 is refused, and not on Ethereum", () =>
    Effect.gen(function* () {
      for (const hardfork of ["shanghai", "cancun", "prague", "osaka"] as const) {
        assert.include(refused(yield* run(0x100, "00", { chainId: 10n, hardfork })), "0x100")
        assert.isUndefined(refused(yield* run(0x100, "00", { hardfork })))
      }
      // other addresses have no such rule
      assert.isUndefined(refused(yield* run(0x101, "00", { chainId: 10n })))
    })
  )

  it.effect("0x05 is refused since Osaka, whose price rollups do not have", () =>
    Effect.gen(function* () {
      const data = powerOf("03", "05", "07")
      assert.include(refused(yield* run(0x05, data, { chainId: 10n, hardfork: "osaka" })), "0x05 since Osaka")
      for (const asked of [{ chainId: 10n }, { hardfork: "osaka" }, { chainId: 31_337n, hardfork: "osaka" }] as const) {
        assert.deepInclude(returned(yield* run(0x05, data, asked)), { _tag: "Returned", data: "0x05" })
      }
    })
  )

  it.effect("an input above the lowest limit of rollups is refused, and not on Ethereum", () =>
    Effect.gen(function* () {
      // a creation of nothing: points at infinity, of which each costs gas
      const zeros = (bytes: number) => "00".repeat(bytes)
      for (const [address, size, limit] of [
        [0x0c, 160, 288_960],
        [0x0e, 288, 278_784]
      ] as const) {
        const over = zeros(size * (Math.floor(limit / size) + 1))
        const few = { gas: 1_000n }
        assert.include(
          refused(yield* run(address, over, { chainId: 10n, gas: 50_000_000_000n })),
          "bytes on another chain"
        )
        assert.isUndefined(refused(yield* run(address, zeros(size), { chainId: 10n })))
        assert.isUndefined(refused(yield* run(address, over, few)))
      }
    })
  )
})
