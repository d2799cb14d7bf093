/**
 * Combines several IPFS nodes into one. Reads use the first node that has the right bytes. Writes and pins use the
 * primary node.
 */
import type { GatewayError } from "@plumbline/gateway/errors/GatewayError"
import type { IpfsHealth } from "@plumbline/gateway/pipeline/IpfsHealth"
import * as Setting from "@plumbline/gateway/schema/Setting"
import * as Car from "@plumbline/ipfs-client/car/Car"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as PinName from "@plumbline/ipfs-client/commands/PinName"
import * as DagSelection from "@plumbline/ipfs-client/dag/DagSelection"
import type { IpfsNodeCommands } from "@plumbline/ipfs-client/node/IpfsNode"
import { fromBlockError, InvalidRequest, IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as NodePath from "@plumbline/ipfs-client/node/NodePath"
import * as NodeReads from "@plumbline/ipfs-client/node/NodeReads"
import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

import * as BlockCache from "./nodes/blockCache.ts"
import type { BlockCacheOptions } from "./nodes/blockCache.ts"
import * as IpfsFailover from "./nodes/ipfsFailover.ts"
import { type NamedIpfsNode, IpfsNodeMember } from "./nodes/ipfsNodeMember.ts"

export type { BlockCacheOptions } from "./nodes/blockCache.ts"
export type { NamedIpfsNode } from "./nodes/ipfsNodeMember.ts"

const { bytes, count, defaulted, duration } = Setting

/** The settings of nodes that a file can have. */
export const fields = {
  tryTimeout: defaulted(
    duration({
      description: "Maximum time for a block from one node, if there is another node to ask.",
      default: "10s"
    })
  ),
  timeout: defaulted(
    duration({ description: "Maximum time for a block from the last node, or the only one.", default: "1m" })
  )
}

/** The sizes of the cache. */
export const cacheFields = {
  memory: defaulted(bytes({ description: "Bytes of memory.", default: "64MiB" })),
  disk: defaulted(
    bytes({
      description: "Bytes of blocks kept in the data folder; 0 keeps none. A shared state has no data folder.",
      default: "1GiB"
    })
  )
}

const settings = Schema.Struct({
  ...fields,
  failures: defaulted(count({ description: "Number of consecutive faults after which a node is down.", default: 3 })),
  cooldown: defaulted(duration({ description: "Time for which a node that lied is asked last.", default: "30s" }))
})

/**
 * Options of reading.
 */
export interface IpfsNodesOptions extends Setting.OptionsOf<typeof settings.Type> {
  /** The cache of blocks (default: none). */
  readonly cache?: BlockCacheOptions | undefined
}

/**
 * The default options. Times are in milliseconds.
 */
export const defaults = Setting.defaultsOf(settings)

/**
 * The combined node, and the state of each node.
 */
export interface CombinedNodes {
  readonly node: IpfsNodeCommands
  readonly health: Effect.Effect<IpfsHealth>
}

/**
 * Combines several nodes into one. Background work ends with the scope; the nodes are not closed.
 *
 * **Reads** are assembled from blocks. A block comes from the cache, or from the first node in order that has the
 * block. A node that lacks the block, fails, or does not answer in time is skipped. Every block is checked against its
 * CID before it is returned or cached. If a node gives other bytes, this is counted and logged, and the node is asked
 * last for `cooldown`.
 *
 * **Nodes that are down.** A node that has been silent for 2 seconds is asked for its version. After `failures` faults it
 * is down, and asked last until it answers: a node that hangs is down after 4.75 seconds, even if nothing is read.
 *
 * **Errors of reads.** `NotFound` means that every node answered that it lacks the block. If a node gave no answer, its
 * fault is the error, because that node may have the block.
 *
 * **Writes, pins, collections and `version`** use the primary node. If the primary reports that it lacks content to
 * pin, the blocks are first copied from the other nodes. An embedded node and an offline Kubo report missing content. A
 * Kubo that searches its network does not report it: connect such a Kubo to the other nodes instead.
 *
 * **The cache** stores blocks of remote nodes by their multihash. Callers use the cache only through `node`, so quotas,
 * allowlists and blocked content apply to cached blocks too.
 *
 * ```ts import.meta.vitest
 * import { IpfsNodes } from "@plumbline/gateway-ipfs"
 * import { type IpfsNode, IpfsNodeError } from "@plumbline/ipfs-client"
 * import { Effect } from "effect"
 *
 * const hello = "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"
 * const giving = (text: string) =>
 *   ({ blockGet: () => Effect.succeed(new TextEncoder().encode(text)) }) as Partial<IpfsNode.IpfsNodeCommands> as IpfsNode.IpfsNodeCommands
 * const program = Effect.gen(function* () {
 *   const liar = { name: "liar", node: giving("bye") }
 *   const { health, node } = yield* IpfsNodes.make(liar, [{ name: "honest", node: giving("hello") }])
 *   const text = new TextDecoder().decode(yield* node.blockGet(hello))
 *   return [text, ...(yield* health).nodes.map(({ lies, name, state }) => `${name}: ${state}, ${lies}`)]
 * })
 * await Effect.runPromise(Effect.scoped(program)) // => ["hello", "liar: lies, 1", "honest: up, 0"]
 * ```
 */
export const make = Effect.fnUntraced(function* (
  primary: NamedIpfsNode,
  others: ReadonlyArray<NamedIpfsNode> = [],
  options: IpfsNodesOptions = {}
): Effect.fn.Return<CombinedNodes, GatewayError, Scope.Scope> {
  const resolved = yield* Effect.fromResult(Setting.resolve(settings, options, ["ipfs", "nodes"]))
  const members = [primary, ...others].map((member) => new IpfsNodeMember(member, resolved.failures))
  if (new Set(members.map(({ name }) => name)).size < members.length) {
    return yield* Setting.badOption({
      path: ["ipfs", "nodes", "name"],
      problem: "must be another one for each node"
    })
  }
  const cache = options.cache === undefined ? undefined : yield* BlockCache.make(options.cache)
  const source = yield* IpfsFailover.make(members, cache, resolved)
  const reads = NodeReads.make(source)
  const main = primary.node
  const at = (path: string) => Effect.map(NodePath.resolveBlock(source, path), (cid) => Cid.toText(cid))

  /** Copies content to the primary node. A recursive copy is pinned at once, so that no collection removes it. */
  const copy = (cid: string, recursive: boolean): Effect.Effect<unknown, IpfsNodeError> => {
    const root = Cid.fromTextUnsafe(cid)
    const blocks = DagSelection.blocks(source, root, {
      scope: recursive ? "all" : "block",
      maxBlockSize: Number.MAX_SAFE_INTEGER
    })
    const car = Car.encode([root], Stream.mapError(blocks, fromBlockError))
    return main.dagImport<IpfsNodeError>(car, { pinRoots: recursive })
  }

  const pinAdd: IpfsNodeCommands["pinAdd"] = (path, pinned) =>
    Effect.flatMap(Effect.andThen(checkName(pinned?.name), at(path)), (cid) =>
      Effect.catchIf(
        main.pinAdd(cid, pinned),
        ({ reason }) => reason._tag === "NotFound" && others.length > 0,
        () => Effect.andThen(copy(cid, pinned?.recursive !== false), main.pinAdd(cid, pinned))
      )
    )

  const node: IpfsNodeCommands = {
    ...main,
    ...reads,
    pinAdd,
    pinRm: (path, options) => Effect.flatMap(at(path), (cid) => main.pinRm(cid, options)),
    pinUpdate: (from, to, options) =>
      Effect.gen(function* () {
        const pair = [yield* at(from), yield* at(to)] as const
        const update = main.pinUpdate(pair[0], pair[1], options)
        return yield* Effect.catchIf(
          update,
          ({ reason }) => reason._tag === "NotFound" && others.length > 0,
          () => Effect.andThen(copy(pair[1], true), update)
        )
      })
  }
  return {
    node,
    health: Effect.clockWith((clock) =>
      Effect.sync(() => ({
        nodes: members.map((member) => member.health(Monotonic.millis(clock))),
        ...(cache === undefined ? {} : { cache: cache.health() })
      }))
    )
  }
})

/** Checks the length of a pin's name before a node is asked. Every node makes the same check. */
const checkName = (name: string | undefined): Effect.Effect<void, IpfsNodeError> => {
  const flaw = PinName.flaw(name)
  return flaw === undefined
    ? Effect.void
    : Effect.fail(new IpfsNodeError({ reason: new InvalidRequest({ what: "name", detail: flaw }) }))
}
