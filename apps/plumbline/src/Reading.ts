/**
 * What all reading commands do: find the node, ask, and answer with a verdict.
 */
import type * as Hash32 from "@plumbline/codec/Hash32"
import type { Refuted } from "@plumbline/eth-methods/Refuted"
import * as TrustedBlock from "@plumbline/eth-methods/TrustedBlock"
import type { Verdict } from "@plumbline/eth-methods/Verified"
import * as VerifiedEthClient from "@plumbline/eth-methods/VerifiedEthClient"
import * as HttpTransport from "@plumbline/jsonrpc-core/HttpTransport"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/JsonRpcError"
import * as Transport from "@plumbline/jsonrpc-core/Transport"
import type { NoBlock } from "@plumbline/storage-layout/NoBlock"
import type { NoValue } from "@plumbline/storage-layout/NoValue"
import type { PathError } from "@plumbline/storage-layout/PathError"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

import * as Answer from "./Answer.ts"
import * as AskOnce from "./AskOnce.ts"
import * as BlockReference from "./BlockReference.ts"
import * as DataFolder from "./DataFolder.ts"
import * as Endpoint from "./Endpoint.ts"
import * as HostFetch from "./HostFetch.ts"
import * as Patience from "./Patience.ts"
import type { PatienceFlags } from "./PatienceFlags.ts"
import type { ReadFlags } from "./ReadFlags.ts"
import * as ServiceFile from "./ServiceFile.ts"
import { Printed } from "./terminal/ExitCode.ts"
import type { UsageError } from "./terminal/UsageError.ts"
import * as AnswerView from "./view/AnswerView.ts"
import * as Style from "./view/Style.ts"
import * as Text from "./view/Text.ts"

/** What is asked, and how the answer is shown. */
export interface Question<A> {
  readonly ask: Effect.Effect<
    Verdict<A | null>,
    JsonRpcError | Refuted | NoBlock | NoValue | PathError,
    VerifiedEthClient.VerifiedEthClient
  >
  /** The hash that the question names, for an answer that is refuted. */
  readonly anchor: Answer.Anchor | null
  /** To the wire form. */
  readonly encode: (value: A) => unknown
  /** The lines for people. `claimed` are the fields that are not proven. */
  readonly view: (value: A, claimed: ReadonlySet<string>, style: Style.Style) => ReadonlyArray<string>
  /** The block that the value is about, where it does not say so itself. */
  readonly block?: (value: A) => Answer.Place | null
  /** Further members of the JSON object. */
  readonly beside?: (value: A) => Readonly<Record<string, unknown>>
  /** What a null means: `no such block`. */
  readonly absent: string
}

/** Asks, and prints the answer. Ends with `Printed` and code 2 when it is refuted. */
export const answer = Effect.fnUntraced(function* <A>(flags: ReadFlags, question: Question<A>) {
  const transport = yield* transportOf(flags)
  const trust = yield* trusted(flags)
  const { reply, value } = yield* question.ask.pipe(
    Effect.map((verdict) => ({
      reply: Answer.accepted(
        verdict,
        (value) => (value === null ? null : question.encode(value)),
        verdict.value === null ? undefined : question.block?.(verdict.value)
      ),
      value: verdict.value
    })),
    Effect.catchTag("Refuted", (refuted) =>
      Effect.succeed({ reply: Answer.refused(refuted, question.anchor), value: null })
    ),
    Effect.provide(VerifiedEthClient.VerifiedEthClient.layer.pipe(Layer.provide([transport, trustOf(trust)])))
  )
  if (flags.json) yield* Console.log(Text.json(value === null ? reply : { ...reply, ...question.beside?.(value) }))
  else {
    const style = yield* Style.current
    const claimed = new Set(reply.claimed.map((claim) => claim.field))
    const shown = value !== null ? question.view(value, claimed, style) : [style.title(question.absent)]
    const lines = reply.verdict === "REFUTED" ? [] : [...shown, ""]
    yield* Console.log([...lines, ...AnswerView.verdict(reply, style)].join("\n"))
  }
  const exitCode = Answer.exitCode(reply)
  if (exitCode !== 0) return yield* new Printed({ exitCode })
})

/** The block hash of `--trust`. */
export const trusted = (flags: ReadFlags): Effect.Effect<Hash32.Hash32 | undefined, UsageError> =>
  Option.match(flags.trust, {
    onNone: () => Effect.succeed(undefined),
    onSome: (text) => Effect.fromResult(BlockReference.hash(text, "--trust"))
  })

const trustOf = (hash: Hash32.Hash32 | undefined): Layer.Layer<TrustedBlock.TrustedBlock> =>
  hash === undefined ? TrustedBlock.layerNone : TrustedBlock.layerPinned(hash)

/** Which node is asked, by the flags. */
export const endpointOf = Effect.fnUntraced(function* (flags: Pick<ReadFlags, "url" | "network" | "data">) {
  const network = Option.getOrUndefined(flags.network)
  if (Option.isSome(flags.url)) return yield* Effect.fromResult(Endpoint.ofUrl(flags.url.value, network))
  const service = yield* ServiceFile.running(yield* DataFolder.resolve(flags.data))
  return yield* Effect.fromResult(Endpoint.ofService(service, network))
})

/** The way to the node of the flags, as patient as they say, on which nothing is asked twice unless it failed. */
export const transportOf = Effect.fnUntraced(function* (
  flags: Pick<ReadFlags, "url" | "network" | "data" | "json"> & PatienceFlags
) {
  const patience = yield* Effect.fromResult(Patience.of(flags))
  const { host, url } = yield* endpointOf(flags)
  const { timeout } = patience
  return Transport.through(
    HttpTransport.layer({ url, timeout, ...(host === undefined ? {} : { fetch: HostFetch.make(host) }) }),
    Patience.middleware(patience, yield* Patience.teller(flags.json)),
    AskOnce.make
  )
})
