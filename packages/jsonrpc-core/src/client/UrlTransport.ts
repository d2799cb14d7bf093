/**
 * The transport that clients make from nothing but a URL: the platform's `fetch`, and calls of one turn in one packet.
 */
import type * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"

import * as HttpTransport from "../http/HttpTransport.ts"
import * as Batching from "../middleware/Batching.ts"
import { through, type Transport } from "../transport/Transport.ts"

/** Whether and how calls are gathered. */
export interface UrlTransportOptions {
  /**
   * How calls that are made at the same time are gathered into one packet; false to send each call by itself. Default:
   * the defaults of `Batching`.
   *
   * A node that refuses packets is asked one call at a time from then on. Some nodes work through a packet one call after
   * the other; if your calls are heavy, `false` may be faster.
   */
  readonly batching?: Batching.BatchingOptions | false | undefined
}

/**
 * Provides the transport to the node at a URL, with the default limits of `HttpTransport`. A URL that `Config.Redacted`
 * reads needs no unwrapping.
 *
 * ```ts import.meta.vitest
 * import { UrlTransport } from "@plumbline/jsonrpc-core"
 * import { Layer } from "effect"
 *
 * Layer.isLayer(UrlTransport.layer("https://node.example/v3/<API_KEY>")) // => true
 * Layer.isLayer(UrlTransport.layer("https://node.example/v3/<API_KEY>", { batching: false })) // => true
 * ```
 */
export const layer = (url: string | Redacted.Redacted, options?: UrlTransportOptions): Layer.Layer<Transport> => {
  const single = HttpTransport.layer({ url })
  return options?.batching === false ? single : through(single, Batching.make(options?.batching))
}
