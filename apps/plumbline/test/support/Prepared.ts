/** Blocks and transactions of the prepared chain, found by their content. */
import { PreparedState } from "@plumbline/devnet"

type Hash = `0x${string}`

/** A transaction and its position. */
export interface Place {
  readonly hash: Hash
  readonly block: Hash
  readonly index: number
}

const blockWith = (matches: (block: PreparedState.PreparedBlock) => boolean): PreparedState.PreparedBlock => {
  const found = PreparedState.blocks.find(matches)
  if (found === undefined) throw new Error("no such block on the prepared chain")
  return found
}

const formsIn = (block: PreparedState.PreparedBlock): ReadonlySet<string> =>
  new Set(block.transactions.map(({ form }) => form))

/** One block with transactions of the types 0, 1, 2 and 4. */
export const allTypes = blockWith((block) => formsIn(block).size === 4)

/** The first block with an access list that has addresses and keys. */
export const accessLists = blockWith((block) => formsIn(block).has("accessList"))

/** A block with a contract's creation: `to` is null. */
export const creation = blockWith((block) => block.transactions.some(({ to }) => to === null))

/** A block with a transaction of type 0 without a chain id. */
export const unprotected = blockWith((block) =>
  block.transactions.some(({ title }) => /without a chain id/u.test(title))
)

/** A block without transactions. */
export const empty = blockWith((block) => block.number > 0 && block.transactions.length === 0)

/** Returns the transactions of a block, with their positions. */
export const places = (block: PreparedState.PreparedBlock): ReadonlyArray<Place> =>
  block.transactions.map(({ hash }, index) => ({ hash, block: block.hash, index }))
