/** A chain in this process that grows and forks on command, and a node that serves the chain, honestly or not. */
import { Hash32, Hex, Keccak256, Rlp } from "@plumbline/codec"
import { type BlockParameter, LogsBloom, TrustedBlock } from "@plumbline/eth-methods"
import { JsonRpcError, Subscriptions, Transport } from "@plumbline/jsonrpc-core"
import { Effect, Layer, Queue, Stream } from "effect"

export interface TestLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
}

export interface TestBlock {
  readonly number: bigint
  readonly hash: Hash32.Hash32
  readonly parentHash: Hash32.Hash32
  readonly wire: Readonly<Record<string, unknown>>
  readonly receipts: ReadonlyArray<any>
}

/** Changes the node's true answer; `undefined` keeps it. */
export type Lie = (method: string, params: ReadonlyArray<any>, truth: any) => unknown

export const address = (digit: string): string => `0x${digit.repeat(40)}`
export const topic = (digit: string): string => `0x${digit.repeat(64)}`

const bytes = (hex: string): Uint8Array => Hex.toBytesUnsafe(hex)
const number = (value: bigint): Uint8Array => (value === 0n ? new Uint8Array() : bytes(even(value.toString(16))))
const even = (digits: string): string => `0x${digits.length % 2 === 1 ? "0" : ""}${digits}`
const quantity = (value: bigint): string => `0x${value.toString(16)}`
const keccak = (item: Rlp.Rlp): Hash32.Hash32 => Keccak256.hashHex(Rlp.encode(item))

/** Returns the root of a trie with one item: a leaf under the key 0x80, which is the RLP of index 0. */
const rootOf = (only: Uint8Array | undefined): Hash32.Hash32 =>
  only === undefined ? Keccak256.hashHex(Uint8Array.of(0x80)) : keccak([bytes("0x2080"), only])

const ZERO = `0x${"00".repeat(32)}`
const MINER = address("0")
const SIGNATURE = { v: 27n, r: 1n, s: 1n }

export class TestChain {
  readonly canonical: Array<TestBlock> = []
  readonly asked: Array<Transport.WireCall> = []
  readonly blocks = new Map<string, TestBlock>()
  pending: ReadonlyArray<string> = []
  lie: Lie = () => undefined
  isDown = false
  #made = 0
  readonly #pushes = new Map<string, Set<Queue.Queue<any, any>>>()

  /** Header fields of a fork after London, as hex text; their names and order are the caller's. */
  readonly #later: Readonly<Record<string, string>>

  constructor(later: Readonly<Record<string, string>> = {}) {
    this.#later = later
    this.mine()
  }

  get head(): TestBlock {
    return this.canonical.at(-1)!
  }

  /**
   * Removes the newest `takenBack` blocks, then adds a block. One transaction of the new block has these logs.
   */
  mine(logs: ReadonlyArray<TestLog> = [], takenBack = 0): TestBlock {
    this.canonical.splice(this.canonical.length - takenBack, takenBack)
    const block = this.make(logs)
    this.canonical.push(block)
    return block
  }

