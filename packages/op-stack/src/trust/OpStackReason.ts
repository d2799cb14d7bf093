/** The reasons why L1 does not prove a block of a rollup. */
import * as Reason from "@plumbline/verdict/Reason"

/** No block of L1 is trusted, so nothing of the rollup is. */
export const L1Untrusted: Reason.ReasonKind<"L1Untrusted", { readonly cause: Reason.Reason }> =
  /* @__PURE__ */ Reason.kind(
    "L1Untrusted",
    ({ cause }) => `no block of the parent chain is trusted: ${cause.sentence}`
  )

/** A node says to be of another chain than the description of the rollup expects. The reader named the wrong node. */
export const WrongChain: Reason.ReasonKind<
  "WrongChain",
  {
    readonly node: "parent chain" | "rollup"
    /** The chain id that the node says, and the one that the description has. */
    readonly got: bigint
    readonly expected: bigint
    /** The name of the rollup. */
    readonly rollup: string
  }
> = /* @__PURE__ */ Reason.kind(
  "WrongChain",
  ({ expected, got, node, rollup }) =>
    `the node of the ${node} says that its chain id is ${got}, but ${rollup} has ${node === "rollup" ? "the chain id" : "a parent chain with the id"} ${expected}: name another node`
)

/** The L1 node gave no proof of a contract's storage. */
export const L1Unproven: Reason.ReasonKind<
  "L1Unproven",
  { readonly contract: ContractName; readonly cause: Reason.Reason }
> = /* @__PURE__ */ Reason.kind(
  "L1Unproven",
  ({ cause, contract }) => `the storage of ${contract} on the parent chain is not proven: ${cause.sentence}`
)

/** The name of a contract of the rollup on L1. */
export type ContractName =
  | "SystemConfig"
  | "OptimismPortal"
  | "AnchorStateRegistry"
  | "DisputeGameFactory"
  | "the dispute game"

/** A contract has zero where an address or a root must be. */
export const EmptySlot: Reason.ReasonKind<
  "EmptySlot",
  { readonly contract: ContractName; readonly field: string; readonly address: string }
> = /* @__PURE__ */ Reason.kind(
  "EmptySlot",
  ({ address, contract, field }) => `${contract} at ${address} has no ${field}: is it the contract of this chain?`
)

/** The implementation of a contract is unknown, so its layout is unknown too; or its version is not supported. */
export const UnknownImplementation: Reason.ReasonKind<
  "UnknownImplementation",
  {
    readonly contract: ContractName
    readonly implementation: string
    /** The version, if it is known and not supported. */
    readonly version?: string | undefined
  }
> = /* @__PURE__ */ Reason.kind("UnknownImplementation", ({ contract, implementation, version }) =>
  version === undefined
    ? `the layout of ${contract}'s implementation ${implementation} is not known; name its version in the chain's description`
    : `version ${version} of ${contract}, at ${implementation}, is not supported`
)

/** The portal does not name the registry, and the description of the chain does not either. */
export const RegistryNotNamed: Reason.ReasonKind<"RegistryNotNamed", { readonly portalVersion: string }> =
  /* @__PURE__ */ Reason.kind(
    "RegistryNotNamed",
    ({ portalVersion }) =>
      `OptimismPortal ${portalVersion} does not name AnchorStateRegistry; name it in the chain's description`
  )

/** The check of a game that failed. The names are those of the checks in the documentation. */
export type GameCheck =
  | "game-data"
  | "game-type"
  | "game-registered"
  | "game-status"
  | "game-claim"
  | "game-number"
  | "game-blacklisted"
  | "game-retired"

/** L1 does not confirm the game that its registry names. No node is blamed: the contracts, or an unproven hint, say so. */
export const GameUnconfirmed: Reason.ReasonKind<
  "GameUnconfirmed",
  { readonly check: GameCheck; readonly game: string; readonly detail: string }
> = /* @__PURE__ */ Reason.kind(
  "GameUnconfirmed",
  ({ check, detail, game }) => `the game ${game} does not settle a block: ${detail} (${check})`
)

/** The factory has no game in a state that the reader accepts. `cause` is the stop of the last game that was tried. */
export const NoGame: Reason.ReasonKind<
  "NoGame",
  {
    readonly state: "resolved" | "proposed"
    readonly factory: string
    readonly cause: Reason.Reason | undefined
    /** False if the node did not say all that the search asked for, so that another answer may name a game. */
    readonly isWhole: boolean
  }
> = /* @__PURE__ */ Reason.kind("NoGame", ({ cause, factory, state }) => {
  const why = cause === undefined ? "" : `; the last one that was tried: ${cause.sentence}`
  return `none of the newest games of the factory ${factory} is newer than the settled block and ${state}${why}`
})

/** The game's type is not one that this version reads, such as a game about several chains at once. */
export const UnsupportedGame: Reason.ReasonKind<
  "UnsupportedGame",
  { readonly gameType: number; readonly game: string | undefined }
> = /* @__PURE__ */ Reason.kind(
  "UnsupportedGame",
  ({ game, gameType }) => `games of type ${gameType} are not supported${game === undefined ? "" : `: ${game}`}`
)

/** The node of the rollup does not have the settled block. */
export const SettledBlockUnknown: Reason.ReasonKind<"SettledBlockUnknown", { readonly number: bigint }> =
  /* @__PURE__ */ Reason.kind(
    "SettledBlockUnknown",
    ({ number }) => `the node does not have block ${number}, which the parent chain settles`
  )

/** The settled block has a form whose header proves nothing, or the node gave no proof of the message passer. */
export const SettledBlockUnproven: Reason.ReasonKind<
  "SettledBlockUnproven",
  { readonly number: bigint; readonly detail: string }
> = /* @__PURE__ */ Reason.kind(
  "SettledBlockUnproven",
  ({ detail, number }) => `block ${number}, which the parent chain settles, is not proven: ${detail}`
)

/** The block is newer than the newest block that L1 settles, or than the newest in a state that the reader accepts. */
export const NewerThanSettled: Reason.ReasonKind<
  "NewerThanSettled",
  {
    /** The number or tag that was asked for. */
    readonly block: bigint | string
    /** The number of the newest block that L1 names, and its state. */
    readonly newest: bigint
    readonly state: "settled" | "starting" | "resolved" | "proposed"
  }
> = /* @__PURE__ */ Reason.kind("NewerThanSettled", ({ block, newest, state }) => {
  const what = typeof block === "bigint" ? `block ${block}` : `the block of the tag "${block}"`
  const isWeak = state === "resolved" || state === "proposed"
  const named = isWeak ? `that is ${state} on the parent chain` : "that the parent chain settles"
  return `${what} is newer than block ${newest}, the newest ${named}; read "${isWeak ? "safe" : "finalized"}" for that one`
})

/** L1 settles an older block than before, or another block with the same number. */
export const AnchorBack: Reason.ReasonKind<"AnchorBack", { readonly before: bigint; readonly now: bigint }> =
  /* @__PURE__ */ Reason.kind("AnchorBack", ({ before, now }) =>
    before === now
      ? `the parent chain settles another block ${now} than before (anchor-back)`
      : `the parent chain settles block ${now}, and settled block ${before} before (anchor-back)`
  )
