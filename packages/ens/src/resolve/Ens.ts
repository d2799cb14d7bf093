/**
 * Proves the addresses, the texts, the content and the resolver of an ENS name, and the name of an address.
 *
 * Each answer is a call of the Universal Resolver (ENSIP-23), which is run here over proven state. So it follows from the
 * block's hash, wildcard resolvers (ENSIP-10) and proxies included. The node's own word about a name is not asked for.
 *
 * **Details**
 *
 * Null is an answer: the contracts say that there is no such record. It is proven as a value is, and the evidence
 * `EnsEvidence.Resolution` has the cause: no resolver, no such kind of record, or none set. A failure is never null; it
 * is an error.
 *
 * | error | meaning |
 * | --- | --- |
 * | `EnsNameError` | the text is not a name |
 * | `EnsError` | the contracts gave no answer: see its reasons |
 * | `UnprovenError` | the call was not run: no engine, or its bounds; its reason says which |
 * | `RefutedError` | the node lied |
 * | `JsonRpcError` | the node did not answer |
 *
 * An answer that gateways had a part in (`CcipRead`) is CLAIMED, with the reason `EnsReason.FromGateway`.
 *
 * **Gotchas**
 *
 * A resolver is a contract of the name's owner. A proof shows what the contract answers in a block, to a call from the
 * zero address. It does not show that the name belongs to whom the reader thinks, or that the registration of the name
 * has not expired.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Address from "@plumbline/codec/value/Address"
import type { CallOutcome } from "@plumbline/eth-methods/call/CallOutcome"
import type * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"
import type * as Input from "@plumbline/eth-methods/model/Input"
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

import * as Abi from "../coding/abiCoding.ts"
import * as ContentHash from "../content/ContentHash.ts"
import * as EnsName from "../name/EnsName.ts"
import * as CcipGateways from "../offchain/ccipGateways.ts"
import type * as CcipRead from "../offchain/CcipRead.ts"
import * as OffchainLookup from "../offchain/offchainLookup.ts"
import * as EnsChain from "./EnsChain.ts"
import { EnsError, type EnsErrorReason } from "./EnsError.ts"
import * as EnsEvidence from "./EnsEvidence.ts"
import * as NameVerdict from "./nameVerdict.ts"
import * as UniversalResolver from "./universalResolver.ts"

/** The chain, and whether gateways may be asked. */
export interface EnsOptions {
  /** The chain. Default: mainnet. It must be that of the client. */
  readonly chain?: EnsChain.EnsChain | undefined
  /** Allows CCIP-Read, with these options. Default: undefined, so no gateway is asked. */
  readonly ccip?: CcipRead.CcipReadOptions | undefined
}

/** The block to read at. */
export interface ReadOptions {
  /** Default: `latest`. */
  readonly block?: BlockParameter.BlockParameter | undefined
}

/** The defaults of the options. The chain's is `EnsChain.mainnet`, and no gateway is asked. */
export const defaults: { readonly block: BlockParameter.BlockParameter } = { block: "latest" }

/** The errors of a read. */
export type EnsFailure = EnsName.EnsNameError | EnsError | JsonRpcError | RefutedError | UnprovenError

/** A proven read. */
export type EnsRead<A> = Effect.Effect<Verdict<A>, EnsFailure>

/** The resolver of a name. */
export interface Resolver {
  readonly address: Address.Address
  /** The name at which the resolver is set: the asked name, or one above it (ENSIP-10). */
  readonly setAt: EnsName.EnsName
}

/** The client as a value. A text that is given as a name is brought into its normal form first. */
export interface Client {
  /** Returns the Ethereum address of a name. The zero address counts as none. */
  readonly address: (name: string, options?: ReadOptions) => EnsRead<Address.Address | null>
  /**
   * Returns the address of a name on another chain, as its bytes (ENSIP-9). The coin type is that of SLIP-44; for a chain
   * with the EVM it is `0x80000000 | chainId` (ENSIP-11).
   */
  readonly coinAddress: (name: string, coinType: bigint, options?: ReadOptions) => EnsRead<Hex.Hex | null>
  /** Returns a text of a name by its key, such as `url` or `com.github` (ENSIP-5). The empty text counts as none. */
  readonly text: (name: string, key: string, options?: ReadOptions) => EnsRead<string | null>
  /** Returns the content of a name (ENSIP-7). */
  readonly contentHash: (name: string, options?: ReadOptions) => EnsRead<ContentHash.ContentHash | null>
  /** Returns the resolver of a name, or that of the nearest name above it. */
  readonly resolver: (name: string, options?: ReadOptions) => EnsRead<Resolver | null>
  /**
   * Returns the primary name of an address (ENSIP-3, ENSIP-19). The contract checks that the name leads back to the
   * address; a name that does not is null, and a name that is not in its normal form is an `EnsError`.
   */
  readonly name: (
    address: Input.Address,
    options?: ReadOptions & {
      /** The coin type of the address's chain. Default: 60, Ethereum. */
      readonly coinType?: bigint | undefined
    }
  ) => EnsRead<EnsName.EnsName | null>
}

