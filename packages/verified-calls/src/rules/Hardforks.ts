/**
 * The rules of a chain: which hardfork is in force at which block.
 *
 * A header does not name its hardfork. So the rules are configuration, and never a node's answer: a node that could name
 * them could change the outcome of a call. The fields of a header must fit the hardfork that the table gives.
 *
 * Sources: execution-specs (the forks' activations), EIP-7892 (blob parameters), EIP-7910.
 */
import type { CallRules } from "@plumbline/eth-methods/call/CallEngine"
import type * as Block from "@plumbline/eth-methods/model/Block"

/** The names of the rules, as in @ethereumjs/common, oldest first. `bpo1` to `bpo5` change only the price of blobs. */
export const names = [
  "chainstart",
  "homestead",
  "tangerineWhistle",
  "spuriousDragon",
  "byzantium",
  "constantinople",
  "petersburg",
  "istanbul",
  "berlin",
  "london",
  "paris",
  "shanghai",
  "cancun",
  "prague",
  "osaka",
  "bpo1",
  "bpo2",
  "bpo3",
  "bpo4",
  "bpo5"
] as const

/** The name of a hardfork. */
export type Hardfork = (typeof names)[number]

/** A hardfork of a chain, and its beginning. */
export interface Activation {
  readonly hardfork: Hardfork
  /** The first block, for forks up to Paris. */
  readonly block?: bigint | undefined
  /** The first time, in seconds since 1970, for forks since Shanghai. */
  readonly time?: bigint | undefined
  /** `baseFeeUpdateFraction` of the blob schedule from then on, if it differs from that of Ethereum's own fork. */
  readonly blobUpdateFraction?: bigint | undefined
}

/** A chain and its hardforks, oldest first. */
export interface ChainForks {
  readonly chainId: bigint
  readonly forks: ReadonlyArray<Activation>
}

/** The hardfork in force, and the blob schedule's update fraction. */
export interface ActiveFork {
  readonly hardfork: Hardfork
  readonly blobUpdateFraction: bigint | undefined
}

/**
 * Returns a chain whose blocks all follow the rules of one hardfork, such as a development node.
 *
 * ```ts import.meta.vitest
 * import { Hardforks } from "@plumbline/verified-calls"
 *
 * const anvil = Hardforks.always(31337n, "prague")
 * Hardforks.at(anvil, { number: 0n, timestamp: 0n }).hardfork // => "prague"
 * ```
 */
export const always = (chainId: bigint, hardfork: Hardfork): ChainForks => ({
  chainId,
  forks: [{ hardfork, block: 0n }]
})

/** Returns the forks of a chain that is known here; undefined for any other chain. */
export const of = (chainId: bigint): ChainForks | undefined => known.get(chainId)

/**
 * True for a chain that may have precompiled contracts, prices and limits of its own: any that is not known here, except
 * 31337, the usual id of development nodes, which follow Ethereum.
 *
 * ```ts import.meta.vitest
 * import { Hardforks } from "@plumbline/verified-calls"
 *
 * Hardforks.hasOwnContracts(10n) // => true
 * Hardforks.hasOwnContracts(1n) // => false
 * ```
 */
export const hasOwnContracts = (chainId: bigint): boolean => !known.has(chainId) && chainId !== DEVELOPMENT

const DEVELOPMENT = 31_337n

/** Returns the hardfork of a block, by its number and time. */
export const at = (chain: ChainForks, block: { readonly number: bigint; readonly timestamp: bigint }): ActiveFork => {
  let hardfork: Hardfork = "chainstart"
  let blobUpdateFraction: bigint | undefined
  for (const fork of chain.forks) {
    const begun = fork.time === undefined ? block.number >= (fork.block ?? 0n) : block.timestamp >= fork.time
    if (!begun) break
    hardfork = fork.hardfork
    blobUpdateFraction =
      fork.blobUpdateFraction ?? BLOB_FRACTIONS[hardfork] ?? blobUpdateFraction ?? KEPT_FRACTIONS[hardfork]
  }
  return { hardfork, blobUpdateFraction }
}

/** Returns the rules for calls in the state after a block of a chain. */
export const rulesAt = (
  chain: ChainForks,
  block: { readonly number: bigint; readonly timestamp: bigint }
): CallRules => ({ chainId: chain.chainId, ...at(chain, block) })

/**
 * Returns a chain whose blocks all follow these rules, such as those that a proof bundle names; undefined if no hardfork
 * has the name.
 *
 * ```ts import.meta.vitest
 * import { Hardforks } from "@plumbline/verified-calls"
 *
 * const block = { number: 22_500_000n, timestamp: 1_747_500_000n }
 * const rules = Hardforks.rulesAt(Hardforks.of(1n)!, block)
 * rules // => { chainId: 1n, hardfork: "prague", blobUpdateFraction: 5_007_716n }
 * Hardforks.rulesAt(Hardforks.ofRules(rules)!, block) // => rules
 * Hardforks.ofRules({ ...rules, hardfork: "atlantis" }) // => undefined
 * ```
 */
