/**
 * CCIP-Read: records that a contract does not hold itself (EIP-3668). The contract names gateways; the reader asks one of
 * them and hands its answer to the contract, which checks it.
 *
 * **Gotchas**
 *
 * A gateway learns the name, and the reader's address on the network. The contract of a stranger chooses the URL, which
 * can be that of any `https` server that the reader's machine reaches, one of its own network too. So the option `ccip`
 * is off by default, and a request goes to an `https` URL only, without credentials and without following redirects. A
 * server that must not do this for other people leaves it off, or gives a `fetch` that refuses such hosts.
 *
 * **Bounds**
 *
 * For one answer: 4 lookups, one after another; 4 URLs for each request, each of at most 65,536 characters; 32 requests;
 * batches nested 4 deep; 1 MiB for each answer; four times the time of one request, from the first request on.
 */
import * as Duration from "effect/Duration"

/** The options of CCIP-Read. */
export interface CcipReadOptions {
  /** The `fetch` that asks the gateways. Default: that of the platform. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** The time for one request. All requests for one answer have four times as long. Default: 10 seconds. */
  readonly timeout?: Duration.Input | undefined
  /** True to allow `http` URLs of this machine (127.0.0.1, [::1], localhost), for development. Default: false. */
  readonly loopback?: boolean | undefined
}

/** The defaults of the options. */
export const defaults: { readonly timeout: Duration.Duration; readonly loopback: boolean } = {
  timeout: Duration.seconds(10),
  loopback: false
}
