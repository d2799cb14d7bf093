/** Precompiled contracts of chains other than Ethereum, reached by each instruction that runs or reads code. */
import { assert, it } from "@effect/vitest"
import { Hardforks } from "@plumbline/verified-calls"
import { Effect } from "effect"

import { call } from "./support/calling.ts"

const RETURN = "5f5260205ff3"

/** Code that uses an address, and returns a word. */
const uses = (address: number): ReadonlyArray<readonly [name: string, code: `0x${string}`]> => {
  const at = `61${address.toString(16).padStart(4, "0")}`
  // gas, address, value if there is one, and four zeros
  const run = (instruction: string, hasValue: boolean): `0x${string}` =>
    `0x5f5f5f5f${hasValue ? "5f" : ""}${at}620186a0${instruction}${RETURN}`
  return [
    ["CALL", run("f1", true)],
    ["CALLCODE", run("f2", true)],
    ["DELEGATECALL", run("f4", false)],
    ["STATICCALL", run("fa", false)],
    ["EXTCODEHASH", `0x${at}3f${RETURN}`],
    ["EXTCODESIZE", `0x${at}3b${RETURN}`],
    ["BALANCE", `0x${at}31${RETURN}`],
    ["EXTCODECOPY", `0x60205f5f${at}3c5f51${RETURN}`]
  ]
}

const outcomeOf = (chainId: bigint, hardfork: Hardforks.Hardfork, code: `0x${string}`) =>
  Effect.map(Effect.result(call({ code, options: { chain: Hardforks.always(chainId, hardfork) } })), (ran) =>
    ran._tag === "Success" ? ran.success.value._tag : ran.failure.message
  )

it.effect("are refused however code uses them", () =>
  Effect.gen(function* () {
    for (const [hardfork, address] of [
      ["prague", 0x100],
      ["osaka", 0x100],
      ["osaka", 0x05]
    ] as const) {
      for (const [name, code] of uses(address)) {
        const about = `${name} of ${address} in ${hardfork}`
        assert.match(yield* outcomeOf(10n, hardfork, code), /the precompiled contract 0x(?:100|05)/u, about)
        assert.strictEqual(yield* outcomeOf(31_337n, hardfork, code), "VERIFIED", about)
      }
    }
  })
)