export const ofRules = ({ blobUpdateFraction, chainId, hardfork }: CallRules): ChainForks | undefined => {
  const named = names.find((name) => name === hardfork)
  return named === undefined ? undefined : { chainId, forks: [{ hardfork: named, block: 0n, blobUpdateFraction }] }
}

/** True if the first hardfork is the second one or a later one. */
export const isSince = (hardfork: Hardfork, first: Hardfork): boolean => names.indexOf(hardfork) >= names.indexOf(first)

/**
 * Returns the first fault of a header whose fields do not fit a hardfork; undefined if they fit. Each fork since London
 * added a field, and the field is there exactly from that fork on.
 */
export const faultOf = (hardfork: Hardfork, header: Block.Block): string | undefined => {
  for (const [name, since] of FIELDS) {
    const present = (header[name] ?? undefined) !== undefined
    if (present !== (since !== undefined && isSince(hardfork, since))) {
      return `a header of ${hardfork} ${present ? "has no" : "has the"} field ${name}`
    }
  }
  return isSince(hardfork, "paris") && (header.difficulty ?? 0n) !== 0n
    ? `a header of ${hardfork} has no difficulty`
    : undefined
}

/** The fields that forks added to the header. No fork that is known here has the last two. */
const FIELDS = [
  ["baseFeePerGas", "london"],
  ["withdrawalsRoot", "shanghai"],
  ["excessBlobGas", "cancun"],
  ["parentBeaconBlockRoot", "cancun"],
  ["requestsHash", "prague"],
  ["blockAccessListHash", undefined],
  ["slotNumber", undefined]
] as const satisfies ReadonlyArray<readonly [keyof Block.Header, Hardfork | undefined]>

const BLOB_FRACTIONS: Partial<Record<Hardfork, bigint>> = {
  cancun: 3_338_477n,
  prague: 5_007_716n,
  bpo1: 8_346_193n,
  bpo2: 11_684_671n
}

/** Those of forks that change no schedule, for a chain that begins with one: Osaka keeps Prague's. */
const KEPT_FRACTIONS: Partial<Record<Hardfork, bigint>> = { osaka: 5_007_716n }

const fork = (hardfork: Hardfork, block: bigint): Activation => ({ hardfork, block })
const since = (hardfork: Hardfork, time: bigint): Activation => ({ hardfork, time })

const merged = (chainId: bigint, paris: bigint, times: ReadonlyArray<readonly [Hardfork, bigint]>): ChainForks => ({
  chainId,
  forks: [fork("london", 0n), fork("paris", paris), ...times.map(([hardfork, time]) => since(hardfork, time))]
})

const chains: ReadonlyArray<ChainForks> = [
  {
    chainId: 1n,
    forks: [
      fork("chainstart", 0n),
      fork("homestead", 1_150_000n),
      fork("tangerineWhistle", 2_463_000n),
      fork("spuriousDragon", 2_675_000n),
      fork("byzantium", 4_370_000n),
      fork("petersburg", 7_280_000n),
      fork("istanbul", 9_069_000n),
      fork("berlin", 12_244_000n),
      fork("london", 12_965_000n),
      fork("paris", 15_537_394n),
      since("shanghai", 1_681_338_455n),
      since("cancun", 1_710_338_135n),
      since("prague", 1_746_612_311n),
      since("osaka", 1_764_798_551n),
      since("bpo1", 1_765_290_071n),
      since("bpo2", 1_767_747_671n)
    ]
  },
  merged(11_155_111n, 1_450_409n, [
    ["shanghai", 1_677_557_088n],
    ["cancun", 1_706_655_072n],
    ["prague", 1_741_159_776n],
    ["osaka", 1_760_427_360n],
    ["bpo1", 1_761_017_184n],
    ["bpo2", 1_761_607_008n]
  ]),
  merged(17_000n, 0n, [
    ["shanghai", 1_696_000_704n],
    ["cancun", 1_707_305_664n],
    ["prague", 1_740_434_112n],
    ["osaka", 1_759_308_480n],
    ["bpo1", 1_759_800_000n],
    ["bpo2", 1_760_389_824n]
  ]),
  merged(560_048n, 0n, [
    ["shanghai", 0n],
    ["cancun", 0n],
    ["prague", 1_742_999_832n],
    ["osaka", 1_761_677_592n],
    ["bpo1", 1_762_365_720n],
    ["bpo2", 1_762_955_544n]
  ])
]

const known: ReadonlyMap<bigint, ChainForks> = new Map(chains.map((chain) => [chain.chainId, chain]))
