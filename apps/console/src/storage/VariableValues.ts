/**
 * Reads the variables of a contract at one block: all variables that need no key, and the entries that the reader
 * named.
 */
import * as Address from "@plumbline/codec/value/Address"
import type { Layout } from "@plumbline/storage-layout/layout/Layout"
import * as Location from "@plumbline/storage-layout/location/Location"
import * as ContractStorage from "@plumbline/storage-layout/read/ContractStorage"
import * as Readable from "@plumbline/storage-layout/read/Readable"
import type { KnownWords } from "@plumbline/storage-layout/value/Plan"
import type { DecodedValue } from "@plumbline/storage-layout/value/Value"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"
import * as Result from "effect/Result"

import { NetworkClients } from "../chain/NetworkClients.ts"
import { numberedBlock, reaches } from "../chain/Reach.ts"
import { read } from "../chain/ReadAtoms.ts"
import * as ChosenLayouts from "../variables/ChosenLayouts.ts"

/** Maximum number of words that are read at once. Larger values are listed without their content. */
export const MAX_WORDS = 4096

/** The variables of a contract at one block. */
export interface VariableValues {
  readonly block: { readonly hash: `0x${string}`; readonly number: bigint }
  /** The values by their paths: variables, and entries that the reader named. */
  readonly values: ReadonlyMap<string, DecodedValue>
  readonly words: KnownWords
  /** The account at this block. Each variable of an account that does not exist reads as zero. */
  readonly account: ContractStorage.AccountState
  /** True if the values are proven from the hash that the reader trusts. */
  readonly isVerified: boolean
}

/** The question: the parts to read, the account and the block. */
interface Asked {
  readonly network: string
  readonly trust: string | undefined
  readonly address: string
  readonly block: string
  /** The id of the layout. */
  readonly layout: number
  readonly paths: ReadonlyArray<string>
}

const found = Atom.family((id: string) => {
  const { address, block, layout: layoutId, paths, ...at } = JSON.parse(id) as Asked
  const { layout } = ChosenLayouts.withId(layoutId)
  return read(
    at,
    Effect.gen(function* () {
      const chain = yield* NetworkClients
      const verdicts = yield* chain.verdicts
      const numbered = yield* numberedBlock(block)
      const contract = { address: Address.fromHexUnsafe(address), layout }
      const all = locate(layout, paths).map(({ path }) => path)
      const verdict = yield* ContractStorage.make(verdicts).readMany(contract, all, {
        block: { blockHash: numbered.hash },
        maxWords: MAX_WORDS
      })
      const { account, variables: values, words } = verdict.value
      const isVerified = verdict._tag === "VERIFIED" && (yield* reaches(at.trust, numbered))
      const answer: VariableValues = {
        block: numbered,
        values: new Map(all.map((path, i) => [path, values[i]!])),
        words,
        account,
        isVerified
      }
      return answer
    })
  )
})

/** Returns the parts that have a value: the layout's variables, and the entries at the given paths. */
const locate = (layout: Layout, paths: ReadonlyArray<string>): ReadonlyArray<Location.Location> => {
  const { locations } = Readable.locate(layout)
  const entries = paths.flatMap((path) => {
    const location = Result.getOrUndefined(Location.locate(layout, path))
    return location === undefined || location.type._tag === "Mapping" ? [] : [location]
  })
  return [...locations, ...entries]
}

/** The values of a contract at a block, as an atom. */
export const of = (asked: Asked): ReturnType<typeof found> =>
  found(
    JSON.stringify({
      network: asked.network,
      trust: asked.trust,
      address: asked.address,
      block: asked.block,
      layout: asked.layout,
      paths: asked.paths
    })
  )

/** The number of a network's newest block, as claimed by the node. It is the end of the slider. */
export const head = Atom.family((network: string) =>
  read(
    { network },
    Effect.gen(function* () {
      return yield* (yield* NetworkClients).eth.blockNumber
    })
  )
)
