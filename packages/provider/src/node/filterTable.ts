/** The filters of all owners, and the results that wait in them, within bounds. */
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import type * as Scope from "effect/Scope"

import type { Notice } from "./Notice.ts"

/** The result of a notice, with its verdict. */
type WaitingResult = Pick<Extract<Notice, { readonly _tag: "Item" }>, "result" | "verdict">

/** One filter. */
export interface Filter {
  readonly id: string
  readonly scope: Scope.Closeable
  readonly kind: FilterKind
  readonly owner: string
  waiting: Array<WaitingResult>
  /** The size of the waiting results. */
  bytes: number
  /** True if the subscription ended by itself. The filter ends when its last error was read. */
  isOver?: true
  /** The reason why results are missing. The next request gets this reason. */
  missing: ErrorObject.ErrorObject | undefined
  asked: number
}

/** The properties of a kind of filter. */
export interface FilterKind {
  /** The method that began the filter. */
  readonly method: string
  /** The parameters of the filter's subscription. */
  readonly params: ReadonlyArray<unknown>
  /** The parameter of a filter of logs, in wire form. */
  readonly logs?: unknown
  /** Returns the filter's result for a notification; undefined if there is none. */
  readonly resultOf: (result: any) => unknown
}

/** Bounds of the results that wait: their number in one filter, and their size in bytes of JSON. */
export interface FilterBounds {
  readonly maxWaiting: number
  readonly maxBytes: { readonly ofOwner: number; readonly ofAll: number }
}

export class FilterTable {
  readonly #filters = new Map<string, Filter>()
  readonly #counts = new Map<string, number>()
  /** The size of the results that wait: of all filters, and by owner. */
  #bytes = 0
  readonly #bytesOf = new Map<string, number>()
  readonly #bounds: FilterBounds
  readonly #tooMany: ErrorObject.ErrorObject

  constructor(bounds: FilterBounds) {
    this.#bounds = bounds
    this.#tooMany = ErrorObject.make(
      ErrorCode.LIMIT_EXCEEDED,
      `more than ${bounds.maxWaiting} results waited: ask more often, or for fewer`
    )
  }

  get(id: string): Filter | undefined {
    return this.#filters.get(id)
  }

  /** Returns the number of filters of an owner. */
  countOf(owner: string): number {
    return this.#counts.get(owner) ?? 0
  }

  add(filter: Filter): void {
    this.#filters.set(filter.id, filter)
    add(this.#counts, filter.owner, 1)
  }

  /** Removes a filter and its results, if it is still there. */
  remove(filter: Filter): void {
    this.take(filter)
    if (this.#filters.delete(filter.id)) add(this.#counts, filter.owner, -1)
  }

  /** Takes the results of a filter that wait. */
  take(filter: Filter): ReadonlyArray<WaitingResult> {
    const { waiting } = filter
    this.#bytes -= filter.bytes
    add(this.#bytesOf, filter.owner, -filter.bytes)
    filter.bytes = 0
    filter.waiting = []
    return waiting
  }

  /** Keeps the result of a notice until it is asked for. */
  keep(filter: Filter, notice: Notice): void {
    if (notice._tag !== "Item") {
      // nothing is missing yet if the trusted authority may still name the block
      if (notice._tag !== "Held" || notice.isYet !== true) filter.missing ??= notice.error
      return
    }
    // results of a filter whose next answer says that results are missing need not wait
    if (filter.missing === this.#tooMany || filter.missing === tooLarge || !this.#filters.has(filter.id)) return
    const result = filter.kind.resultOf(notice.result)
    if (result === undefined) return
    // a hash out of a notice is small
    const size = result === notice.result ? (notice.bytes ?? 0) : 0
    const { maxBytes, maxWaiting } = this.#bounds
    if (filter.waiting.length >= maxWaiting) return this.#drop(filter, this.#tooMany)
    const ofOwner = (this.#bytesOf.get(filter.owner) ?? 0) + size
    if (ofOwner > maxBytes.ofOwner || this.#bytes + size > maxBytes.ofAll) return this.#drop(filter, tooLarge)
    filter.waiting.push({ result, verdict: notice.verdict })
    filter.bytes += size
    this.#bytes += size
    add(this.#bytesOf, filter.owner, size)
  }

  #drop(filter: Filter, why: ErrorObject.ErrorObject): void {
    this.take(filter)
    filter.missing = why
  }
}

const tooLarge = ErrorObject.make(
  ErrorCode.LIMIT_EXCEEDED,
  "the results that waited were too large together: ask more often, or for fewer"
)

/** Changes a count by owner. Owners without a count are not kept. */
const add = (counts: Map<string, number>, owner: string, change: number): void => {
  const left = (counts.get(owner) ?? 0) + change
  if (left > 0) counts.set(owner, left)
  else counts.delete(owner)
}
