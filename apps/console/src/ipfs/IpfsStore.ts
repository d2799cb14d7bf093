/** Reads the IPFS of the service: with a key and its secret, or block by block without them. */
import type * as BlockSource from "@plumbline/ipfs-client/block/BlockSource"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as IpfsClient from "@plumbline/ipfs-client/client/IpfsClient"
import type { IpfsError } from "@plumbline/ipfs-client/client/IpfsError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

import type * as ConsoleNetworks from "../chain/ConsoleNetworks.ts"
import * as PageSession from "../chain/PageSession.ts"
import { registry } from "../look/useAtom.ts"

/** The service has no IPFS. */
export class NoIpfsError extends Schema.TaggedError<NoIpfsError>()("NoIpfsError", {}) {
  override get message(): string {
    return "This service has no IPFS."
  }
}

/** The service does not let the page read IPFS without a key and its secret. */
export class NeedsAccessError extends Schema.TaggedError<NeedsAccessError>()("NeedsAccessError", {}) {
  override get message(): string {
    return "IPFS is read with an API key and its secret. Enter both."
  }
}

/** The client. Its answers are claims of the service, except for bytes that the caller of the client hashes. */
export type AccessClient = IpfsClient.AnyClient

/**
 * Makes the client of a key. `fetch` is the platform's unless given. A key that the page made for a session is not used
 * after the session: then there is no client.
 */
export const clientOf = (
  access: PageSession.ProjectAccess,
  fetch?: typeof globalThis.fetch
): Effect.Effect<AccessClient, IpfsError | NeedsAccessError> =>
  Effect.suspend((): Effect.Effect<AccessClient, IpfsError | NeedsAccessError> => {
    // a key that the page made may have been replaced meanwhile
    const current = access.renew === undefined ? access : registry.get(PageSession.access)
    if (current === undefined) return Effect.fail(new NeedsAccessError())
    const { apiKey, apiKeySecret, renew } = current
    const url = registry.get(PageSession.service)
    return made({ url, apiKey, apiKeySecret, fetch: renew === undefined ? fetch : renewing(renew, fetch) })
  })

/** Repeats a request whose key has ended with another key of the page. */
const renewing =
  (renew: NonNullable<PageSession.ProjectAccess["renew"]>, fetch = globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const answer = await fetch(input, init)
    const next = answer.status === 401 ? await renew() : undefined
    if (next === undefined) return answer
    const headers = new Headers(init?.headers)
    headers.set("authorization", `Basic ${btoa([next.apiKey, next.apiKeySecret].map(Redacted.value).join(":"))}`)
    return fetch(input, { ...init, headers })
  }

const made = (options: Parameters<typeof IpfsClient.layerFetch>[0]): Effect.Effect<AccessClient, IpfsError> =>
  Effect.provide(
    IpfsClient.IpfsClient.use((client) => Effect.succeed(client)),
    IpfsClient.layerFetch({ ...options, retries: 1, timeout: "30 seconds" })
  )

/** The blocks of the service, and the number of blocks read so far. */
export interface ServiceBlocks {
  readonly source: BlockSource.BlockSource<IpfsClient.IpfsFailure>
  readonly read: () => { readonly blocks: number; readonly bytes: number }
}

/** A source of blocks for one read. */
export class IpfsStore extends Context.Service<IpfsStore, { readonly blocks: Effect.Effect<ServiceBlocks> }>()(
  "@plumbline/console/Store"
) {}

/** The errors because of which the store cannot be used. */
export type StoreUnready = NoIpfsError | NeedsAccessError | ConsoleNetworks.NoServiceError | IpfsError

/** Maximum number of blocks that one read keeps. */
const MAX_KEPT = 4

const runtime = Atom.runtime((get) =>
  Layer.effect(
    IpfsStore,
    Effect.gen(function* () {
      const { ipfs, ipfsOpen } = yield* get.result(PageSession.start)
      const given = get(PageSession.access)
      if (!ipfs) return yield* new NoIpfsError()
      if (given === undefined && !ipfsOpen) return yield* new NeedsAccessError()
      // only a script can set this header, so the service knows that the request is not from a form of another site
      const client =
        given === undefined
          ? yield* made({
              url: new URL("/console/api/ipfs", location.origin).href,
              headers: { "x-plumbline-console": "1" }
            })
          : yield* clientOf(given)
      return {
        blocks: Effect.sync((): ServiceBlocks => {
          const read = new Set<string>()
          const kept = new Map<string, Uint8Array>()
          let bytes = 0
          return {
            source: (cid) => {
              const text = Cid.toText(cid)
              // the root is read twice, first for its kind and then for its content; each time it is hashed again
              const known = kept.get(text)
              if (known !== undefined) return Effect.succeed(known)
              return Effect.tap(client.blockGet(text), (block) =>
                Effect.sync(() => {
                  if (kept.size < MAX_KEPT) kept.set(text, block)
                  if (!read.has(text)) bytes += block.length
                  read.add(text)
                })
              )
            },
            read: () => ({ blocks: read.size, bytes })
          }
        })
      }
    })
  )
)

/** Makes an atom of a read. */
export const read = <A, E>(
  effect: (blocks: ServiceBlocks) => Effect.Effect<A, E>
): Atom.Atom<AsyncResult.AsyncResult<A, E | StoreUnready>> =>
  runtime.atom(Effect.flatMap(IpfsStore, ({ blocks }) => Effect.flatMap(blocks, effect)))
