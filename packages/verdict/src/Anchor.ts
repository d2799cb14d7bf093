/** The trusted hash from which a verdict follows. */

/** A hash that the caller trusts. Everything else follows from it by hashing. */
export type Anchor = BlockAnchor | LightClientAnchor | RollupAnchor | TransactionAnchor | CidAnchor

/**
 * A hash that no proof settles: only nodes vouch for it, or a claim on a rollup's parent chain that can still fall. An
 * answer that follows from it is CLAIMED, never VERIFIED.
 */
export type WeakAnchor = QuorumAnchor | OperatorAnchor | UnsettledAnchor

/** The hash of a block. */
export interface BlockAnchor {
  readonly _tag: "Block"
  readonly hash: `0x${string}`
}

/**
 * The hash of an execution block. A light client of the beacon chain started at a checkpoint and reached this block.
 */
export interface LightClientAnchor {
  readonly _tag: "LightClient"
  readonly hash: `0x${string}`
  /** The root of the beacon block from which the light client started. The reader named it. */
  readonly checkpoint: `0x${string}`
  /** The slot of the beacon block that names the execution block. */
  readonly slot: bigint
  /**
   * The finality of the beacon block. `finalized`: members signed a state that names the block as finalized.
   * `optimistic`: members signed the block, which can still be reorganised. `forced`: the block counts as finalized
   * only because finality was missing for a period. `checkpoint`: the reader named the block, and no member has signed
   * yet.
   */
  readonly finality: "finalized" | "optimistic" | "forced" | "checkpoint"
  /** Number of members of the sync committee that signed, and the size of the committee: 512 on public networks. */
  readonly participation: readonly [signed: number, size: number]
  /**
   * Whole seconds from the beginning of the slot to the read. A program that keeps an anchor must add the time since
   * then.
   */
  readonly age: number
}

/**
 * The hash of a block of a rollup. Contracts of its parent chain (L1) hold the rollup's state, and their storage is proven
 * from a trusted block of L1. The parent chain vouches for the block as far as its contracts do: read `state`.
 */
export interface RollupAnchor extends RollupBlock {
  readonly _tag: "Rollup"
  /**
   * The standing of the block on L1. `settled`: it is the anchor of the rollup's contracts, which nobody disproved in
   * time. `starting`: the owner of the contracts named it, and no dispute game is settled yet.
   */
  readonly state: "settled" | "starting"
}

/** A block of a rollup, as contracts of L1 name it. */
interface RollupBlock {
  readonly hash: `0x${string}`
  /** Id of the rollup's chain. */
  readonly chainId: bigint
  /** The address of the dispute game that claimed the block. Undefined if the contracts name none. */
  readonly game: `0x${string}` | undefined
  /** The type of the game, which says how a claim is disputed. Undefined without a game. */
  readonly gameType: number | undefined
  /** The time at which the game was resolved, in seconds since 1970. Undefined without a resolved game. */
  readonly resolvedAt: bigint | undefined
  /** The versions of the contracts whose storage was read, by the contracts' names. */
  readonly contracts: Readonly<Record<string, string>>
  /** The anchor of L1 from which the storage was proven. A rollup can itself be the parent of another one. */
  readonly l1: BlockAnchor | LightClientAnchor | RollupAnchor
  /** Whole seconds from the block's timestamp to the read. */
  readonly age: number
}

/** The hash of a transaction. */
export interface TransactionAnchor {
  readonly _tag: "Transaction"
  readonly hash: `0x${string}`
}

/** A content identifier of IPFS, as text. */
export interface CidAnchor {
  readonly _tag: "Cid"
  readonly hash: string
}

/** The hash of a block that several nodes name. Nodes of one operator count once. */
export interface QuorumAnchor {
  readonly _tag: "Quorum"
  readonly hash: `0x${string}`
  /** Number of operators that name the hash. */
  readonly agree: number
  /** Number of operators that were asked. */
  readonly of: number
  /** The names of the operators that name the hash. */
  readonly names: ReadonlyArray<string>
  /** True if the reader accepts, by name, answers that rest on this anchor. They are still CLAIMED. */
  readonly accepted: boolean
}