/** The service. `layer` needs a `VerdictEthClient` whose calls are run by an engine. */
export class Ens extends Context.Service<Ens, Client>()("@plumbline/ens/Ens") {}

/**
 * Provides the service over the `VerdictEthClient` in the context.
 *
 * ```ts import.meta.vitest
 * import { Ens } from "@plumbline/ens"
 * import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
 * import { VerifiedCalls } from "@plumbline/verified-calls"
 * import { Layer } from "effect"
 *
 * const eth = VerdictEthClient.layerUrl("https://node.example/v3/<API_KEY>", TrustedBlock.layerNone(), {
 *   chainId: 1n
 * }).pipe(Layer.provide(VerifiedCalls.layer()))
 * const ens = Ens.layer().pipe(Layer.provide(eth))
 * Layer.isLayer(ens) // => true
 * ```
 */
export const layer = (options?: EnsOptions): Layer.Layer<Ens, never, VerdictEthClient.VerdictEthClient> =>
  Layer.effect(
    Ens,
    Effect.map(VerdictEthClient.VerdictEthClient, (eth) => make(eth, options))
  )

/** The coin type of Ethereum. */
const ETH = 60n

/** Maximum number of lookups, one after another. */
const MAX_LOOKUPS = 4

/** Maximum size of a key of a text, in UTF-16 code units. */
const MAX_KEY = 1024

/** Makes the client from a client for calls. Returns it as a value; `layer` provides it as a service. */
export const make = (eth: Pick<VerdictEthClient.Client, "call">, options: EnsOptions = {}): Client => {
  const reader = new NameReader(eth, options)
  return {
    address: (name, options = {}) =>
      reader.recordOf(
        name,
        "addr",
        options,
        (node) => Abi.encode("0x3b3b57de", [Abi.bytes32], [node]),
        (answer) => {
          const address = Abi.decode([Abi.address], answer)?.[0]
          return address === undefined ? undefined : Result.succeed(accountOf(address))
        }
      ),
    coinAddress: (name, coinType, options = {}) =>
      isCoinType(coinType)
        ? reader.recordOf<Hex.Hex>(
            name,
            `addr ${coinType}`,
            options,
            (node) => Abi.encode("0xf1cb7e06", [Abi.bytes32, Abi.uint256], [node, coinType]),
            (answer) => {
              const bytes = Abi.decode([Abi.bytes], answer)?.[0]
              return bytes === undefined ? undefined : Result.succeed(isNoAddress(bytes, coinType) ? null : bytes)
            }
          )
        : wrongArgument(name, "addr", "coinType"),
    text: (name, key, options = {}) =>
      key.length > MAX_KEY || !key.isWellFormed()
        ? wrongArgument(name, "text", "key")
        : reader.recordOf<string>(
            name,
            `text ${key}`,
            options,
            (node) => Abi.encode("0x59d1d43c", [Abi.bytes32, Abi.string], [node, key]),
            (answer) => {
              const text = Abi.decode([Abi.string], answer)?.[0]
              return text === undefined ? undefined : Result.succeed(text === "" ? null : text)
            }
          ),
    contentHash: (name, options = {}) =>
      reader.recordOf<ContentHash.ContentHash>(
        name,
        "contenthash",
        options,
        (node) => Abi.encode("0xbc1c58d1", [Abi.bytes32], [node]),
        (answer) => {
          const bytes = Abi.decode([Abi.bytes], answer)?.[0]
          if (bytes === undefined) return undefined
          return bytes === "0x"
            ? Result.succeed(null)
            : Result.mapError(ContentHash.fromBytes(Hex.toBytesUnsafe(bytes)), (error): EnsErrorReason => ({
                _tag: "ContentHash",
                error
              }))
        },
        ContentHash.toText
      ),
    resolver: (text, { block } = {}) =>
      Effect.flatMap(Effect.fromResult(EnsName.fromText(text)), (name) =>
        reader.read<Resolver>(
          name,
          "resolver",
          UniversalResolver.findResolver(name),
          block,
          (data) => resolverIn(name, data),
          ({ setAt }) => `set at ${setAt}`
        )
      ),
    name: (address, { block, coinType = ETH } = {}) => {
      const record = coinType === ETH ? "name" : `name ${coinType}`
      if (!Address.isAddress(address)) return wrongArgument("an address", record, "address")
      if (!isCoinType(coinType)) return wrongArgument(address, "name", "coinType")
      return reader.read<EnsName.EnsName>(
        address.toLowerCase(),
        record,
        UniversalResolver.reverse(address, coinType),
        block,
        primaryNameIn
      )
    }
  }
}

