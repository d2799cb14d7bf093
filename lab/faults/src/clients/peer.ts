/** The common parts of other projects' clients, which return promises. */
import type { Hash32 } from "@plumbline/codec"
import { Effect, Queue, Stream } from "effect"

import { absent, failed, gap, type Seen, shown, value } from "../clientObservation.ts"
import type { Client, Options } from "../contender.ts"

/**
 * The calls of a client, with results in its own types. A result is null or undefined if the client says that there is
 * no such thing.
 */
export interface Peer {
  readonly transaction: (hash: Hash32.Hash32) => Promise<unknown>
  readonly block: (hash: Hash32.Hash32) => Promise<unknown>
  readonly slot: () => Promise<unknown>
  readonly account: () => Promise<unknown>
  /** Begins to follow the heads. `onGap` is called if the client warns that heads may be missing. */
  readonly follow?: (onHead: (head: { readonly number: unknown }) => void, onGap: () => void) => Promise<unknown>
  /** The kind of an error, in the client's own terms. */
  readonly kindOf: (error: Error) => string
  /** The kinds of errors that say "there is no such thing". */
  readonly absences: ReadonlyArray<string>
}

export const toClient = (
  { absences, account, block, follow, kindOf, slot, transaction }: Peer,
  { guard }: Options
): Client => {
  const whyNot = (error: unknown): Seen => {
    const kind = error instanceof Error ? kindOf(error) : `${typeof error} instead of an error`
    return absences.includes(kind) ? absent : failed(kind, error)
  }
  const seen = (read: () => Promise<unknown>, show: (result: unknown) => string): Effect.Effect<Seen> =>
    Effect.promise(() =>
      guard(async () => {
        try {
          const result = await read()
          return result === null || result === undefined ? absent : value(show(result))
        } catch (error) {
          return whyNot(error)
        }
      })
    )
  const client: Client = {
    transaction: (hash) => seen(() => transaction(hash), shown.transaction),
    block: (hash) => seen(() => block(hash), shown.block),
    slot: seen(slot, shown.slot),
    account: seen(account, shown.account)
  }
  if (follow === undefined) return client
  const heads = Stream.callback<Seen>((queue) =>
    Effect.promise(() =>
      guard(async () => {
        const offer = (seen: Seen): void => void Queue.offerUnsafe(queue, seen)
        try {
          await follow(
            (head) => offer(value(shown.head(head))),
            () => offer(gap)
          )
        } catch (error) {
          offer(whyNot(error))
        }
      })
    )
  )
  return { ...client, heads }
}