/** The hash of a block that a node of the operator names. */
export interface OperatorAnchor {
  readonly _tag: "Operator"
  readonly hash: `0x${string}`
  /** True if the reader accepts, by name, answers that rest on this anchor. They are still CLAIMED. */
  readonly accepted: boolean
}

/**
 * The hash of a block of a rollup that a dispute game on L1 claims, and that L1 does not settle. The game is proven, its
 * claim is not: it can still fall.
 */
export interface UnsettledAnchor extends RollupBlock {
  readonly _tag: "Unsettled"
  /**
   * The standing of the claim on L1. `resolved`: its defender won, and the guardian can still void the game. `proposed`:
   * the game is open to dispute, and whoever made it posted a bond.
   */
  readonly state: "resolved" | "proposed"
  readonly game: `0x${string}`
  readonly gameType: number
  /** True if the reader accepts, by name, answers that rest on this anchor. They are still CLAIMED. */
  readonly accepted: boolean
}

/** Makes an anchor of the hash of a block. */
export const block = (hash: `0x${string}`): BlockAnchor => ({ _tag: "Block", hash })

/**
 * Makes an anchor of a block that a light client follows.
 *
 * ```ts import.meta.vitest
 * import { Anchor } from "@plumbline/verdict"
 *
 * const anchor = Anchor.lightClient({
 *   hash: "0xab",
 *   checkpoint: "0xcd",
 *   slot: 14n,
 *   finality: "optimistic",
 *   participation: [509, 512],
 *   age: 14
 * })
 * Anchor.equals(anchor, { ...anchor, finality: "finalized" }) // => true
 * Anchor.equals(anchor, Anchor.block("0xab")) // => false
 * ```
 */
export const lightClient = (fields: Omit<LightClientAnchor, "_tag">): LightClientAnchor => ({
  _tag: "LightClient",
  ...fields
})

/**
 * Makes an anchor of a block of a rollup that its parent chain vouches for.
 *
 * ```ts import.meta.vitest
 * import { Anchor } from "@plumbline/verdict"
 *
 * const anchor = Anchor.rollup({
 *   hash: "0xab",
 *   chainId: 10n,
 *   state: "starting",
 *   game: undefined,
 *   gameType: undefined,
 *   resolvedAt: undefined,
 *   contracts: { optimismPortal: "5.6.1" },
 *   l1: Anchor.block("0xcd"),
 *   age: 700_000
 * })
 * Anchor.toText(anchor) // => "rollup 10 starting l1 0xcd"
 * Anchor.equals(anchor, Anchor.block("0xab")) // => false
 * ```
 */
export const rollup = (fields: Omit<RollupAnchor, "_tag">): RollupAnchor => ({ _tag: "Rollup", ...fields })

/** Makes an anchor of a block of a rollup that a game on its parent chain claims. */
export const unsettled = (fields: Omit<UnsettledAnchor, "_tag">): UnsettledAnchor => ({ _tag: "Unsettled", ...fields })

/** Makes an anchor of the hash of a transaction. */
export const transaction = (hash: `0x${string}`): TransactionAnchor => ({ _tag: "Transaction", hash })

/** Makes an anchor of a CID. */
export const cid = (hash: string): CidAnchor => ({ _tag: "Cid", hash })

/** Makes an anchor of a block that a quorum of nodes names. */
export const quorum = (fields: Omit<QuorumAnchor, "_tag">): QuorumAnchor => ({ _tag: "Quorum", ...fields })

/** Makes an anchor of a block that the operator's node names. */
export const operator = (fields: Omit<OperatorAnchor, "_tag">): OperatorAnchor => ({ _tag: "Operator", ...fields })