/** Reads names by calls of the universal resolver. */
class NameReader {
  readonly #eth: Pick<VerdictEthClient.Client, "call">
  readonly #universalResolver: Address.Address
  readonly #ccip: CcipRead.CcipReadOptions | undefined

  constructor(eth: Pick<VerdictEthClient.Client, "call">, { ccip, chain }: EnsOptions) {
    this.#eth = eth
    this.#universalResolver = (chain ?? EnsChain.mainnet).universalResolver
    this.#ccip = ccip
  }

  /** Calls the contract, and its callbacks while it asks for gateways. */
  readonly #call = Effect.fnUntraced(
    { self: this },
    function* (
      data: Hex.Hex,
      block: BlockParameter.BlockParameter | undefined
    ): Effect.fn.Return<
      NameVerdict.NameCalls & Pick<CcipGateways.GatewaySession, "failures">,
      EnsErrorReason | Effect.Error<ReturnType<VerdictEthClient.Client["call"]>>
    > {
      const [ccip, universalResolver] = [this.#ccip, this.#universalResolver]
      const first = yield* this.#eth.call({ to: universalResolver, data }, block ?? defaults.block)
      let last = first
      const session = CcipGateways.make(ccip ?? {})
      for (let lookups = 0; ; lookups++) {
        const { value } = last
        if (value._tag !== "Reverted" || Abi.selectorOf(value.data) !== OffchainLookup.SELECTOR) break
        const lookup = OffchainLookup.parse(value.data)
        if (lookup === undefined) return yield* refused("malformed")
        if (ccip === undefined) {
          return yield* Effect.fail<EnsErrorReason>({
            _tag: "OffchainNotAllowed",
            hosts: OffchainLookup.hostsOf(lookup)
          })
        }
        if (!Hex.equals(lookup.sender, universalResolver)) return yield* refused("sender")
        if (lookups === MAX_LOOKUPS) return yield* refused("lookups")
        const answer = yield* session.answer(lookup)
        last = yield* this.#eth.call(
          { to: universalResolver, data: OffchainLookup.callbackData(lookup, answer) },
          blockOf(first) ?? block
        )
      }
      return { first, last, hosts: [...session.hosts], failures: session.failures }
    }
  )

  /** Reads one part of a subject: calls, and gives the value that `decode` finds in the returned bytes. */
  read<A>(
    subject: string,
    record: string,
    data: Hex.Hex,
    block: BlockParameter.BlockParameter | undefined,
    decode: (data: Hex.Hex) => Result.Result<Found<A>, EnsErrorReason>,
    show: (value: A) => string = String
  ): EnsRead<A | null> {
    return Effect.mapError(
      Effect.flatMap(this.#call(data, block), ({ failures, ...calls }) =>
        Effect.fromResult(
          Result.flatMap(
            UniversalResolver.outcomeOf(calls.last.value, this.#universalResolver, failures),
            (outcome) => {
              const found: Result.Result<Found<A>, EnsErrorReason> = outcome._tag === "Absent"
                ? Result.succeed({ value: null, resolver: outcome.resolver, absence: outcome.absence })
                : decode(outcome.data)
              return Result.map(found, ({ absence, resolver, value }) =>
                NameVerdict.make<A | null>(
                  calls,
                  value,
                  EnsEvidence.Resolution({
                    subject,
                    record,
                    resolver,
                    value: value === null ? undefined : show(value),
                    absence: value === null ? (absence ?? "NoRecord") : undefined
                  })
                )
              )
            }
          )
        )
      ),
      (error) => (isReason(error) ? new EnsError({ subject, record, reason: error }) : error)
    )
  }

  /** Reads a record of a name by a function of its resolver. */
  recordOf<A>(
    text: string,
    record: string,
    { block }: ReadOptions,
    callOf: (node: Hash32.Hash32) => Hex.Hex,
    decode: (answer: Hex.Hex) => Result.Result<A | null, EnsErrorReason> | undefined,
    show?: (value: A) => string
  ): EnsRead<A | null> {
    return Effect.flatMap(Effect.fromResult(EnsName.fromText(text)), (name) =>
      this.read<A>(
        name,
        record,
        UniversalResolver.resolve(name, callOf(EnsName.namehash(name))),
        block,
        (data) => {
          const resolved = UniversalResolver.resolved(data)
          if (resolved === undefined) return malformed(data)
          const [answer, resolver] = resolved
          // a resolver of wildcards (ENSIP-10) gives no bytes for records that it does not have
          if (answer === "0x") return Result.succeed({ value: null, resolver, absence: "NoProfile" })
          const value = decode(answer)
          return value === undefined ? malformed(data) : Result.map(value, (found) => ({ value: found, resolver }))
        },
        show
      )
    )
  }
}

