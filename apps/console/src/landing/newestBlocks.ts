/** Reads the newest blocks of a network, each with its verdict under the reader's anchor. */
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"

import { NetworkClients } from "../chain/NetworkClients.ts"
import { read } from "../chain/ReadAtoms.ts"
import type { VerdictName } from "../look/VerdictMark.tsx"

/** A block in a list. */
export interface ListedBlock {
  readonly number: bigint
  readonly hash: string
  readonly timestamp: bigint
  readonly transactions: number
  readonly gasUsed: bigint
  readonly verdict: VerdictName
}

/** Maximum number of blocks that are read. */
const MOST = 12n

/** The newest blocks. The key is the network's name, a space, and the anchor, if there is one. */
export const newest = Atom.family((key: string) => {
  const [network = "", trust] = key.split(" ")
  return read({ network, trust }, blocksUnder(trust))
})

/** Returns the key of `newest`. */
export const keyOf = (network: string, trust: string | undefined): string =>
  trust === undefined ? network : `${network} ${trust}`

const blocksUnder = (trust: string | undefined) =>
  Effect.gen(function* () {
    const { eth, verdicts } = yield* NetworkClients
    const head = yield* eth.blockNumber
    const numbers = Array.from({ length: Number(head < MOST ? head + 1n : MOST) }, (_, i) => head - BigInt(i))
    const told = (verdict: VerdictName) => (number: bigint) =>
      Effect.map(eth.getBlockByNumber(number), (block) => (block === null ? undefined : { block, verdict }))
    // without an anchor no block is proven, and the code of the proofs is not loaded
    const proving = trust === undefined ? undefined : yield* verdicts
    const one =
      proving === undefined
        ? told("CLAIMED")
        : (number: bigint) =>
            proving.getBlockByNumber(number).pipe(
              Effect.map(({ _tag, value }) => (value === null ? undefined : { block: value, verdict: _tag })),
              Effect.catchTag("RefutedError", () => told("REFUTED")(number))
            )
    const blocks = yield* Effect.forEach(numbers, one, { concurrency: "unbounded" })
    return blocks.flatMap((found): ReadonlyArray<ListedBlock> => {
      if (found === undefined) return []
      const { gasUsed, hash, number, timestamp, transactions } = found.block
      if (hash === null || number === null) return []
      return [{ number, hash, timestamp, gasUsed, transactions: transactions.length, verdict: found.verdict }]
    })
  })
