/**
 * Finds subjects of a network for examples and lies, such as a transaction or a contract. The search starts at the
 * newest block. Subjects need no proof.
 */
import * as Address from "@plumbline/codec/value/Address"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Effect from "effect/Effect"

import * as GatherEvidence from "./GatherEvidence.ts"
import { NetworkClients } from "./NetworkClients.ts"

/** The hash and the number of a block. */
export interface NamedBlock {
  readonly hash: string
  readonly number: bigint
}

/** The subjects that a lie can be told about. A subject is undefined if none of the blocks that were read has one. */
export interface ExampleSubjects {
  readonly head: NamedBlock
  /** The newest block with transactions, and its first transaction. */
  readonly busy: (NamedBlock & { readonly transaction: string; readonly sender: string }) | undefined
  /** A contract with a word in a slot, at the head. */
  readonly contract: { readonly address: string; readonly slot: string } | undefined
  /** The newest block with withdrawals. */
  readonly withdrawals: NamedBlock | undefined
  /** The newest transaction with an access list. */
  readonly listed: { readonly block: NamedBlock; readonly hash: string; readonly index: number } | undefined
  /**
   * The newest transaction that wrote logs, and a range of blocks with at least two logs. The transaction's block ends
   * the range.
   */
  readonly logged:
    | { readonly block: NamedBlock; readonly hash: string; readonly index: number; readonly from: bigint }
    | undefined
}

/** Maximum number of blocks that are read, and the number read at a time. */
const MOST = 80n
const AT_ONCE = 16n

type Whole = Block.WithTransactions

/** Finds the subjects, as a stage. */
export const find: Effect.Effect<ExampleSubjects, JsonRpcError | GatherEvidence.NotThereError, NetworkClients> =
  Effect.gen(function* () {
    const { eth } = yield* NetworkClients
    const newest = yield* GatherEvidence.blockOf("latest")
    const head = { hash: newest.hash, number: newest.number }
    const blocks: Array<Whole> = [newest]
    let found = pick(head, blocks)
    for (let next = head.number - 1n; next >= 0n && head.number - next < MOST && !isFull(found);) {
      const last = next - AT_ONCE + 1n > 0n ? next - AT_ONCE + 1n : 0n
      const numbers = Array.from({ length: Number(next - last) + 1 }, (_, i) => next - BigInt(i))
      const read = yield* Effect.forEach(numbers, (number) => eth.getBlockByNumber(number, { full: true }), {
        concurrency: "unbounded"
      })
      blocks.push(...read.filter((block) => block !== null))
      found = pick(head, blocks)
      next = last - 1n
    }
    const { logs, ...rest } = found
    return {
      ...rest,
      logged: logs === undefined ? undefined : yield* loggedIn(logs),
      contract: yield* contractIn(head, blocks)
    }
  })

interface Picked {
  readonly head: NamedBlock
  readonly busy: ExampleSubjects["busy"]
  readonly withdrawals: ExampleSubjects["withdrawals"]
  readonly listed: ExampleSubjects["listed"]
  /** The newest block with logs, and the first block of the range that ends with this block. */
  readonly logs: { readonly block: NamedBlock; readonly from: bigint } | undefined
}

const isFull = ({ busy, listed, logs, withdrawals }: Picked): boolean =>
  busy !== undefined && listed !== undefined && withdrawals !== undefined && logs !== undefined

const nameOf = ({ hash, number }: Whole): NamedBlock => ({ hash: hash!, number: number! })

/** Picks subjects from blocks, which are ordered from the newest. */
const pick = (head: NamedBlock, blocks: ReadonlyArray<Whole>): Picked => {
  const busy = blocks.find(({ transactions }) => transactions.length > 1) ?? blocks.find(hasTransactions)
  const paid = blocks.find(({ withdrawals }) => (withdrawals ?? []).length > 0)
  const listing = blocks.find(({ transactions }) => transactions.some(hasList))
  const index = listing?.transactions.findIndex(hasList) ?? -1
  const logging = blocks.filter(({ logsBloom }) => /[1-9a-f]/u.test((logsBloom ?? "0x").slice(2)))
  const [newest, second] = logging
  const isNear = newest !== undefined && second !== undefined && newest.number! - second.number! <= RANGE
  const [first] = busy?.transactions ?? []
  const sender = first === undefined ? undefined : first["from"]
  return {
    head,
    busy:
      busy === undefined || first === undefined || typeof sender !== "string"
        ? undefined
        : { ...nameOf(busy), transaction: first.hash, sender },
    withdrawals: paid === undefined ? undefined : nameOf(paid),
    listed:
      listing === undefined ? undefined : { block: nameOf(listing), hash: listing.transactions[index]!.hash, index },
    logs: isNear ? { block: nameOf(newest), from: second.number! } : undefined
  }
}

/** Maximum number of blocks of a range of logs. */
const RANGE = 32n

const hasTransactions = ({ transactions }: Whole): boolean => transactions.length > 0

const hasList = (transaction: Whole["transactions"][number]): boolean =>
  "accessList" in transaction && Array.isArray(transaction.accessList)

/** Finds the transaction that wrote the logs. */
const loggedIn = Effect.fnUntraced(function* ({
  block,
  from
}: NonNullable<Picked["logs"]>): Effect.fn.Return<ExampleSubjects["logged"], JsonRpcError, NetworkClients> {
  const { eth } = yield* NetworkClients
  const receipts = (yield* eth.getBlockReceipts(block.number)) ?? []
  const index = receipts.findIndex(({ logs }) => logs.length > 0)
  return index < 0 ? undefined : { block, from, index, hash: receipts[index]!.transactionHash }
})

const SLOTS = Array.from({ length: 8 }, (_, i) => `0x${i.toString(16).padStart(64, "0")}`)

/** Finds a contract with a nonzero word in one of its first slots, among the contracts that transactions called. */
const contractIn = Effect.fnUntraced(function* (
  { number }: NamedBlock,
  blocks: ReadonlyArray<Whole>
): Effect.fn.Return<ExampleSubjects["contract"], never, NetworkClients> {
  const { eth } = yield* NetworkClients
  const called = blocks.flatMap(({ transactions }) =>
    transactions.flatMap(({ to }) => (typeof to === "string" ? [to] : []))
  )
  for (const address of [...new Set(called)].slice(0, 12)) {
    const proof = yield* Effect.orElseSucceed(
      eth.getProof(Address.fromHexUnsafe(address), SLOTS as never, number),
      () => undefined
    )
    const slot = proof?.storageProof.findIndex(({ value }) => value !== 0n) ?? -1
    if (slot >= 0) return { address, slot: SLOTS[slot]! }
  }
  return undefined
})
