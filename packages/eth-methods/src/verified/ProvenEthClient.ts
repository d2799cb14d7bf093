/**
 * The methods of `EthClient` with proofs. Code that reads through `EthClient` becomes verified if it uses this service
 * instead, and handles its errors.
 *
 * It answers as `EthClient` does, with plain values. It turns the verdicts of `VerdictEthClient` into errors or
 * omissions:
 *
 * - an answer that contradicts what is proven fails with `RefutedError`;
 * - an answer that nothing proves fails with `UnprovenError`, unless `claimed: "accept"` allows claimed answers. Null is
 *   such an answer, unless absence is proven. So polling for a receipt fails until the receipt exists;
 * - a proven answer also fails with `UnprovenError` if a field by which programs decide is only claimed: hashes, places,
 *   `status`, `from`, `to`, `contractAddress`, prices, logs and their labels, uncles. A pending transaction fails too,
 *   since nothing proves that its place is null;
 * - other fields that are only claimed, such as `totalDifficulty`, `blobGasPrice` and fields that no hash covers, are
 *   left out of the value.
 *
 * | methods | here |
 * | --- | --- |
 * | blocks, uncles, transactions, receipts, logs, state, proofs | proven, as `VerdictEthClient` does |
 * | blocks with hashes of transactions | read whole, so that the hashes are proven |
 * | blocks that have uncles | the uncles' headers are read, one call for each, so that `uncles` and `size` are proven |
 * | `blockNumber` | the proven number of the `latest` block |
 * | `sendRawTransaction` | the answer must be the hash of the sent transaction |
 * | `sendRawTransactionSync` | the receipt is read again, proven. If no trusted block contains it yet, the read is `UnprovenError` although the transaction was sent: ask for the receipt later |
 * | `sha3` | the answer must be the hash of the bytes |
 * | `call`, `simulate` | run here over proven state, if a `CallEngine` is provided; a proven revert is a `JsonRpcError` with code 3. Without an engine: `UnprovenError` without a call to the node, or with `"accept"` a claimed answer |
 * | `estimateGas`, `createAccessList` | run here too, if a `CallEngine` is provided. What no engine can run is the node's answer: advice |
 * | `chainId`, `networkId` | not provable here: `UnprovenError` without a call to the node, or with `"accept"` a claimed answer |
 * | `gasPrice`, `maxPriorityFeePerGas`, `blobBaseFee`, `baseFee`, `feeHistory` | not proven: advice. The fields of a signed transaction limit its effect. |
 * | `syncing`, `clientVersion`, `capabilities`, `config`, `accounts`, `isListening`, `peerCount` | not proven: the node describes itself |
 *
 * Under a pinned hash, nothing proves that a tag means the block that was read; only `VerdictEthClient` reports this
 * claim. A `latest` that lies before the pinned block is refused.
 *
 * This is a separate module, so that a program with the plain client does not bundle the verifiers.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as UrlTransport from "@plumbline/jsonrpc-core/client/UrlTransport"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Claim from "@plumbline/verdict/Claim"
import { refute, type RefutedError } from "@plumbline/verdict/RefutedError"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"
import { map, type Verdict } from "@plumbline/verdict/Verdict"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"

import * as CallOutcome from "../call/CallOutcome.ts"
import * as EthClient from "../client/EthClient.ts"
import type * as EthMethod from "../methods/EthMethod.ts"
import * as EthMethods from "../methods/EthMethods.ts"
import * as SentTransaction from "../model/SentTransaction.ts"
import * as EthReason from "../proof/EthReason.ts"
import { TrustedBlock } from "../trust/TrustedBlock.ts"
import * as ClientEngines from "./clientEngines.ts"
import * as OnlyProven from "./OnlyProven.ts"
import * as VerdictEthClient from "./VerdictEthClient.ts"
import * as WholeBlocks from "./WholeBlocks.ts"

/** The options: the limits of proofs, and the handling of answers that have no proof. */
export interface ProvenEthClientOptions extends VerdictEthClient.VerdictEthClientOptions {
  /** `refuse` (default) fails with `UnprovenError` if nothing proves an answer; `accept` returns the unproven answer. */
  readonly claimed?: "refuse" | "accept" | undefined
}

/** The defaults of the options. */
export const defaults: typeof VerdictEthClient.defaults & { readonly claimed: "refuse" | "accept" } = {
  ...VerdictEthClient.defaults,
  claimed: "refuse"
}

/** The errors of a read: the call failed, a check refuted the answer, or nothing proves the answer. */
export type ProvenReadFailure = JsonRpcError | RefutedError | UnprovenError

