/** The trust of a network that is a rollup: the blocks that contracts of its parent chain (L1) name. */
import type * as LaterForks from "@plumbline/eth-methods/model/LaterForks"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import * as Integrity from "@plumbline/gateway/integrity/Integrity"
import * as HttpUpstream from "@plumbline/gateway/networks/HttpUpstream"
import * as NodeWatch from "@plumbline/gateway/networks/NodeWatch"
import { UpstreamError } from "@plumbline/gateway/networks/UpstreamError"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as OpStackTrust from "@plumbline/op-stack/trust/OpStackTrust"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

import type * as IntegritySection from "../config/IntegritySection.ts"
import { DataError } from "../files/DataError.ts"
import * as RollupChain from "../rollup/RollupChain.ts"
import type { NetworkTrust } from "./NetworkTrust.ts"
import * as TrustNodes from "./trustNodes.ts"

/** The settings of such a trust. */
export interface RollupTrustSettings extends OpStackTrust.ClaimConsent {
  readonly rollup: string
  readonly l1: NonNullable<IntegritySection.TrustSettings["l1"]>
}

/** Makes the trust in L1, from its only node. */
export type MakeL1Trust<E> = (
  l1: RollupTrustSettings["l1"],
  nodes: ReadonlyArray<Integrity.IntegrityNode>
) => Effect.Effect<NetworkTrust, E, Scope.Scope>

/**
 * Makes the trust, over at least one node. Its state is that of the trust in L1, with the node of L1. No answer is kept as
 * final, because the contracts may stop naming a block. The later forks are those of both chains.
 */
export const make = Effect.fnUntraced(function* <E>(
  { accept, l1, rollup }: RollupTrustSettings,
  nodes: ReadonlyArray<Integrity.IntegrityNode>,
  forks: LaterForks.LaterForks | undefined,
  trustOf: MakeL1Trust<E>
) {
  const chain = yield* Effect.catchTag(RollupChain.named(rollup), "UsageError", ({ problem }) =>
    Effect.fail(new DataError({ path: rollup, problem: "Damaged", detail: problem }))
  )
  const node = yield* HttpUpstream.make({ url: l1.url })
  const parent = yield* trustOf(l1, [{ name: "l1", upstream: node }])
  const [first, ...others] = nodes.map(({ upstream }) => Integrity.transportOf(upstream))
  const layer = OpStackTrust.layer({
    chain,
    l1: Layer.succeedContext(
      Context.make(Transport, Integrity.transportOf(node)).pipe(Context.add(TrustedBlock.TrustedBlock, parent.trust))
    ),
    l1Forks: forks,
    accept,
    others
  })
  const built = yield* Layer.build(Layer.provide(layer, Layer.succeed(Transport, first!)))
  const watched = yield* NodeWatch.make([{ name: "l1", answers: answersOf(node) }])
  return {
    trust: Context.get(built, TrustedBlock.TrustedBlock),
    state: () => TrustNodes.withNodes(parent.state?.() ?? { problems: [] }, watched()),
    id: `rollup ${chain.chainId} ${accept ?? "settled"} ${parent.id}`,
    isFinal: () => false
  } satisfies NetworkTrust
})

/** True if the node answers, also with an error object. */
export const answersOf = (node: Effect.Success<ReturnType<typeof HttpUpstream.make>>): Effect.Effect<boolean> =>
  Effect.match(node.call("eth_chainId", []), {
    onSuccess: () => true,
    onFailure: (error) => !(error instanceof UpstreamError)
  })
