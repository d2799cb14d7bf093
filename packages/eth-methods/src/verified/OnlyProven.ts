/** Removes claimed parts from an answer, for clients whose plain answers cannot mark them as claimed. */
import type * as Claim from "@plumbline/verdict/Claim"
import { isAccepted } from "@plumbline/verdict/Reason"
import type { Verdict } from "@plumbline/verdict/Verdict"

import * as EthereumChains from "../proof/ethereumChains.ts"
import * as EthReason from "../proof/EthReason.ts"
import { isStale } from "./trustLink.ts"

/**
 * The value without its claimed parts, or the claims about fields that cannot be left out without misleading the
 * caller. `Accepted` means that the value is proven up to a block that only nodes vouch for, and that the reader accepts
 * that by name.
 */
export type OnlyProvenOutcome<A> =
  | { readonly _tag: "Proven" | "Accepted"; readonly value: A }
  | { readonly _tag: "Unproven"; readonly claims: ReadonlyArray<Claim.Claim> }

/**
 * Fields by which a program decides what happened, to whom and where. If such a field is only claimed, the answer is
 * refused, because it would be useless without the field and unproven with it. Other claimed fields are left out of the
 * value, as if the node did not know them.
 */
const DECIDING: ReadonlySet<string> = new Set([
  "value",
  "hash",
  "transactionHash",
  "transactionIndex",
  "blockHash",
  "blockNumber",
  "status",
  "from",
  "to",
  "contractAddress",
  "gasPrice",
  "effectiveGasPrice",
  "logs",
  "logIndex",
  "transactions",
  "uncles"
])

/**
 * Fields whose absence is an answer too: a program takes a block or receipt without them for one that has none. They
 * decide only if they are missing.
 */
const DECIDING_IF_MISSING: ReadonlySet<string> = new Set([...DECIDING, "withdrawals", "blobGasPrice"])

/**
 * True if the claim is about a field by which programs decide. The uncles of an uncle are not such a field: nodes send
 * an empty list for each uncle, because they know only its header. An empty list of withdrawals under another root
 * decides unless the chain is known to belong to the OP stack: on every other chain, a lie has this form.
 */
const isDeciding = (name: string, { reason }: Claim.Claim, fields: ReadonlySet<string>): boolean =>
  EthReason.WithdrawalsRootOfOther.is(reason)
    ? !EthereumChains.isOpStack(reason.chainId)
    : fields.has(name) && !EthReason.UnclesOfUncle.is(reason)

/**
 * Removes the claimed fields from a value. An honest answer mostly has no claimed fields, and is returned unchanged. The
 * outcome is `Unproven` if the value or a deciding field is only claimed, if a deciding field is missing and only
 * claimed to be none, or if `latest` is an old block.
 *
 * ```ts import.meta.vitest
 * import { OnlyProven, VerdictEthClient } from "@plumbline/eth-methods"
 * import { Effect } from "effect"
 *
 * const status = VerdictEthClient.VerdictEthClient.use((eth) => eth.getBlockByNumber("latest")).pipe(
 *   Effect.map((verdict) => OnlyProven.from(verdict)._tag)
 * )
 * Effect.isEffect(status) // => true
 * ```
 */
