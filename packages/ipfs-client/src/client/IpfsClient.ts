/**
 * Reads and writes IPFS through the HTTP API of a node or a service, with one typed function per command. Answers are
 * decoded, but not verified.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

import * as BrowserUploads from "./browserUploads.ts"
import type { AnyClient, Client } from "./Client.ts"
import * as ClientMethods from "./clientMethods.ts"
import * as CommandCaller from "./commandCaller.ts"
import { IpfsError } from "./IpfsError.ts"
import * as IpfsTarget from "./ipfsTarget.ts"
import type * as ReplyReader from "./replyReader.ts"
import { trailersOf } from "./trailers.ts"

export type { ReadTrailers } from "./replyReader.ts"
export type { RetryWait } from "./ipfsTarget.ts"

export type {
  Add,
  AddFailure,
  AnyClient,
  CarFailure,
  CheckFailure,
  CidInput,
  Client,
  IpfsFailure,
  NodeIdentity,
  ReadFailure,
  RepoStat,
  NodeVersion
} from "./Client.ts"
export { defaults, type IpfsEndpoint } from "./ipfsTarget.ts"

/** The service to call, the limits of a call, and the function that reads trailers. */
export interface IpfsClientOptions extends IpfsTarget.IpfsEndpoint {
  /**
   * Returns the trailers of an answer that was read to its end, by lower-case names. Default: reads them from the place
   * where the clients of `@effect/platform-node` keep them. `fetch` hides trailers.
   */
  readonly trailers?: ReplyReader.ReadTrailers | undefined
}

/**
 * The service.
 *
 * Requests are POSTs with Basic authentication. A command that is safe to repeat is tried again, with a random wait,
 * after HTTP 429, 502, 503 and 504, or a failed connection, unless the caller has already received bytes of the answer.
 * A call that timed out is not tried again. Contents that can be read only once are sent only once. Redirects are not
 * followed, because a header could carry the key to another host. Interruption aborts the request.
 *
 * `object/get`, `object/data` and `object/stat` also work on nodes that dropped these commands: the client then uses
 * `block/get`.
 *
 * ```ts import.meta.vitest
 * import { Cid, IpfsClient } from "@plumbline/ipfs-client"
 * import { Effect, Layer, Redacted, Stream } from "effect"
 * import { HttpClient, HttpClientResponse } from "effect/http"
 *
 * const node = HttpClient.make((request) =>
 *   Effect.succeed(HttpClientResponse.fromWeb(request, new Response("hello world")))
 * )
 * const layer = IpfsClient.layer({
 *   url: "https://ipfs.example",
 *   apiKey: "key",
 *   apiKeySecret: Redacted.make("secret")
 * }).pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, node)))
 *
 * const cid = Cid.fromTextUnsafe("Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD")
 * const text = IpfsClient.IpfsClient.use((ipfs) => ipfs.cat(cid).pipe(Stream.decodeText(), Stream.mkString))
 * await Effect.runPromise(Effect.provide(text, layer)) // => "hello world"
 * ```
 */
export class IpfsClient extends Context.Service<IpfsClient, AnyClient>()("@plumbline/ipfs-client/IpfsClient") {}

/** Provides the client over the program's `HttpClient`. Fails with `EncodeError` if the URL or the key is invalid. */
export const layer = (options: IpfsClientOptions): Layer.Layer<IpfsClient, IpfsError, HttpClient.HttpClient> =>
  Layer.effect(IpfsClient, make(options))

/**
 * Provides the client over the platform's `fetch`, as in browsers.
 *
 * In browsers an upload is first collected in memory, because Chrome sends streams only over HTTP/2 and newer, and
 * other browsers send none. This works for up to some hundred megabytes. The request is sent without the browser's own
 * credentials, so that the browser opens no dialogue if the key is refused.
 */
export const layerFetch = (
  options: IpfsClientOptions & { readonly fetch?: typeof globalThis.fetch | undefined }
): Layer.Layer<IpfsClient, IpfsError> => {
  const fetch = BrowserUploads.fetchOf(options.fetch)
  const services = Layer.mergeAll(
    Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual", credentials: "omit" }),
    Layer.succeed(FetchHttpClient.StreamBodyFallback, "buffer"),
    fetch === undefined ? Layer.empty : Layer.succeed(FetchHttpClient.Fetch, fetch)
  )
  return layer(options).pipe(Layer.provide(FetchHttpClient.layer.pipe(Layer.provide(services))))
}

/** Makes the client as a value, for a program with several clients. */
export const make = (options: IpfsClientOptions): Effect.Effect<Client, IpfsError, HttpClient.HttpClient> =>
  Effect.flatMap(HttpClient.HttpClient, (client) =>
    Effect.fromResult(
      Result.mapBoth(IpfsTarget.make(options), {
        onFailure: (reason) => new IpfsError({ command: "configuration", reason }),
        onSuccess: (target) => ClientMethods.make(CommandCaller.make(target, client, options.trailers ?? trailersOf))
      })
    )
  )
