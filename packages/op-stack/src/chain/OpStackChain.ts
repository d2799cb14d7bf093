/**
 * A chain of the OP stack as data: its parent chain, the contract that leads to all others, and the times of its forks.
 *
 * `OpStackChains` has the chains of the public registry. Any other chain is a value of the same type, or a JSON file that
 * `fromJson` reads.
 */
import * as Address from "@plumbline/codec/value/Address"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import { OpStackChainError } from "./OpStackChainError.ts"

/** The forks that change blocks, receipts or the EVM, in their order. */
export const forkNames = ["canyon", "ecotone", "fjord", "granite", "holocene", "isthmus", "jovian", "karst"] as const

/** The name of a fork. */
export type ForkName = (typeof forkNames)[number]

/** A chain. Addresses are those of proxies on the parent chain. */
export interface OpStackChain {
  readonly chainId: bigint
  readonly name: string
  /** Id of the parent chain, on which the contracts are. */
  readonly l1ChainId: bigint
  /** The address of SystemConfig, from which the other contracts follow. */
  readonly systemConfig: string
  /** The AnchorStateRegistry of a chain whose portal is older than version 4.6 and so does not name it. */
  readonly anchorStateRegistry?: { readonly address: string } | undefined
  /**
   * Activation times in seconds since 1970: a fork is active in a block whose timestamp is at least this time. A fork
   * without a time is not scheduled, as far as this table knows.
   */
  readonly forks: Readonly<Partial<Record<ForkName, bigint>>>
  /** Versions of implementations that the public registry does not list, by address. */
  readonly implementations?:
    | {
        readonly optimismPortal?: Readonly<Record<string, string>> | undefined
        readonly anchorStateRegistry?: Readonly<Record<string, string>> | undefined
      }
    | undefined
}

/**
 * Returns the newest fork that is active at a time, in seconds since 1970. Undefined before Canyon, and for a chain
 * without times.
 *
 * ```ts import.meta.vitest
 * import { OpStackChain, OpStackChains } from "@plumbline/op-stack"
 *
 * const optimism = OpStackChains.byId(10n)!
 * OpStackChain.forkAt(optimism, 1_704_992_400n) // => undefined
 * OpStackChain.forkAt(optimism, 1_704_992_401n) // => "canyon"
 * OpStackChain.forkAt(optimism, 1_764_691_201n) // => "jovian"
 * ```
 */
export const forkAt = ({ forks }: OpStackChain, timestamp: bigint): ForkName | undefined =>
  forkNames.findLast((name) => {
    const time = forks[name]
    return time !== undefined && time <= timestamp
  })

/**
 * Returns the fork of Ethereum whose EVM the chain runs after its own fork. Source: OP-stack specifications, the pages of
 * Canyon (Shanghai), Ecotone (Cancun) and Isthmus (Prague); op-revm for Karst (Osaka). Before Canyon it is that of the
 * Merge. A chain's own precompiled contracts and their limits are not part of this name.
 *
 * ```ts import.meta.vitest
 * import { OpStackChain } from "@plumbline/op-stack"
 *
 * OpStackChain.evmOf(undefined) // => "paris"
 * OpStackChain.evmOf("granite") // => "cancun"
 * ```
 */
export const evmOf = (fork: ForkName | undefined): "paris" | "shanghai" | "cancun" | "prague" | "osaka" => {
  switch (fork) {
    case undefined:
      return "paris"
    case "canyon":
      return "shanghai"
    case "ecotone":
    case "fjord":
    case "granite":
    case "holocene":
      return "cancun"
    case "isthmus":
    case "jovian":
      return "prague"
    case "karst":
      return "osaka"
  }
}

/** The rules of the EVM of a chain: Ethereum's forks, and their beginnings, oldest first. */
export interface EvmForks {
  readonly chainId: bigint
  readonly forks: ReadonlyArray<{
    readonly hardfork: ReturnType<typeof evmOf>
    readonly block?: bigint
    readonly time?: bigint
  }>
}

