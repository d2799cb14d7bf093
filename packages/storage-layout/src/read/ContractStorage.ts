/**
 * Reads a contract's variables by name, and proves them.
 *
 * All words of one reading are from one block: a number or a tag is resolved to a hash first, and every proof is for
 * that hash. The slots of a round are requested with one eth_getProof, or with the fewest calls that `MAX_SLOTS`
 * allows. A further round follows only if a length had to be read first.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"
import type * as Input from "@plumbline/eth-methods/model/Input"
import type { NoBlockError } from "@plumbline/eth-methods/model/NoBlockError"
import * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

import type { Layout } from "../layout/Layout.ts"
import * as Location from "../location/Location.ts"
import type * as Path from "../path/Path.ts"
import type { PathError } from "../path/PathError.ts"
import { NoValueError } from "../value/NoValueError.ts"
import * as Plan from "../value/Plan.ts"
import type { DecodedValue } from "../value/Value.ts"
import * as ValueDifference from "../value/ValueDifference.ts"
import * as ContractAddresses from "./contractAddresses.ts"
import * as Entries from "./Entries.ts"
import * as EntryPresence from "./entryPresence.ts"
import * as Readable from "./Readable.ts"
import * as StorageEvidence from "./StorageEvidence.ts"
import * as StorageReadings from "./storageReading.ts"

export { NoBlockError } from "@plumbline/eth-methods/model/NoBlockError"
export type { AccountState } from "./storageReading.ts"

/** The contract's address and layout. */
export interface StoredContract {
  readonly address: Input.Address
  readonly layout: Layout
}

/** The block to read at, and the limits of the reading. */
export interface ContractStorageOptions extends Plan.PlanOptions {
  /** The block. Default: `latest`. */
  readonly block?: BlockParameter.BlockParameter | undefined
}

/** The defaults of the options. */
export const defaults: typeof Plan.defaults & { readonly block: BlockParameter.Tag; readonly to: BlockParameter.Tag } =
  {
    ...Plan.defaults,
    block: "latest",
    to: "latest"
  }

/** The block of a reading, and its words. Every answer of the service has these members and further ones. */
export interface ReadingBlock {
  /** The block of the words. The anchor of the verdict may be a later block, from which this block is proven. */
  readonly blockHash: Hash32.Hash32
  /**
   * The number of the block. It is undefined, and nothing is proven, if the node does not know the hash that the caller
   * named.
   */
  readonly blockNumber: bigint | undefined
  /**
   * The account at this block. Each variable of an account that does not exist reads as zero, which is also the answer
   * about a mistyped address.
   */
  readonly account: StorageReadings.AccountState
  /** The words from which the value was decoded, by slot. */
  readonly words: Plan.KnownWords
}

/** An answer, with the block and the words from which it was read. */
export type StorageReading<A> = A & ReadingBlock

/** A reading whose verdict is VERIFIED or CLAIMED. `E` is the error of the caller's paths. */
export type VerdictReading<A, E = PathError> = StorageRequest<StorageReading<A>, E>

/** The answer about the variable that a path names. */
export interface VariableReading {
  readonly variable: DecodedValue
}

/** The answer about the variables that some paths name. */
export interface VariablesReading {
  /** The variables, in the order of the paths. */
  readonly variables: ReadonlyArray<DecodedValue>
}

/** The answer about every variable that can be read without keys. */
export interface AllVariablesReading {
  /** The values by path, in the layout's order. */
  readonly variables: ReadonlyMap<string, DecodedValue>
  readonly left: ReadonlyArray<Readable.LeftOutVariable>
}

/** The two blocks to compare, and the limits of the comparison. */
export interface StorageDiffOptions extends Plan.PlanOptions {
  readonly from: BlockParameter.BlockParameter
  /** The later block. Default: `latest`. */
  readonly to?: BlockParameter.BlockParameter | undefined
  /** The paths to compare. Default: everything that can be read without keys. */
  readonly paths?: ReadonlyArray<string | Path.ParsedPath> | undefined
}

