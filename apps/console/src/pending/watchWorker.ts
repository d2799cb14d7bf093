/**
 * The worker thread of a watch. It asks the node for its list, and hashes each transaction of the list.
 *
 * A hash takes milliseconds and a list may have thousands of transactions, so hashing in the page's own thread would
 * freeze the page.
 */
import * as HttpTransport from "@plumbline/jsonrpc-core/http/HttpTransport"
import * as SecondChainClient from "@plumbline/second-chain-methods/client/SecondChainClient"
import * as TransactionPreimage from "@plumbline/second-chain-methods/hash/TransactionPreimage"
import * as Felt from "@plumbline/second-chain-methods/model/Felt"
import type * as Transaction from "@plumbline/second-chain-methods/model/Transaction"
import { TransactionHash } from "@plumbline/second-chain-methods/proof/SecondChainEvidence"
import * as Verify from "@plumbline/second-chain-methods/proof/Verify"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as Watch from "./Watch.ts"

/**
 * A transaction, and the JSON text for which its verdict holds. A node may later send a different text with the same
 * hash.
 */
interface Entry {
  readonly row: Watch.PendingRow
  readonly transaction: Transaction.Transaction
  readonly text: string
  verdict: ReturnType<typeof Verify.verifyPending> | undefined
}

/** The time between two lists. */
const EVERY = Duration.seconds(2)

/** Number of verdicts in one message, so that a long list needs few messages. */
const TOLD_AT_ONCE = 40

let entries: ReadonlyMap<string, Entry> = new Map()
let isListed = false
/** The id of the chain, which is part of every hash. */
let chainId: Felt.Felt | undefined
let isPaused = false

const tell = (news: Watch.WorkerMessage): void => self.postMessage(news, {})

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part)) ?? ""

/** Takes over a new list, and keeps the verdicts of transactions that have not changed. */
const take = (list: ReadonlyArray<Transaction.Transaction>): void => {
  const next = new Map<string, Entry>()
  const seen = new Map<string, number>()
  for (const transaction of list.slice(0, Watch.MAX_ROWS)) {
    const hash = transaction.transaction_hash
    const before = seen.get(hash) ?? 0
    seen.set(hash, before + 1)
    const id = `${hash} ${before}`
    const text = textOf(transaction)
    const known = entries.get(id)
    next.set(id, known?.text === text ? known : { row: rowOf(id, transaction), transaction, text, verdict: undefined })
  }
  const isSame = next.size === entries.size && [...next].every(([id, entry]) => entries.get(id) === entry)
  entries = next
  const at = Date.now()
  if (isSame && isListed) {
    tell({ _tag: "Same", at })
    return
  }
  isListed = true
  const all = [...next.values()]
  tell({ _tag: "Listed", rows: all.map(({ row }) => row), total: list.length, at })
  const known = all.flatMap(({ row, verdict }) => (verdict === undefined ? [] : [[row.id, judgedOf(verdict)] as const]))
  tell({ _tag: "Judged", verdicts: known })
}

/** Returns the transaction as the node sent it. */
const sentBy = (transaction: Transaction.Transaction): Readonly<Record<string, unknown>> =>
  transaction.type === "UNKNOWN" ? transaction.sent : { ...transaction }

const rowOf = (id: string, transaction: Transaction.Transaction): Watch.PendingRow => {
  const sent = sentBy(transaction)
  const said = (name: string): string | undefined => {
    const value = sent[name]
    return typeof value === "string" ? value.slice(0, MAX_NAME) : undefined
  }
  return {
    id,
    hash: transaction.transaction_hash,
    type: said("type") ?? "?",
    version: said("version") ?? "?",
    address: said("sender_address") ?? said("contract_address"),
    felts: Object.values(sent).reduce<number>((sum, value) => sum + (Array.isArray(value) ? value.length : 0), 0)
  }
}

/** Maximum number of characters of a node's text in a row: the length of a felt. */
const MAX_NAME = 66

const judgedOf = (verdict: NonNullable<Entry["verdict"]>): Watch.PendingVerdict => {
  if (Result.isSuccess(verdict)) return { word: verdict.success._tag }
  const { check, expected, got } = verdict.failure
  return { word: "REFUTED", refuted: { check, expected, got } }
}

/** Hashes the transactions without a verdict one at a time, and lets other work run in between. */
const judging = (options: Verify.VerifyTransactionOptions) =>
  Effect.gen(function* () {
    for (;;) {
      const told: Array<readonly [string, Watch.PendingVerdict]> = []
      for (const [id, entry] of entries) {
        if (entry.verdict !== undefined) continue
        entry.verdict = Verify.verifyPending(entry.transaction, options)
        told.push([id, judgedOf(entry.verdict)])
        if (told.length >= TOLD_AT_ONCE) break
        yield* Effect.yieldNow
      }
      if (told.length > 0) tell({ _tag: "Judged", verdicts: told })
      yield* Effect.sleep(told.length >= TOLD_AT_ONCE ? 0 : 100)
    }
  })

