/** Finds the content of a request at the node: the blocks along the path, and the selected blocks. */
import type { MemoryBudget } from "@plumbline/gateway/GatewayInternals"
import * as HttpRefusal from "@plumbline/gateway/http/HttpRefusal"
import * as Block from "@plumbline/ipfs-client/block/Block"
import * as Car from "@plumbline/ipfs-client/car/Car"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Multihash from "@plumbline/ipfs-client/cid/Multihash"
import * as DagSelection from "@plumbline/ipfs-client/dag/DagSelection"
import type { IpfsNodeCommands } from "@plumbline/ipfs-client/node/IpfsNode"
import { fromBlockError, InvalidRequest, IpfsNodeError, NoLink } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as NodePath from "@plumbline/ipfs-client/node/NodePath"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import type { TrustlessRequest } from "./trustlessRequest.ts"

/** The node's commands that the gateway uses to answer requests. */
export type TrustlessReader = Pick<IpfsNodeCommands, "blockGet" | "blockStat" | "dagResolve">

/** The failure of a request: an error of the node, or a refusal by the gateway. */
export type TrustlessFault = IpfsNodeError | HttpRefusal.HttpRefusal

/** The content that a path leads to. */
export interface LocatedContent {
  readonly cid: Cid.Cid
  /** The remaining names of the path, if it leads to a value inside the block. */
  readonly inside: ReadonlyArray<string>
  /** The root, and the CID of each directory entry along the path. */
  readonly roots: ReadonlyArray<Cid.Cid>
}

type Resolve = (path: string) => Effect.Effect<Pick<LocatedContent, "cid" | "inside">, TrustlessFault>

/** Follows a path. It resolves directories name by name, and other data with all remaining names at once. */
const follow = Effect.fnUntraced(function* ({ names, root }: TrustlessRequest, resolve: Resolve) {
  const roots = [root]
  let cid = root
  for (const [index, name] of names.entries()) {
    const isEntry = cid.code === Block.DAG_PB
    const rest = isEntry ? [name] : names.slice(index)
    const place = yield* resolve([Cid.toText(cid), ...rest].join("/"))
    cid = place.cid
    roots.push(cid)
    if (!isEntry) return { cid, inside: place.inside, roots }
  }
  const end: LocatedContent = { cid, inside: [], roots }
  return end
})

/** Returns the content that a path leads to. Its blocks do not count as downloaded. */
export const locate = (
  node: TrustlessReader,
  wanted: TrustlessRequest
): Effect.Effect<LocatedContent, TrustlessFault> =>
  follow(wanted, (path) =>
    Effect.map(node.dagResolve(path), ({ cid, remainder }) => ({
      cid,
      inside: remainder === "" ? [] : remainder.split("/")
    }))
  )

/** Returns the content that a path leads to. Fails if it is not a whole block. */
export const locateBlock = (
  node: TrustlessReader,
  wanted: TrustlessRequest
): Effect.Effect<LocatedContent, TrustlessFault> =>
  Effect.flatMap(locate(node, wanted), (place) =>
    place.inside[0] === undefined
      ? Effect.succeed(place)
      : Effect.fail(new IpfsNodeError({ reason: new NoLink({ cid: Cid.toText(place.cid), name: place.inside[0] }) }))
  )

/** Returns the roots of the CAR that `car` would send. Its blocks do not count as downloaded. */
export const rootsOfCar = Effect.fnUntraced(function* (node: TrustlessReader, wanted: TrustlessRequest) {
  yield* node.blockStat(Cid.toText(wanted.root))
  return yield* Effect.catch(
    Effect.map(locate(node, wanted), ({ roots }) => roots),
    (fault) => (isNoLink(fault) ? Effect.succeed([wanted.root]) : Effect.fail(fault))
  )
})

const isNoLink = (fault: TrustlessFault): boolean => fault._tag === "IpfsNodeError" && fault.reason._tag === "NoLink"

/** A CAR to send. */
export interface CarAnswer {
  readonly roots: ReadonlyArray<Cid.Cid>
  readonly bytes: Stream.Stream<Uint8Array, TrustlessFault>
}

/** The root of a CAR whose path does not exist, as in boxo: the CID of an empty block. */
const NOWHERE = Cid.fromTextUnsafe("bafkqaaa")