  /** Makes a block on top of `parent`. The node serves the new block by its hash, but its head does not change. */
  make(
    logs: ReadonlyArray<TestLog> = [],
    parent: TestBlock | undefined = this.canonical.at(-1),
    at: bigint = parent === undefined ? 0n : parent.number + 1n
  ): TestBlock {
    const salt = BigInt(++this.#made)
    const parentHash = parent?.hash ?? Hash32.fromHexUnsafe(ZERO)
    const full = logs.map((log) => ({ ...log, data: "0x" }))
    const bloom = LogsBloom.ofEach([full as any])[0]!
    const { r, s, v } = SIGNATURE
    const nonce = salt
    const transaction = Rlp.encode([
      number(nonce),
      number(1n),
      number(21_000n),
      bytes(address("a")),
      number(0n),
      new Uint8Array(),
      number(v),
      number(r),
      number(s)
    ])
    const transactionHash = Keccak256.hashHex(transaction)
    const receipt = Rlp.encode([
      number(1n),
      number(21_000n),
      bloom,
      full.map(({ address, topics }) => [bytes(address), topics.map(bytes), new Uint8Array()])
    ])
    const has = logs.length > 0
    const roots = { transactions: rootOf(has ? transaction : undefined), receipts: rootOf(has ? receipt : undefined) }
    const uncles = keccak([])
    const extra = number(salt)
    const gasUsed = has ? 21_000n : 0n
    const isLater = Object.keys(this.#later).length > 0
    const hash = keccak([
      bytes(parentHash),
      bytes(uncles),
      bytes(MINER),
      bytes(ZERO),
      bytes(roots.transactions),
      bytes(roots.receipts),
      bloom,
      number(1n),
      number(at),
      number(30_000_000n),
      number(gasUsed),
      number(1_000n + at),
      extra,
      bytes(ZERO),
      new Uint8Array(8),
      ...(isLater ? [number(7n), ...Object.values(this.#later).map(bytes)] : [])
    ])
    const place = { blockHash: hash, blockNumber: quantity(at), transactionIndex: "0x0" }
    const block: TestBlock = {
      number: at,
      hash,
      parentHash,
      wire: {
        number: quantity(at),
        hash,
        parentHash,
        sha3Uncles: uncles,
        miner: MINER,
        stateRoot: ZERO,
        transactionsRoot: roots.transactions,
        receiptsRoot: roots.receipts,
        logsBloom: Hex.fromBytes(bloom),
        difficulty: "0x1",
        gasLimit: quantity(30_000_000n),
        gasUsed: quantity(gasUsed),
        timestamp: quantity(1_000n + at),
        extraData: Hex.fromBytes(extra),
        mixHash: ZERO,
        nonce: `0x${"00".repeat(8)}`,
        ...(isLater ? { baseFeePerGas: "0x7", ...this.#later } : {}),
        uncles: [],
        transactions: has
          ? [
              {
                ...place,
                type: "0x0",
                hash: transactionHash,
                from: address("f"),
                to: address("a"),
                nonce: quantity(nonce),
                gasPrice: "0x1",
                gas: quantity(21_000n),
                value: "0x0",
                input: "0x",
                v: quantity(v),
                r: quantity(r),
                s: quantity(s)
              }
            ]
          : []
      },
      receipts: has
        ? [
            {
              ...place,
              type: "0x0",
              transactionHash,
              from: address("f"),
              to: address("a"),
              cumulativeGasUsed: quantity(21_000n),
              gasUsed: quantity(21_000n),
              effectiveGasPrice: "0x1",
              contractAddress: null,
              logsBloom: Hex.fromBytes(bloom),
              status: "0x1",
              logs: full.map((log, at) => ({
                ...log,
                ...place,
                transactionHash,
                logIndex: quantity(BigInt(at)),
                removed: false
              }))
            }
          ]
        : []
    }
    this.blocks.set(hash, block)
    return block
  }

  /** Pushes an item, true or not, to every subscriber. */
  push(kind: string, item: unknown): void {
    for (const queue of this.#pushes.get(kind) ?? []) Queue.offerUnsafe(queue, { _tag: "Item", value: item })
  }

  /** Reports to subscribers that the connection broke and was restored. */
  reconnect(): void {
    for (const queues of this.#pushes.values()) {
      for (const queue of queues) Queue.offerUnsafe(queue, { _tag: "Gap", cause: "reconnected" })
    }
  }

  get listeners(): number {
    return [...this.#pushes.values()].reduce((sum, queues) => sum + queues.size, 0)
  }

  readonly call: Transport.Transport["Service"]["call"] = (call) =>
    Effect.suspend(() => {
      this.asked.push(call)
      if (this.isDown) return fail(call, new JsonRpcError.TransportError({ detail: "refused", retryable: true }))
      const truth = this.answer(call)
      const said = this.lie(call.method, call.params, truth)
      const answer = said === undefined ? truth : said
      return answer === undefined
        ? fail(call, new JsonRpcError.RemoteError({ code: -32601, message: "no such method" }))
        : Effect.succeed(structuredClone(answer))
    })

  answer({ method, params }: Transport.WireCall): unknown {
    const [first, second] = params as ReadonlyArray<any>
    switch (method) {
      case "eth_getBlockByNumber":
        if (first === "pending") return { ...this.head.wire, hash: null, number: null, transactions: this.pending }
        return shown(first === "latest" ? this.head : this.canonical[Number(first)], second)
      case "eth_getBlockByHash":
        return shown(this.blocks.get(first), second)
      case "eth_getBlockReceipts":
        return this.blocks.get(first.blockHash ?? first)?.receipts ?? null
      case "eth_getLogs":
        return this.blocks.get(first.blockHash)?.receipts.flatMap(({ logs }) => logs) ?? []
      default:
        return undefined
    }
  }

  get transport(): Layer.Layer<Transport.Transport> {
    return Layer.succeed(Transport.Transport, { call: this.call, callAll: Transport.oneByOne(this.call) })
  }

  get subscriptions(): Layer.Layer<Subscriptions.Subscriptions> {
    return Layer.succeed(Subscriptions.Subscriptions, {
      subscribe: ({ wire }) =>
        Stream.unwrap(
          Effect.gen({ self: this }, function* () {
            const kind = wire.prefix[0]!
            const queue = yield* Queue.unbounded<any, any>()
            const queues = this.#pushes.get(kind) ?? new Set()
            this.#pushes.set(kind, queues.add(queue))
            return Stream.ensuring(
              Stream.fromQueue(queue),
              Effect.sync(() => queues.delete(queue))
            )
          })
        )
    })
  }

  /**
   * Provides an authority that proves its blocks, as a light client does. For each number, it names the block that `of`
   * returns. If `of` returns undefined, the authority does not know the block yet.
   */
  static authority(of: (number: bigint) => TestBlock | undefined): Layer.Layer<TrustedBlock.TrustedBlock> {
    return Layer.effect(
      TrustedBlock.TrustedBlock,
      TrustedBlock.TrustedBlock.use(({ resolve }) =>
        Effect.succeed({
          resolve: (block: BlockParameter.NumberOrTag) =>
            Effect.map(resolve(block), (trusted) =>
              trusted._tag === "Nothing" ? trusted : { ...trusted, weak: undefined }
            )
        })
      )
    ).pipe(Layer.provide(TestChain.operator(of)))
  }

  /** Provides the word of a node that the operator runs. For each number, the node has the block that `of` returns. */
  static operator(
    of: (number: bigint) => TestBlock | undefined,
    consent?: TrustedBlock.NodeConsent
  ): Layer.Layer<TrustedBlock.TrustedBlock> {
    const inner = (call: Transport.WireCall) => {
      const found = of(BigInt(call.params[0] as string))
      return found === undefined ? null : shown(found, false)
    }
    return TrustedBlock.layerOperator(
      Layer.succeed(Transport.Transport, {
        call: (call) => Effect.sync(() => inner(call)),
        callAll: () => Effect.succeed([])
      }),
      consent
    )
  }
}

const shown = (block: TestBlock | undefined, full: boolean): unknown =>
  block === undefined
    ? null
    : full
      ? block.wire
      : { ...block.wire, transactions: (block.wire["transactions"] as ReadonlyArray<any>).map(({ hash }) => hash) }

const fail = ({ method }: Transport.WireCall, reason: JsonRpcError.Reason) =>
  Effect.fail(new JsonRpcError.JsonRpcError({ method, reason }))