/** The changes from one block to another. */
export interface StorageDiff {
  readonly from: ReadingBlock
  readonly to: ReadingBlock
  /** The compared paths whose values differ, in the given order. */
  readonly changed: ReadonlyArray<ChangedVariable>
  /** Variables that were not compared; empty if no word of the storage changed. */
  readonly left: ReadonlyArray<Readable.LeftOutVariable>
}

/** A value that changed: the whole value at both blocks, and the parts that differ. */
export interface ChangedVariable {
  readonly path: string
  readonly from: DecodedValue
  readonly to: DecodedValue
  readonly changes: ReadonlyArray<ValueDifference.ValueChange>
}

/** An effect that gives a verdict, or fails with one of these errors. `E` is the error of the caller's paths. */
export type StorageRequest<A, E = PathError> = Effect.Effect<
  Verdict.Verdict<A>,
  E | NoValueError | NoBlockError | JsonRpcError | RefutedError
>

/** Maximum number of slots in one eth_getProof. */
export const MAX_SLOTS: number = StorageReadings.MAX_SLOTS

/**
 * The service as a value. `verdict.value` has the answer, the block and the words:
 *
 * | method | answer |
 * | --- | --- |
 * | `read` | `verdict.value.variable`: its `value`, and its `flaws` |
 * | `readMany` | `verdict.value.variables`, in the order of the paths |
 * | `readAll` | `verdict.value.variables`, by path; `verdict.value.left` |
 * | `entries` | `verdict.value.present`, `verdict.value.absent` |
 * | `diff` | `verdict.value.changed`, `verdict.value.from`, `verdict.value.to`, `verdict.value.left` |
 */
export interface Reader {
  /** Reads the variable that a path names. */
  readonly read: (
    contract: StoredContract,
    path: string | Path.ParsedPath,
    options?: ContractStorageOptions
  ) => VerdictReading<VariableReading>
  /**
   * Reads the variables that some paths name, in the order of the paths, all at the same block and in the same calls.
   */
  readonly readMany: (
    contract: StoredContract,
    paths: ReadonlyArray<string | Path.ParsedPath>,
    options?: ContractStorageOptions
  ) => VerdictReading<VariablesReading>
  /** Reads everything that can be read without keys, and lists the parts that are left out. */
  readonly readAll: (
    contract: StoredContract,
    options?: ContractStorageOptions
  ) => VerdictReading<AllVariablesReading, never>
  /**
   * Finds the candidate keys that are in a mapping, with their values. The other candidates are proven to be absent.
   *
   * The words of an entry's own slots do not count against the option `maxWords`, unless the entry has more than 64
   * words.
   */
  readonly entries: (
    contract: StoredContract,
    mapping: string | Path.ParsedPath,
    candidates: ReadonlyArray<Entries.EntryCandidate>,
    options?: ContractStorageOptions
  ) => VerdictReading<Entries.MappingEntries>
  /**
   * Compares two blocks; both sides are proven.
   *
   * The account's storage roots are compared first, because a storage root is the hash of the whole storage. If it is
   * the same at both blocks, no variable and no mapping changed, and no slot is requested.
   *
   * The verdict has only the anchor of `to`; `proven` names both blocks.
   */
  readonly diff: (contract: StoredContract, options: StorageDiffOptions) => StorageRequest<StorageDiff>
}

/**
 * The service. `ContractStorage.layer` needs a `VerdictEthClient`.
 *
 * ```ts import.meta.vitest
 * import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { ContractStorage, Layout } from "@plumbline/storage-layout"
 * import { Effect, Layer, Result } from "effect"
 *
 * const node = Layer.succeed(Transport.Transport, {
 *   call: () => Effect.succeed(null),
 *   callAll: () => Effect.succeed([])
 * })
 * const storage = ContractStorage.layer().pipe(
 *   Layer.provide(VerdictEthClient.layer()),
 *   Layer.provide([node, TrustedBlock.layerNone()])
 * )
 * const layout = Result.getOrThrow(Layout.fromVyper({ owner: { type: "address", slot: 0 } }))
 * const address = "0x00000000219ab540356cBB839Cbe05303d7705Fa"
 * const owner = ContractStorage.ContractStorage.use((storage) => storage.read({ address, layout }, "owner"))
 * const failed = await Effect.runPromise(Effect.flip(Effect.provide(owner, storage)))
 * failed.message // => "the node knows no such block"
 * ```
 */