/** A value that a call returned. */
interface Found<A> {
  readonly value: A | null
  readonly resolver: Address.Address | undefined
  /** The cause of a null. Default: no record. */
  readonly absence?: EnsEvidence.Absence
}

const resolverIn = (name: EnsName.EnsName, data: Hex.Hex): Result.Result<Found<Resolver>, EnsErrorReason> => {
  const found = UniversalResolver.foundResolver(data)
  if (found === undefined) return malformed(data)
  const [address, offset] = found
  if (address === ZERO) return Result.succeed({ value: null, resolver: undefined, absence: "NoResolver" })
  const setAt = EnsName.fromOffset(name, Number(offset))
  return setAt === undefined ? malformed(data) : Result.succeed({ value: { address, setAt }, resolver: address })
}

const primaryNameIn = (data: Hex.Hex): Result.Result<Found<EnsName.EnsName>, EnsErrorReason> => {
  const reversed = UniversalResolver.reversed(data)
  if (reversed === undefined) return malformed(data)
  const [text, resolver] = reversed
  return text === ""
    ? Result.succeed({ value: null, resolver })
    : Result.mapBoth(EnsName.fromNormalized(text), {
        onFailure: (error): EnsErrorReason => ({ _tag: "PrimaryName", error }),
        onSuccess: (value) => ({ value, resolver })
      })
}

const ZERO: string = "0x0000000000000000000000000000000000000000"

const accountOf = (address: string): Address.Address | null => {
  const plain = Address.fromHexUnsafe(address.toLowerCase())
  return plain === ZERO ? null : plain
}

/** True for no bytes; on chains with the EVM for the zero address, too. */
const isNoAddress = (bytes: Hex.Hex, coinType: bigint): boolean =>
  bytes === "0x" || (bytes === ZERO && (coinType === ETH || coinType >= 0x80000000n))

const isCoinType = (coinType: bigint): boolean => coinType >= 0n && coinType < 1n << 256n

const wrongArgument = (
  subject: string,
  record: string,
  argument: Extract<EnsErrorReason, { readonly _tag: "Argument" }>["argument"]
): Effect.Effect<never, EnsError> =>
  Effect.fail(new EnsError({ subject, record, reason: { _tag: "Argument", argument } }))

const malformed = (data: Hex.Hex): Result.Result<never, EnsErrorReason> => Result.fail({ _tag: "Malformed", data })

const refused = (
  check: Extract<EnsErrorReason, { readonly _tag: "LookupRefused" }>["check"]
): Effect.Effect<never, EnsErrorReason> => Effect.fail({ _tag: "LookupRefused", check })

/** Returns the block in which a call was run, so that its callbacks run in the same. */
const blockOf = ({ proven }: Verdict<CallOutcome>): Hash32.Hash32 | undefined =>
  proven.find((shown) => EthEvidence.CallRun.is(shown))?.block

/** True for the plain reasons of this module; the errors of the client are instances of `Error`. */
const isReason = (error: EnsErrorReason | Error): error is EnsErrorReason => !(error instanceof Error)