export const from = <A>({ _tag, anchor, claimed: all, value }: Verdict<A>): OnlyProvenOutcome<A> => {
  if (all.length === 0 && _tag === "VERIFIED") return { _tag: "Proven", value }
  const claimed = all.filter(({ reason }) => !isAccepted(reason))
  if (_tag === "CLAIMED" && (anchor?.accepted !== true || claimed.some(({ about }) => about === "Value"))) {
    return { _tag: "Unproven", claims: claimed }
  }
  const ofFields = new Map<string, Claim.Claim>()
  const deciding = new Set<Claim.Claim>()
  for (const claim of claimed) {
    // such a claim is about the block that a tag means; it is not about a field of the value
    if (claim.about === "Question") {
      if (isStale(claim)) deciding.add(claim)
      continue
    }
    // in a list, paths begin at the item: the claim about `receipts[].root` concerns `[].root`
    ofFields.set(Array.isArray(value) ? claim.field.replace(/^\w+(?=\[)/u, "") : claim.field, claim)
  }
  const kept = strip(value, "value", [""], indexOf(ofFields), deciding)
  return deciding.size > 0
    ? { _tag: "Unproven", claims: claimed.filter((claim) => deciding.has(claim)) }
    : { _tag: claimed.length < all.length ? "Accepted" : "Proven", value: kept as A }
}

/**
 * Claims by their paths. A node decides how many claims there are, because it may add any number of fields, so no step of
 * the walk through a value goes through all of them.
 */
interface ClaimIndex {
  readonly claims: ReadonlyMap<string, Claim.Claim>
  /** The paths in ascending order, so that those with a given beginning follow each other. */
  readonly paths: ReadonlyArray<string>
  /** Claims about fields that decide if they are missing: by the path of their object, then by their name. */
  readonly ifMissing: ReadonlyMap<string, ReadonlyMap<string, Claim.Claim>>
}

const indexOf = (claims: ReadonlyMap<string, Claim.Claim>): ClaimIndex => {
  const ifMissing = new Map<string, Map<string, Claim.Claim>>()
  for (const [path, claim] of claims) {
    const dot = path.lastIndexOf(".")
    const name = path.slice(dot + 1)
    if (!isDeciding(name, claim, DECIDING_IF_MISSING)) continue
    const object = dot < 0 ? "" : path.slice(0, dot)
    const names = ifMissing.get(object) ?? new Map<string, Claim.Claim>()
    ifMissing.set(object, names.set(name, claim))
  }
  // without a function, `toSorted` compares code units, as `<` does
  return { claims, paths: [...claims.keys()].toSorted(), ifMissing }
}

/** True if a claim is about the value at the path, or about a value inside it. */
const leadsToAny = (path: string, { paths }: ClaimIndex): boolean => {
  let low = 0
  let high = paths.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (paths[middle]! < path) low = middle + 1
    else high = middle
  }
  return low < paths.length && paths[low]!.startsWith(path)
}

/**
 * Returns a value without the claimed fields inside it. The paths of each field are compared with the claims; the
 * claims are not parsed, because a node may give a field any name. An item has two paths: with its own index, and with
 * `[]` for any index.
 */
const strip = (
  value: unknown,
  name: string,
  paths: ReadonlyArray<string>,
  index: ClaimIndex,
  deciding: Set<Claim.Claim>
): unknown => {
  const claim = paths.map((path) => index.claims.get(path)).find((found) => found !== undefined)
  if (claim !== undefined && value !== undefined) {
    if (!isDeciding(name, claim, DECIDING)) return undefined
    deciding.add(claim)
    return value
  }
  const open = paths.filter((path) => leadsToAny(path, index))
  if (open.length === 0) return value
  if (Array.isArray(value)) {
    return value.map((item, at) =>
      strip(
        item,
        name,
        open.flatMap((path) => [`${path}[${at}]`, `${path}[]`]),
        index,
        deciding
      )
    )
  }
  if (typeof value !== "object" || value === null) return value
  const fields = value as Readonly<Record<string, unknown>>
  for (const start of open) {
    for (const [missing, claim] of index.ifMissing.get(start) ?? NOTHING) {
      if (fields[missing] !== undefined) continue
      // a claim about all receipts of a list is about those of blob transactions
      if (missing === "blobGasPrice" && fields["blobGasUsed"] === undefined) continue
      deciding.add(claim)
    }
  }
  const entries = Object.entries(value).flatMap(([field, inside]): ReadonlyArray<[string, unknown]> => {
    const left = strip(
      inside,
      field,
      open.map((path) => (path === "" ? field : `${path}.${field}`)),
      index,
      deciding
    )
    return left === undefined ? [] : [[field, left]]
  })
  return Object.fromEntries(entries)
}

const NOTHING: ReadonlyMap<string, Claim.Claim> = new Map()