/** The fields that nodes of a version leave out although hashes cover them. Nodes of 0.5 to 0.7 lack `l1_data_gas`. */
const omittedBy = (specVersion: string | undefined): ReadonlyArray<Verify.OmittedField> =>
  specVersion !== undefined && /^v?0\.[5-7](?!\d)/u.test(specVersion) ? ["l1_data_gas"] : []

const watch = ({ chainId: id, url }: Watch.WatchOrder) =>
  Effect.gen(function* () {
    const client = yield* SecondChainClient.make()
    let isJudging = false
    for (;;) {
      let wait: Duration.Duration = EVERY
      if (!isPaused) {
        const list = yield* Effect.result(client.pendingTransactions)
        if (Result.isFailure(list)) {
          const { message, retryAfter = EVERY } = list.failure
          // a service that refuses a call says when it answers again; an earlier call would only be refused too
          wait = Duration.max(retryAfter, EVERY)
          tell({ _tag: "Failed", message, again: Math.ceil(Duration.toSeconds(wait)) })
        } else take(list.success)
        if (Result.isSuccess(list) && !isJudging) {
          isJudging = true
          // the client asked for this version before it read the list; without an answer, the version is 0.4 or older
          const version = yield* Effect.orElseSucceed(client.specVersion, () => undefined)
          const options = { chainId: Felt.fromHexUnsafe(id), omits: omittedBy(version) }
          yield* Effect.forkChild(judging(options))
        }
      }
      yield* Effect.sleep(wait)
    }
  }).pipe(Effect.provide(HttpTransport.layer({ url, timeout: "20 seconds" })))

/** Maximum number of lines of one field. */
const MAX_LINES = 32

const open = (id: string): void => {
  const entry = entries.get(id)
  if (entry === undefined) return
  const { transaction, verdict } = entry
  const isProven = verdict !== undefined && Result.isSuccess(verdict)
  const hashed = new Set(
    isProven ? verdict.success.proven.flatMap((one) => (TransactionHash.is(one) ? one.fields : [])) : []
  )
  const claimed = isProven ? verdict.success.claimed : []
  const sent = sentBy(transaction)
  const fields = Object.entries(sent).map(([name, value]): Watch.Field => {
    const claim = claimed.find((one) => one.field === name)
    const lines = linesOf(value)
    return {
      name,
      lines: lines.slice(0, MAX_LINES),
      more: Math.max(0, lines.length - MAX_LINES),
      isHashed: hashed.has(name),
      why: claim?.reason.sentence
    }
  })
  const names = new Set(Object.keys(sent))
  const claims = claimed
    .filter(({ field }) => !names.has(field))
    .map(({ field, reason }) => `${field}: ${reason.sentence}`)
  tell({ _tag: "Opened", opened: { id, fields, claims, preimage: preimageOf(transaction, verdict) } })
}

/** Maximum number of felts of a preimage that are shown. */
const MAX_FELTS = 96

/** Returns the preimage of a transaction that this thread hashed. A transaction that is too long was not hashed. */
const preimageOf = (transaction: Transaction.Transaction, verdict: Entry["verdict"]): Watch.Preimage | undefined => {
  const isHashed =
    verdict !== undefined &&
    (Result.isFailure(verdict) || verdict.success.proven.some((one) => TransactionHash.is(one)))
  if (!isHashed || chainId === undefined) return undefined
  const found = TransactionPreimage.transactionPreimage(transaction, chainId, transaction.transaction_hash)
  if (found === undefined) return undefined
  const rows = rowsOf(found, 0)
  return {
    algorithm: found.algorithm,
    rows: rows.slice(0, MAX_FELTS),
    more: Math.max(0, rows.length - MAX_FELTS),
    hash: found.hash
  }
}

/** Returns the parts as rows. The felts of a list follow the hash of the list. */
const rowsOf = ({ parts }: TransactionPreimage.TransactionPreimage, depth: number): ReadonlyArray<Watch.HashedFelt> =>
  parts.flatMap(({ felt, list, name }) => [
    { name, felt, depth, of: list?.parts.length },
    ...(list === undefined ? [] : rowsOf(list, depth + 1))
  ])

/** Formats a value as lines: one for each item of a list, or for each member of an object. */
const linesOf = (value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return [plain(value)]
  if (Array.isArray(value)) return value.map(plain)
  return Object.entries(value).map(([name, member]) => `${name}: ${plain(member)}`.slice(0, MAX_LINE))
}

const plain = (value: unknown): string =>
  (typeof value === "string"
    ? value
    : textOf(value)
        .replaceAll(/["{}]/gu, "")
        .replaceAll(/([:,])/gu, "$1 ")
  ).slice(0, MAX_LINE)

/** Maximum number of characters of a line. */
const MAX_LINE = 300

self.addEventListener("message", ({ data }: MessageEvent<Watch.WorkerRequest>) => {
  switch (data._tag) {
    case "Watch":
      chainId = Felt.fromHexUnsafe(data.order.chainId)
      void Effect.runPromise(watch(data.order)).catch(() =>
        tell({ _tag: "Failed", message: "The thread that hashes has stopped. Load the page again.", again: undefined })
      )
      return
    case "Open":
      open(data.id)
      return
    case "Pause":
      isPaused = data.isPaused
  }
})
