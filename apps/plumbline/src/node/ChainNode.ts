/** The chain's node that a command asks, chosen by the command's flags. */
import * as HttpTransport from "@plumbline/jsonrpc-core/http/HttpTransport"
import * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

import * as DataFolder from "../home/DataFolder.ts"
import * as ServiceFile from "../home/ServiceFile.ts"
import * as NodeFlag from "../terminal/NodeFlag.ts"
import * as AskOnce from "./AskOnce.ts"
import type { ChainFlags } from "./ChainFlags.ts"
import * as HostFetch from "./HostFetch.ts"
import * as NodeEndpoint from "./NodeEndpoint.ts"
import * as RetryPolicy from "./RetryPolicy.ts"

/**
 * Returns a transport to the node that the flags name, for one answer. It waits and retries as the flags say, and
 * sends a question again only after a failure.
 */
export const transport = (flags: ChainFlags & { readonly json: boolean }) =>
  Effect.map(lasting(flags), (node) => Transport.through(node, AskOnce.make))

/**
 * Returns a transport for a command with many answers. It sends every question, even a repeated one. `watch` wraps the
 * `fetch` that is used.
 */
export const lasting = Effect.fnUntraced(function* (
  flags: ChainFlags & { readonly json: boolean },
  watch: (fetch: typeof globalThis.fetch) => typeof globalThis.fetch = (fetch) => fetch
) {
  const policy = yield* Effect.fromResult(RetryPolicy.of(flags))
  const { host, url } = yield* endpoint(flags)
  const { timeout } = policy
  return Transport.through(
    HttpTransport.layer({ url, timeout, fetch: watch(host === undefined ? globalThis.fetch : HostFetch.make(host)) }),
    RetryPolicy.middleware(policy, yield* RetryPolicy.waitProgress(flags.json)),
    ...(flags.urlFlag === undefined ? [] : [NodeFlag.noting(flags.urlFlag)])
  )
})

/** Returns the node of `--url`; without it, the network of the service that runs from the data folder. */
const endpoint = Effect.fnUntraced(function* (flags: ChainFlags) {
  const network = Option.getOrUndefined(flags.network)
  if (Option.isSome(flags.url))
    return yield* Effect.fromResult(NodeEndpoint.ofUrl(flags.url.value, network, flags.urlFlag))
  const service = yield* ServiceFile.running(yield* DataFolder.resolve(flags.data), flags.urlFlag)
  return yield* Effect.fromResult(NodeEndpoint.ofService(service, network))
})

/** Returns the id of the chain that the service serves, from the service's own settings; undefined for another node. */
export const chainId = Effect.fnUntraced(function* (flags: ChainFlags) {
  if (Option.isSome(flags.url)) return undefined
  const { networks } = yield* ServiceFile.running(yield* DataFolder.resolve(flags.data), flags.urlFlag)
  const asked = Option.getOrUndefined(flags.network)
  const found = asked === undefined ? networks[0] : networks.find(({ name }) => name === asked)
  return typeof found?.chainId === "number" ? BigInt(found.chainId) : undefined
})
