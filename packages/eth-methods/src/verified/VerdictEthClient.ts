/**
 * Reads a chain and proves what it read: each answer is VERIFIED or CLAIMED, with reasons; a REFUTED one is an error.
 *
 * A read by a hash is proven by that hash. A read by a number or a tag is linked to the `TrustedBlock`: the tag becomes
 * one hash first, and every further call is about that hash.
 *
 * For a state at a block number, the client requests the state and the block at the same time, by that number. It
 * accepts the answer only if it follows from that very block; otherwise it requests the state again, by the block's
 * hash. Calls that belong together are made at the same time, so over a transport with `Batching` they travel in one
 * packet.
 *
 * A few calls can only name a number. If their answers are about another branch of the chain, the client repeats the
 * read once, and then fails with `JsonRpcError` and the reason `MovedError`. This is not a lie, and a later read may
 * succeed.
 *
 * The table "What each field rests on" in `docs/reference/eth-methods-proofs.md` says which fields are named in
 * `claimed`, and when.
 */
import * as UrlTransport from "@plumbline/jsonrpc-core/client/UrlTransport"
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"

import type { CallEngine } from "../call/CallEngine.ts"
import * as EthClient from "../client/EthClient.ts"
import { standard } from "../sender/defaultEngine.ts"
import type * as SenderRecovery from "../sender/SenderRecovery.ts"
import type * as Ancestry from "../trust/Ancestry.ts"
import { layerNone, TrustedBlock } from "../trust/TrustedBlock.ts"
import * as Chain from "./blockLocator.ts"
import * as ClientEngines from "./clientEngines.ts"
import type { Client } from "./verdictClient.ts"
import * as VerifiedAccessLists from "./verifiedAccessLists.ts"
import * as VerifiedBlocks from "./verifiedBlocks.ts"
import * as VerifiedCalls from "./verifiedCalls.ts"
import * as VerifiedLogs from "./verifiedLogs.ts"
import * as VerifiedReceipts from "./verifiedReceipts.ts"
import * as VerifiedState from "./verifiedState.ts"
import * as VerifiedTransactions from "./verifiedTransactions.ts"
import * as VerifiedUncles from "./verifiedUncles.ts"

export type { BlockOptions, Client, RunName, RunRead, VerdictRead, SenderOptions } from "./verdictClient.ts"

/** Limits of the work for one proof, and the engines for senders and calls. */
export interface VerdictEthClientOptions extends Ancestry.AncestryOptions {
  /**
   * The engine that recovers senders. Default in the layers: that of the `SenderRecovery` reference. Default in `make`,
   * and of the reference: `SenderRecovery.standard`, which is loaded when a sender is first recovered.
   */
  readonly recovery?: SenderRecovery.RecoveryEngine | undefined
  /**
   * The engine that runs calls. Default in the layers: that of the `CallEngine` reference. Default in `make`, and of the
   * reference: none, so that `call` is unproven.
   */
  readonly calls?: CallEngine | undefined
  /**
   * Maximum work to prove the logs of one range: the number of headers, plus the receipts of the blocks that may have
   * such logs, plus the kilobytes of the data of all logs in these receipts, plus half a kilobyte for each selected log.
   * A range may have any number of blocks within it. Default: 100,000.
   */
  readonly maxLogWork?: number | undefined
  /** Maximum time to prove the logs of one range. Default: none, so that a slow node makes a long range slow. */
  readonly maxLogTime?: Duration.Input | undefined
}

/** The default of `maxLogWork`. The default of `maxSteps` is in `Ancestry.defaults`. */
export const defaults: { readonly maxLogWork: number } = { maxLogWork: 100_000 }

/**
 * The service. `VerdictEthClient.layer` needs a `Transport` and a `TrustedBlock`.
 *
 * ```ts import.meta.vitest
 * import { Hash32 } from "@plumbline/codec"
 * import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { Effect, Layer } from "effect"
 *
 * const node = Layer.succeed(Transport.Transport, {
 *   call: () => Effect.succeed(null),
 *   callAll: () => Effect.succeed([])
 * })
 * const eth = VerdictEthClient.layer().pipe(Layer.provide([node, TrustedBlock.layerNone()]))
 * const receipt = VerdictEthClient.VerdictEthClient.use((eth) => eth.getTransactionReceipt(Hash32.ZERO))
 * const verdict = await Effect.runPromise(Effect.provide(receipt, eth))
 * verdict._tag // => "CLAIMED"
 * ```
 */
export class VerdictEthClient extends Context.Service<VerdictEthClient, Client>()(
  "@plumbline/eth-methods/VerdictEthClient"
) {}

/** Provides the client over the `Transport` in the context, with its `TrustedBlock` and its engines. */
export const layer = (
  options?: VerdictEthClientOptions
): Layer.Layer<VerdictEthClient, never, Transport | TrustedBlock> =>
  Layer.effect(
    VerdictEthClient,
    Effect.suspend(() =>
      Effect.map(Effect.all([EthClient.make, TrustedBlock, ClientEngines.from(options)]), (all) => make(...all))
    )
  )

/**
 * Provides the client over the node at a URL, by the platform's `fetch`. Calls that are made at the same time travel in
 * one packet. `trust` names the trusted block. Default: none, so that only answers about a block or transaction given
 * by its hash are VERIFIED. A trust that fails, such as a light client without a checkpoint, fails the layer.
 */
export const layerUrl = <E = never>(
  url: string | Redacted.Redacted,
  trust: Layer.Layer<TrustedBlock, E> = layerNone(),
  options?: VerdictEthClientOptions & UrlTransport.UrlTransportOptions
): Layer.Layer<VerdictEthClient, E> => Layer.provide(layer(options), [UrlTransport.layer(url, options), trust])

/** Makes a verified client over a plain client. It checks the arguments of a read before it calls the node. */
export const make = (
  eth: EthClient.Client,
  trust: TrustedBlock["Service"],
  options?: VerdictEthClientOptions
): Client => {
  const recovery = options?.recovery === undefined ? standard : Effect.succeed(options.recovery)
  const chain = Chain.make(eth, trust, recovery, options)
  return EthClient.checked({
    ...VerifiedBlocks.make(chain),
    ...VerifiedAccessLists.make(chain),
    ...VerifiedUncles.make(chain),
    ...VerifiedTransactions.make(chain),
    ...VerifiedReceipts.make(chain),
    ...VerifiedLogs.make(chain, {
      maxWork: options?.maxLogWork ?? defaults.maxLogWork,
      maxTime:
        options?.maxLogTime === undefined ? Infinity : Duration.toMillis(Duration.fromInputUnsafe(options.maxLogTime))
    }),
    ...VerifiedState.make(chain),
    ...VerifiedCalls.make(chain, options?.calls)
  })
}