/** True if no proof settles the hash. */
export const isWeak = (anchor: Anchor | WeakAnchor): anchor is WeakAnchor =>
  anchor._tag === "Quorum" || anchor._tag === "Operator" || anchor._tag === "Unsettled"

/**
 * True if both anchors are the same hash of the same kind. Upper and lower case are the same in hex, but not in a CID.
 *
 * ```ts import.meta.vitest
 * import { Anchor } from "@plumbline/verdict"
 *
 * Anchor.equals(Anchor.block("0xAB"), Anchor.block("0xab")) // => true
 * Anchor.equals(Anchor.block("0xab"), Anchor.transaction("0xab")) // => false
 * ```
 */
export const equals = (a: Anchor | WeakAnchor, b: Anchor | WeakAnchor): boolean =>
  a._tag === b._tag && (a.hash === b.hash || (a._tag !== "Cid" && a.hash.toLowerCase() === b.hash.toLowerCase()))

/**
 * Returns the anchor as one line of ASCII, as the header `Plumbline-Anchor` carries it.
 *
 * ```ts import.meta.vitest
 * import { Anchor } from "@plumbline/verdict"
 *
 * const names = ["own", "provider"]
 * Anchor.toText(Anchor.quorum({ hash: "0xab", agree: 2, of: 3, names, accepted: true })) // => "quorum 2/3"
 * Anchor.toText(Anchor.block("0xab")) // => "block 0xab"
 * ```
 */
export const toText = (anchor: Anchor | WeakAnchor): string => {
  switch (anchor._tag) {
    case "LightClient": {
      const [signed, size] = anchor.participation
      return `light-client ${anchor.checkpoint} slot ${anchor.slot} ${signed}/${size} ${anchor.finality}`
    }
    case "Rollup":
    case "Unsettled":
      return `rollup ${anchor.chainId} ${anchor.state} l1 ${anchor.l1.hash}`
    case "Quorum":
      return `quorum ${anchor.agree}/${anchor.of}`
    case "Operator":
      return "operator"
    default:
      return `${anchor._tag.toLowerCase()} ${anchor.hash}`
  }
}

/**
 * Returns the anchor as the command prints it in JSON. Numbers that can be large are decimal text.
 *
 * ```ts import.meta.vitest
 * import { Anchor } from "@plumbline/verdict"
 *
 * Anchor.toJson(Anchor.block("0xab")) // => { kind: "block", hash: "0xab" }
 * ```
 */
export const toJson = (anchor: Anchor | WeakAnchor): Readonly<Record<string, unknown>> => {
  if (anchor._tag === "Quorum") {
    const { agree, hash, names, of } = anchor
    return { kind: "quorum", hash, agree, of, names }
  }
  const { _tag, hash } = anchor
  const named = { kind: KINDS[_tag], hash }
  if (_tag === "Rollup" || _tag === "Unsettled") {
    const { age, chainId, contracts, game = null, gameType = null, l1, resolvedAt, state } = anchor
    const of = { chainId: chainId.toString(), state, game, gameType, resolvedAt: resolvedAt?.toString() ?? null }
    return { ...named, ...of, contracts, l1: toJson(l1), age: String(age) }
  }
  if (_tag !== "LightClient") return named
  const { age, checkpoint, finality, participation, slot } = anchor
  return { ...named, checkpoint, slot: slot.toString(), finality, participation, age: String(age) }
}

const KINDS = {
  Block: "block",
  LightClient: "light-client",
  Rollup: "rollup",
  Unsettled: "rollup",
  Transaction: "transaction",
  Cid: "cid",
  Operator: "operator"
} as const

/** Maximum number of anchors in one line. */
const MOST = 16

/** Returns several anchors in the form of `toText` as one line: at most 16, separated by commas. */
export const joined = (anchors: Iterable<string>): string => {
  const all = [...anchors]
  return [...all.slice(0, MOST), ...(all.length > MOST ? ["..."] : [])].join(", ")
}