/** The client as a value. */
export interface Client extends EthClient.Client<ProvenReadFailure> {}

/** The service. `layer` needs a `Transport` and a `TrustedBlock`. */
export class ProvenEthClient extends Context.Service<ProvenEthClient, Client>()(
  "@plumbline/eth-methods/ProvenEthClient"
) {}

/**
 * Provides the client over the `Transport` in the context, with proofs from its `TrustedBlock`.
 *
 * ```ts import.meta.vitest
 * import { Hash32 } from "@plumbline/codec"
 * import { EthClient, ProvenEthClient, TrustedBlock } from "@plumbline/eth-methods"
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { Effect, Layer } from "effect"
 *
 * // code that works with either client, and a node that knows nothing
 * const read = <E>(eth: EthClient.Client<E>) =>
 *   Effect.map(eth.getBlockByHash(Hash32.ZERO), (block) => (block === null ? "no such block" : "a block"))
 * const node = Layer.succeed(Transport.Transport, {
 *   call: () => Effect.succeed(null),
 *   callAll: () => Effect.succeed([])
 * })
 * const plain = EthClient.layer().pipe(Layer.provide(node))
 * const verified = ProvenEthClient.layer().pipe(Layer.provide([node, TrustedBlock.layerNone()]))
 *
 * await Effect.runPromise(Effect.provide(EthClient.EthClient.use(read), plain)) // => "no such block"
 * const error = await Effect.runPromise(Effect.flip(Effect.provide(ProvenEthClient.ProvenEthClient.use(read), verified)))
 * error._tag // => "UnprovenError"
 * ```
 */
export const layer = (
  options?: ProvenEthClientOptions
): Layer.Layer<ProvenEthClient, never, Transport | TrustedBlock> =>
  Layer.effect(
    ProvenEthClient,
    Effect.map(Effect.all([EthClient.make, TrustedBlock, ClientEngines.from(options)]), (all) => make(...all))
  )

/**
 * Provides the client over the node at a URL, by the platform's `fetch`, with proofs from the given trust. Calls that
 * are made at the same time travel in one packet. A trust that fails, such as a light client without a checkpoint, fails
 * the layer.
 *
 * ```ts import.meta.vitest
 * import { Hash32 } from "@plumbline/codec"
 * import { ProvenEthClient, TrustedBlock } from "@plumbline/eth-methods"
 * import { Effect } from "effect"
 *
 * const hash = Hash32.fromHexUnsafe("0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3")
 * const eth = ProvenEthClient.layerUrl("https://node.example/v3/<API_KEY>", TrustedBlock.layerPinned(hash))
 * const genesis = Effect.provide(ProvenEthClient.ProvenEthClient.use((eth) => eth.getBlockByHash(hash)), eth)
 * Effect.isEffect(genesis) // => true
 * ```
 */
export const layerUrl = <E>(
  url: string | Redacted.Redacted,
  trust: Layer.Layer<TrustedBlock, E>,
  options?: ProvenEthClientOptions & UrlTransport.UrlTransportOptions
): Layer.Layer<ProvenEthClient, E> => Layer.provide(layer(options), [UrlTransport.layer(url, options), trust])

