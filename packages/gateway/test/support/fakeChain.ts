/** A chain in this process that grows and forks on command, and a node with this chain. */
import { type Upstream, UpstreamError } from "@plumbline/gateway"
import { ErrorObject } from "@plumbline/jsonrpc-core"
import { Effect, Queue } from "effect"

export interface Log {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly blockHash: string
  readonly logIndex: string
  readonly removed: boolean
}

export interface Block {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
  readonly transactions: ReadonlyArray<string>
  readonly size: string
}

const hashOf = (count: number): string => `0x${count.toString(16).padStart(64, "0")}`
const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

/** A chain with all its blocks, including removed ones; `canonical` has the blocks of the current chain. */
export class FakeChain {
  readonly canonical: Array<Block> = []
  readonly asked: Array<string> = []
  /** True while the node does not answer. */
  isDown = false
  /** True if the node pushes events. */
  canPush = false
  syncing: unknown = false
  /** The transactions of the node's pending block; undefined if it has no such block. */
  pending: ReadonlyArray<unknown> | undefined = []
  /** True while the node does not send its events. */
  isMute = false
  /** True if the node returns no blocks by their hash. */
  hides = false
  /** True if the node returns no logs of removed blocks. */
  forgets = false
  /** True if the node returns the logs of the first block for any block. */
  isConfused = false
  readonly #blocks = new Map<string, Block>()
  readonly #logs = new Map<string, ReadonlyArray<Log>>()
  readonly #pushes = new Set<{
    readonly kind: string
    readonly queue: Queue.Queue<Uint8Array, UpstreamError.UpstreamError>
  }>()
  #made = 0

  constructor() {
    this.mine()
  }

  get head(): Block {
    return this.canonical.at(-1)!
  }

  /**
   * Adds a block on top of the head, with logs of these addresses. With `takenBack` it first removes that many blocks.
   */
  mine(addresses: ReadonlyArray<string> = [], takenBack = 0): Block {
    this.canonical.splice(this.canonical.length - takenBack, takenBack)
    const hash = hashOf(++this.#made)
    const block: Block = {
      number: `0x${this.canonical.length.toString(16)}`,
      hash,
      parentHash: this.canonical.at(-1)?.hash ?? hashOf(0),
      transactions: [],
      size: "0x1"
    }
    this.canonical.push(block)
    this.#blocks.set(hash, block)
    this.#logs.set(
      hash,
      addresses.map((address, index) => ({
        address,
        topics: [hashOf(this.#made % 3)],
        blockHash: hash,
        logIndex: `0x${index.toString(16)}`,
        removed: false
      }))
    )
    this.push("newHeads", headerOf(block))
    return block
  }

  logsOf(hash: string): ReadonlyArray<Log> {
    return this.#logs.get(hash) ?? []
  }

  push(kind: string, item: unknown): void {
    if (this.isMute) return
    for (const push of this.#pushes) if (push.kind === kind) Queue.offerUnsafe(push.queue, encode(item))
  }

  /** The number of subscriptions at the node. */
  get subscriptions(): number {
    return this.#pushes.size
  }

  /** Ends all subscriptions, as a lost connection would. */
  readonly disconnect = Effect.suspend(() =>
    Effect.forEach([...this.#pushes], ({ queue }) => Queue.fail(queue, unreachable), { discard: true })
  )

  get upstream(): Upstream.Upstream {
    return {
      call: (method, params) => Effect.suspend(() => this.#call(method, params)),
      subscribe: this.canPush
        ? ([kind]) =>
            Effect.suspend(() =>
              this.isDown ? Effect.fail(unreachable) : Queue.unbounded<Uint8Array, UpstreamError.UpstreamError>()
            ).pipe(
              Effect.map((queue) => ({ kind: String(kind), queue })),
              Effect.tap((push) =>
                Effect.acquireRelease(
                  Effect.sync(() => this.#pushes.add(push)),
                  () => Effect.sync(() => this.#pushes.delete(push))
                )
              ),
              Effect.map(({ queue }) => queue)
            )
        : undefined
    }
  }

  #call(
    method: string,
    params: ReadonlyArray<unknown>
  ): Effect.Effect<Uint8Array, ErrorObject.ErrorObject | UpstreamError.UpstreamError> {
    this.asked.push(method)
    if (this.isDown) return Effect.fail(unreachable)
    switch (method) {
      case "eth_getBlockByNumber":
        if (params[0] === "pending") {
          return Effect.succeed(
            encode(this.pending === undefined ? null : { number: null, transactions: this.pending })
          )
        }
        return Effect.succeed(encode(this.head))
      case "eth_getBlockByHash":
        return Effect.succeed(encode((this.hides ? undefined : this.#blocks.get(String(params[0]))) ?? null))
      case "eth_getLogs":
        if (this.forgets && !this.canonical.some(({ hash }) => hash === Object(params[0]).blockHash)) {
          return Effect.fail(ErrorObject.make(-32_000, "unknown block"))
        }
        return Effect.succeed(
          encode(this.logsOf(this.isConfused ? this.canonical[1]!.hash : Object(params[0]).blockHash))
        )
      case "eth_syncing":
        return Effect.succeed(encode(this.syncing))
      default:
        return Effect.fail(ErrorObject.methodNotFound(method))
    }
  }
}

/** Returns the part of a block that a node pushes. */
export const headerOf = ({ hash, number, parentHash }: Block) => ({ number, hash, parentHash })

const unreachable = new UpstreamError.UpstreamError({ reason: { _tag: "Unreachable", code: "ECONNREFUSED" } })