/**
 * Returns the rules by which calls of a chain are run, as `VerifiedCalls` of `@plumbline/verified-calls` takes them.
 * Undefined for a chain without times of forks. The times must be complete: a fork that the description leaves out is
 * taken as not scheduled, and calls after it would be run by the rules before it.
 *
 * The engine refuses what chains of the OP stack have besides: the precompiled contract 0x100, and inputs
 * above the limits of precompiled contracts.
 *
 * ```ts import.meta.vitest
 * import { OpStackChain, OpStackChains } from "@plumbline/op-stack"
 *
 * const rules = OpStackChain.evmForks(OpStackChains.byId(10n)!)
 * rules?.forks[1] // => { hardfork: "shanghai", time: 1_704_992_401n }
 * rules?.forks.map(({ hardfork }) => hardfork) // => ["paris", "shanghai", "cancun", "prague", "osaka"]
 * ```
 */
export const evmForks = ({ chainId, forks }: OpStackChain): EvmForks | undefined => {
  const found: Array<EvmForks["forks"][number]> = [{ hardfork: evmOf(undefined), block: 0n }]
  for (const name of forkNames) {
    const time = forks[name]
    const hardfork = evmOf(name)
    if (time !== undefined && found.at(-1)!.hardfork !== hardfork) found.push({ hardfork, time })
  }
  return found.length === 1 ? undefined : { chainId, forks: found }
}

/** An address in text, kept in lower case. */
const address = Schema.String.pipe(
  Schema.check(Schema.makeFilter((text: string) => Address.isAddress(text) || "expected an address of 20 bytes"))
)

const number = Schema.Number.pipe(Schema.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(0)))

const versions = Schema.optionalKey(Schema.Record(address, Schema.String))

const file = Schema.Struct({
  chainId: number,
  name: Schema.String,
  l1ChainId: number,
  systemConfig: address,
  anchorStateRegistry: Schema.optionalKey(Schema.Struct({ address })),
  forks: Schema.optionalKey(Schema.Record(Schema.Literals(forkNames), Schema.optionalKey(number))),
  implementations: Schema.optionalKey(Schema.Struct({ optimismPortal: versions, anchorStateRegistry: versions }))
})

const decode = Schema.decodeUnknownResult(file, { onExcessProperty: "error" })

/** Returns the mistakes of a value, which are on several lines, as one line. They do not contain the value. */
const oneLine = (message: string): string => message.replaceAll(/\n +at/gu, " at").replaceAll("\n", ", ")

/** Maximum length of a file, in characters. */
const MAX_LENGTH = 65_536

/**
 * Reads a chain from the JSON text of a file. Numbers are numbers; unknown fields are refused, because a mistyped name
 * would otherwise be ignored. Fails with `OpStackChainError`.
 *
 * ```ts import.meta.vitest
 * import { OpStackChain } from "@plumbline/op-stack"
 * import { Result } from "effect"
 *
 * const text = JSON.stringify({
 *   chainId: 901,
 *   name: "our chain",
 *   l1ChainId: 900,
 *   systemConfig: "0x229047fed2591dbec1ef1118d64f7af3db9eb290",
 *   forks: { isthmus: 0 }
 * })
 * const chain = Result.getOrThrow(OpStackChain.fromJson(text))
 * OpStackChain.forkAt(chain, 1n) // => "isthmus"
 * ```
 */
export const fromJson = (text: string): Result.Result<OpStackChain, OpStackChainError> => {
  if (text.length > MAX_LENGTH) {
    return Result.fail(new OpStackChainError({ problem: `it has more than ${MAX_LENGTH} characters` }))
  }
  const parsed = Result.try({
    try: (): unknown => JSON.parse(text),
    catch: () => new OpStackChainError({ problem: "it is not JSON" })
  })
  const decoded = Result.flatMap(parsed, (value) =>
    Result.mapError(decode(value), ({ message }) => new OpStackChainError({ problem: oneLine(message) }))
  )
  return Result.map(decoded, (chain) => ({
    ...chain,
    chainId: BigInt(chain.chainId),
    l1ChainId: BigInt(chain.l1ChainId),
    forks: Object.fromEntries(Object.entries(chain.forks ?? {}).map(([fork, time]) => [fork, BigInt(time)]))
  }))
}
