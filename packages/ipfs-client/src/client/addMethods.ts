/** Implements `add` with `addAll`. `add` accepts one entry or many. */
import type * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import type * as IpfsApi from "../commands/IpfsApi.ts"
import type * as Upload from "../commands/Upload.ts"
import type { Add, Client } from "./Client.ts"

type Options = Parameters<Add<never>>[1]

/** Makes `add`. `one` adds one entry, and chooses the answer to return. */
export const make = <E>(
  addAll: Client<E>["addAll"],
  one: <E2>(entry: Upload.UploadEntry<E2>, options?: Options) => Effect.Effect<IpfsApi.AddedEntry, E | E2>
): Add<E> => {
  const many = <E2>(
    entries: ReadonlyArray<Upload.UploadEntry<E2>>,
    options?: Options
  ): Effect.Effect<ReadonlyArray<IpfsApi.AddedEntry>, E | E2> =>
    Stream.runFold(
      addAll(entries, options),
      (): Array<IpfsApi.AddedEntry> => [],
      (found, event) => {
        if (event.cid !== undefined) found.push(event)
        return found
      }
    )

  function add<E2 = never>(
    entries: ReadonlyArray<Upload.UploadEntry<E2>>,
    options?: Options
  ): Effect.Effect<ReadonlyArray<IpfsApi.AddedEntry>, E | E2>
  function add<E2 = never>(entry: Upload.UploadEntry<E2>, options?: Options): Effect.Effect<IpfsApi.AddedEntry, E | E2>
  function add<E2>(
    given: Upload.UploadEntry<E2> | ReadonlyArray<Upload.UploadEntry<E2>>,
    options?: Options
  ): Effect.Effect<IpfsApi.AddedEntry | ReadonlyArray<IpfsApi.AddedEntry>, E | E2> {
    return isMany(given) ? many(given, options) : one(given, options)
  }
  return add
}

/** True for many entries. `Array.isArray` alone does not narrow a `ReadonlyArray`. */
const isMany = <A extends object>(given: A | ReadonlyArray<A>): given is ReadonlyArray<A> => Array.isArray(given)