/**
 * Returns the CAR: first the blocks along the path, then the selected blocks. If a name does not exist, the CAR has the
 * blocks that prove this.
 *
 * The blocks along the path are in memory until they are sent. Their bytes are taken from the memory budget of all
 * requests.
 */
export const car = Effect.fnUntraced(function* (node: TrustlessReader, wanted: TrustlessRequest, budget: MemoryBudget) {
  const visited = yield* Effect.acquireRelease(
    Effect.sync(() => new Visited(budget)),
    (visited) => Effect.sync(() => visited.free())
  )
  const source: NodePath.NodeBlocks = (cid) => node.blockGet(Cid.toText(cid))
  const place = yield* Effect.catch(
    follow(wanted, (path) => NodePath.resolve(visited.over(source), path)),
    (fault) => (isNoLink(fault) && !visited.isEmpty ? Effect.succeed(undefined) : Effect.fail(visited.refusal ?? fault))
  )
  const way = visited.blocks()
  if (place === undefined) {
    return { roots: [wanted.root], bytes: Car.encode([NOWHERE], eachOf(way)) } satisfies CarAnswer
  }
  const { bytes, duplicates, scope } = wanted
  const selected = DagSelection.blocks(source, place.cid, {
    scope,
    bytes,
    duplicates,
    given: way.map(({ cid }) => cid),
    // A node may have blocks of any size.
    maxBlockSize: Number.MAX_SAFE_INTEGER,
    maxBlocks: MAX_BLOCKS
  }).pipe(Stream.mapError(fromBlockError))
  const answer: CarAnswer = {
    roots: place.roots,
    bytes: Car.encode([place.cid], Stream.concat(eachOf(way), selected))
  }
  return answer
})

/** One piece for each block, because an answer counts in memory by its largest piece. */
const eachOf = <A>(blocks: ReadonlyArray<A>): Stream.Stream<A> => Stream.fromIterable(blocks, { chunkSize: 1 })

/**
 * Maximum number of blocks in one answer, including repeated blocks. A file of 256 GiB that Kubo added has this number
 * of blocks.
 */
const MAX_BLOCKS = 1_048_576

/** The blocks along a path, each once, in order. */
class Visited {
  readonly #budget: MemoryBudget
  readonly #blocks = new Map<string, Block.Block>()
  #held = 0
  /** The refusal if the blocks take too much memory; undefined otherwise. */
  refusal: HttpRefusal.HttpRefusal | undefined

  constructor(budget: MemoryBudget) {
    this.#budget = budget
  }

  get isEmpty(): boolean {
    return this.#blocks.size === 0
  }

  /** Returns the visited blocks, which are sent first. */
  blocks(): ReadonlyArray<Block.Block> {
    return Array.from(this.#blocks.values()).filter(({ cid }) => Multihash.inlined(cid) === undefined)
  }

  /** Wraps a source and keeps the blocks that are read from it. */
  over(source: NodePath.NodeBlocks): NodePath.NodeBlocks {
    return (cid) => {
      const known = this.#blocks.get(Cid.toText(cid))
      return known === undefined
        ? Effect.flatMap(source(cid), (bytes) => this.#keep({ cid, bytes }))
        : Effect.succeed(known.bytes)
    }
  }

  free(): void {
    this.#blocks.clear()
    this.#budget.give(this.#held)
    this.#held = 0
  }

  #keep(block: Block.Block): Effect.Effect<Uint8Array, IpfsNodeError> {
    const { length } = block.bytes
    const isTooLong = this.#held + length > MAX_WAY
    if (isTooLong || !this.#budget.take(length)) {
      this.refusal = isTooLong
        ? HttpRefusal.make(400, `the directories of the path have more than ${MAX_WAY} bytes`)
        : HttpRefusal.busy
      return Effect.fail(new IpfsNodeError({ reason: new InvalidRequest({ what: "path", detail: this.refusal.text }) }))
    }
    this.#held += length
    this.#blocks.set(Cid.toText(block.cid), block)
    return Effect.succeed(block.bytes)
  }
}

/** Maximum size of the blocks along a path: 16 MiB. */
const MAX_WAY = 16 * 1024 * 1024