export class ContractStorage extends Context.Service<ContractStorage, Reader>()(
  "@plumbline/storage-layout/ContractStorage"
) {}

/** Provides the reader on top of the `VerdictEthClient` in the context. */
export const layer = (): Layer.Layer<ContractStorage, never, VerdictEthClient.VerdictEthClient> =>
  Layer.effect(ContractStorage, Effect.map(VerdictEthClient.VerdictEthClient, make))

/** Makes a reader on top of a client. */
export const make = (eth: VerdictEthClient.Client): Reader => {
  /** Reads the values at some locations, at one block. */
  const readAt = Effect.fnUntraced(function* <A extends object>(
    contract: StoredContract,
    locations: ReadonlyArray<Location.Location>,
    options: ContractStorageOptions,
    make: (outcome: StorageReadings.ReadingOutcome) => A
  ) {
    const plan = yield* Effect.fromResult(start(contract, locations, options))
    const address = yield* Effect.fromResult(ContractAddresses.contract(contract.address))
    const at = yield* StorageReadings.locate(eth, options.block ?? defaults.block)
    const outcome = yield* StorageReadings.run(eth, address, plan, at)
    const shown = StorageReadings.wordsOf(address, at, outcome.proofs)
    return StorageReadings.verdictOf({ ...make(outcome), ...sideOf(at, outcome) }, at, outcome.proofs, shown)
  })

  const readMany: Reader["readMany"] = (contract, paths, options = {}) =>
    Effect.flatMap(locateAll(contract, paths), (locations) =>
      readAt(contract, locations, options, ({ values }) => ({ variables: values }))
    )

  return {
    readMany,
    read: (contract, path, options) =>
      Effect.map(readMany(contract, [path], options), (verdict) =>
        Verdict.map(verdict, ({ variables, ...side }) => ({ variable: variables[0]!, ...side }))
      ),
    readAll: (contract, options = {}) =>
      Effect.suspend(() => {
        const { left, locations } = Readable.locate(contract.layout)
        return readAt(contract, locations, options, ({ values }) => ({
          variables: new Map(locations.map(({ path }, i) => [path, values[i]!])),
          left: [...left, ...Readable.leftOut(contract.layout, locations, values)]
        }))
      }),
    entries: (contract, mapping, candidates, options = {}) =>
      Effect.flatMap(Effect.fromResult(Entries.locate(contract.layout, mapping, candidates)), (locations) => {
        const named = locations.reduce((sum, location) => sum + EntryPresence.inPlace(location), 0)
        const maxWords = (options.maxWords ?? defaults.maxWords) + named
        return readAt(contract, locations, { ...options, maxWords }, ({ values, words }) =>
          EntryPresence.sort(locations, values, words)
        )
      }),
    diff: (contract, options) =>
      Effect.flatMap(
        options.paths === undefined
          ? Effect.sync(() => Readable.locate(contract.layout))
          : Effect.map(locateAll(contract, options.paths), (locations) => ({ left: [], locations })),
        (everything) => compare(eth, contract, everything, options)
      )
  }
}

