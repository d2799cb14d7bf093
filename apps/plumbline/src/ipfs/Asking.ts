/**
 * What all commands about IPFS do: find the node, ask it, and answer with a verdict.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type * as BlockSource from "@plumbline/ipfs-client/BlockSource"
import * as IpfsClient from "@plumbline/ipfs-client/IpfsClient"
import { Refuted } from "@plumbline/ipfs-client/Refuted"
import * as VerifiedIpfsClient from "@plumbline/ipfs-client/VerifiedIpfsClient"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

import * as Answer from "../Answer.ts"
import * as Patience from "../Patience.ts"
import { Printed } from "../terminal/ExitCode.ts"
import * as AnswerView from "../view/AnswerView.ts"
import * as Style from "../view/Style.ts"
import * as Text from "../view/Text.ts"
import * as IpfsFlags from "./IpfsFlags.ts"

/** A node. */
export interface Node {
  /** Reads a list again that broke off on the way: what came of it before is forgotten. */
  readonly whole: <A>(list: Effect.Effect<A, IpfsClient.Failure>) => Effect.Effect<A, IpfsClient.Failure>
  /** Its commands that read, with all that can be proven checked. What fails for a while is asked again. */
  readonly ipfs: IpfsClient.Client<IpfsClient.Failure>
  /** Its commands that change something, checked likewise. Each is asked once: the answer of a try may be lost. */
  readonly once: IpfsClient.Client<IpfsClient.Failure>
  /** Its blocks, not checked: whoever reads from them checks each. */
  readonly blocks: BlockSource.BlockSource<IpfsClient.Failure>
}

/** An answer, and its lines for people. */
export interface Shown {
  readonly reply: Answer.Accepted
  readonly view: (style: Style.Style) => ReadonlyArray<string>
}

/** Where the verdict goes when it is for people: the standard output of `cat` has the content. */
export type Output = "stdout" | "stderr"

/** A node that fails in the middle of an answer says why to those who read what comes behind it. */
const WITH_REASON = { te: "trailers" }

/** True for an answer that had begun: before it begins, the client itself tries again. */
const brokeOff = (error: IpfsClient.Failure): boolean =>
  error._tag === "IpfsError" &&
  error.reason._tag === "TransportError" &&
  error.reason.retryable &&
  error.reason.detail.startsWith("the answer was cut off")

/** Asks, and prints the answer. Ends with `Printed` and code 2 when it is refuted. */
export const answer = Effect.fnUntraced(function* <E, R>(
  flags: IpfsFlags.IpfsFlags,
  ask: (node: Node) => Effect.Effect<Shown, E | Refuted, R | Scope.Scope>,
  output: Output = "stdout"
) {
  const endpoint = { ...(yield* IpfsFlags.endpoint(flags)), ...(yield* Patience.ofIpfs(flags)) }
  const http = yield* Layer.build(NodeHttpClient.layerUndici)
  const make = (options: Partial<IpfsClient.Options>) =>
    Effect.provideContext(IpfsClient.make({ ...endpoint, headers: WITH_REASON, ...options }), http)
  const plain = yield* make({})
  const node: Node = {
    whole: Effect.retry({ while: brokeOff, times: endpoint.retries ?? 0, schedule: Patience.waits }),
    ipfs: VerifiedIpfsClient.make(plain),
    once: VerifiedIpfsClient.make(yield* make({ retries: 0 })),
    blocks: (cid) => plain.blockGet(cid)
  }
  const { reply, view } = yield* Effect.scoped(ask(node)).pipe(
    Effect.catchIf(
      (error): error is Extract<E | Refuted, Refuted> => error instanceof Refuted,
      (refuted) => {
        // of other checks no hash was the measure: they are of what the node said of itself
        const anchor: Answer.Anchor | null = refuted.check === "block hash" ? { kind: "cid", hash: refuted.cid } : null
        return Effect.succeed({ reply: Answer.refused(refuted, anchor), view: () => [] })
      }
    )
  )
  if (flags.json) yield* Console.log(Text.json(reply))
  else {
    const style = yield* output === "stderr" ? Style.ofErrors : Style.current
    const shown = view(style)
    const lines = [...shown, ...(shown.length === 0 ? [] : [""]), ...AnswerView.verdict(reply, style)]
    yield* (output === "stderr" ? Console.error : Console.log)(lines.join("\n"))
  }
  const exitCode = Answer.exitCode(reply)
  if (exitCode !== 0) return yield* new Printed({ exitCode })
}, Effect.scoped)