/** Makes the proven client from a client without proofs. Returns it as a value; `layer` provides it as a service. */
export const make = (
  eth: EthClient.Client,
  trust: TrustedBlock["Service"],
  options?: ProvenEthClientOptions
): Client => {
  const verdicts = VerdictEthClient.make(eth, trust, options)
  const verified = WholeBlocks.make(verdicts)
  const accepts = (options?.claimed ?? defaults.claimed) === "accept"

  const taken = <A>(method: string, read: Effect.Effect<Verdict<A>, ProvenReadFailure>): Read<A> =>
    Effect.flatMap(read, (verdict): Read<A> => {
      if (accepts) return Effect.succeed(verdict.value)
      const outcome = OnlyProven.from(verdict)
      return outcome._tag === "Unproven"
        ? Effect.fail(new UnprovenError({ subject: method, claims: outcome.claims }))
        : Effect.succeed(outcome.value)
    })

  const refused = (method: string): Read<never> =>
    Effect.fail(new UnprovenError({ subject: method, claims: [Claim.whole(EthReason.NoProofKnown({}))] }))

  // the values differ by name, so the types of the reads are declared below
  const plain: Readonly<Record<string, any>> = eth
  const proofs: Readonly<Record<string, any>> = verified
  const reads: ProvenReads & EthClient.ReadsOf<"fact" | "advice", ProvenReadFailure> = EthMethods.reads((method) => {
    const proof: ProvenRead | undefined = proofs[method.read]
    if (proof !== undefined) return (...args: ReadonlyArray<unknown>) => taken(method.name, proof(...args))
    if (method.trust === "proven") return undefined
    if (method.trust === "advice" || accepts) return plain[method.read]
    return method.params.length === 0 ? refused(method.name) : () => refused(method.name)
  })

  /** Runs a call here. If nothing proves it, `otherwise` is the node's own answer, where it may take the place. */
  const run = <const O extends CallOutcome.AnyOutcome>(
    method: string,
    verdict: VerdictEthClient.RunRead<O>,
    otherwise: Read<CallOutcome.AnswerOf<O>> | undefined
  ): Read<CallOutcome.AnswerOf<O>> => {
    const proven: Read<CallOutcome.AnswerOf<O>> = Effect.flatMap(taken<O>(method, verdict), (outcome) =>
      Effect.fromResult(CallOutcome.toAnswer<O>(outcome, method))
    )
    if (otherwise === undefined) return proven
    return Effect.catch(proven, (error) => (error._tag === "UnprovenError" ? otherwise : Effect.fail(error)))
  }
  const runs: Pick<Client, VerdictEthClient.RunName> = {
    call: (...args) => run("eth_call", verdicts.call(...args), accepts ? eth.call(...args) : undefined),
    simulate: (...args) =>
      run("eth_simulateV1", verdicts.simulate(...args), accepts ? eth.simulate(...args) : undefined),
    estimateGas: (...args) => run("eth_estimateGas", verdicts.estimateGas(...args), eth.estimateGas(...args)),
    createAccessList: (...args) =>
      run("eth_createAccessList", verdicts.createAccessList(...args), eth.createAccessList(...args))
  }

  const checks: Checks = {
    // the header is enough for the number
    blockNumber: Effect.flatMap(verdicts.getBlockByNumber("latest"), (verdict): Read<bigint> => {
      const number = map(verdict, (block) => block?.number ?? null, {
        claims: (claim) => (claim.about === "Field" ? [] : [claim])
      })
      const outcome = OnlyProven.from(number)
      if (outcome._tag !== "Unproven" && outcome.value !== null) return Effect.succeed(outcome.value)
      if (!accepts) {
        const claims = outcome._tag === "Unproven" ? outcome.claims : verdict.claimed
        return Effect.fail(new UnprovenError({ subject: "eth_blockNumber", claims }))
      }
      return number._tag === "VERIFIED" && number.value !== null ? Effect.succeed(number.value) : eth.blockNumber
    }),
    sendRawTransaction: (raw) =>
      Effect.flatMap(eth.sendRawTransaction(raw), (said) => equal("transaction hash", hashOf(raw), said)),
    sendRawTransactionSync: (raw, timeout) =>
      Effect.flatMap(eth.sendRawTransactionSync(raw, timeout), (said) =>
        Effect.flatMap(equal("receipt.transactionHash", hashOf(raw), said.transactionHash), (hash) =>
          Effect.map(
            taken("eth_sendRawTransactionSync", verified.getTransactionReceipt(hash)),
            // null, which is a claim, comes here only if claims are accepted
            (receipt) => receipt ?? said
          )
        )
      ),
    sha3: (data) =>
      Effect.flatMap(eth.sha3(data), (said) => equal("hash", Keccak256.hashHex(Hex.toBytesUnsafe(data)), said))
  }
  return { ...reads, ...checks, ...runs }
}

type Read<A> = EthClient.EthRead<A, ProvenReadFailure>

/** The reads that `VerdictEthClient` proves. */
type ProvenReads = Pick<EthClient.Client<ProvenReadFailure>, keyof VerdictEthClient.Client>

type ProvenRead = (...args: ReadonlyArray<unknown>) => VerdictEthClient.VerdictRead<Verdict<unknown>>

/**
 * The checks of proven reads that have no verdict. A method with `trust: "proven"` that is in neither client does not
 * compile.
 */
export type Checks<M extends EthMethod.AnyEthMethod = EthMethods.Method> = {
  readonly [
    N in Exclude<EthMethod.ReadName<M, "proven">, keyof VerdictEthClient.Client>
  ]: N extends keyof EthClient.Client ? EthClient.Client<ProvenReadFailure>[N] : unknown
}

const hashOf = (raw: Hex.Hex): Hash32.Hash32 => SentTransaction.hash(Hex.toBytesUnsafe(raw))

const equal = (check: string, expected: Hash32.Hash32, said: Hash32.Hash32): Read<Hash32.Hash32> =>
  Hex.equals(said, expected) ? Effect.succeed(said) : Effect.fail(refute(check, expected, said))