const compare = Effect.fnUntraced(function* (
  eth: VerdictEthClient.Client,
  contract: StoredContract,
  { left, locations }: Readable.ReadableVariables,
  options: StorageDiffOptions
) {
  const { layout } = contract
  const plan = yield* Effect.fromResult(start(contract, locations, options))
  const address = yield* Effect.fromResult(ContractAddresses.contract(contract.address))
  const sides = yield* Effect.forEach(
    [options.from, options.to ?? defaults.to],
    (block) =>
      Effect.flatMap(StorageReadings.locate(eth, block), (at) =>
        Effect.map(eth.getProof(address, [], at.block), (account) => ({ at, account }))
      ),
    { concurrency: 2 }
  )
  const [first, second] = sides as [(typeof sides)[0], (typeof sides)[0]]
  const roots = sides.map(({ account }) => rootOf(account.value.storageHash))
  if (Hex.equals(roots[0]!, roots[1]!)) {
    const blocks = [first.at.hash, second.at.hash] as const
    const shown = StorageEvidence.SameStorageRoot({ address, root: roots[1]!, blocks })
    const [from, to] = sides.map(({ account, at }) =>
      StorageReadings.verdictOf(sideOf(at, { words: new Map(), proofs: [account] }), at, [account], shown)
    )
    return StorageReadings.both<ReadingBlock, ReadingBlock, StorageDiff>(from!, to!, {
      from: from!.value,
      to: to!.value,
      changed: [],
      left: []
    })
  }
  const outcomes = yield* Effect.forEach(
    sides,
    ({ account, at }) => StorageReadings.run(eth, address, plan, at, [account]),
    {
      concurrency: 2
    }
  )
  const [from, to] = outcomes.map((outcome, i) => {
    const { at } = sides[i]!
    const { proofs } = outcome
    return StorageReadings.verdictOf(sideOf(at, outcome), at, proofs, StorageReadings.wordsOf(address, at, proofs))
  })
  const [before, after] = outcomes.map(({ values }) => values)
  const changed = locations.flatMap((location, i): ReadonlyArray<ChangedVariable> => {
    const [from, to] = [before![i]!, after![i]!]
    const changes = ValueDifference.between(layout, location, from.value, to.value)
    return changes.length === 0 ? [] : [{ path: location.path, from, to, changes }]
  })
  const notCompared = [before!, after!].flatMap((values) => Readable.leftOut(layout, locations, values))
  const byPath = new Map([...left, ...notCompared].map((one) => [one.path, one]))
  return StorageReadings.both<ReadingBlock, ReadingBlock, StorageDiff>(from!, to!, {
    from: from!.value,
    to: to!.value,
    changed,
    left: Array.from(byPath.values())
  })
})

const start = (
  { layout }: StoredContract,
  locations: ReadonlyArray<Location.Location>,
  options: Plan.PlanOptions
): Result.Result<Plan.Plan, NoValueError> => {
  const [first] = locations
  return layout.area === "transient" && first !== undefined
    ? Result.fail(new NoValueError({ reason: "Transient", path: first.path, type: first.type.label }))
    : Plan.start(layout, locations, options)
}

const locateAll = (
  { layout }: StoredContract,
  paths: ReadonlyArray<string | Path.ParsedPath>
): Effect.Effect<ReadonlyArray<Location.Location>, PathError> =>
  Effect.suspend(() => Effect.fromResult(Result.all(paths.map((path) => Location.locate(layout, path)))))

const sideOf = (
  { hash, number }: StorageReadings.ReadBlock,
  { proofs, words }: Pick<StorageReadings.ReadingOutcome, "proofs" | "words">
): ReadingBlock => ({
  blockHash: hash,
  blockNumber: number,
  account: StorageReadings.stateOf(proofs),
  words
})

/**
 * Returns the root of an empty trie instead of zeros, which some nodes send for an account that is proven to be absent.
 */
const rootOf = (storageHash: Hash32.Hash32): Hash32.Hash32 => (storageHash === Hash32.ZERO ? EMPTY_ROOT : storageHash)

/** The root of a trie without entries: the hash of the RLP of an empty byte string. */
const EMPTY_ROOT = /* @__PURE__ */ Keccak256.hashHex(/* @__PURE__ */ Uint8Array.of(0x80))
