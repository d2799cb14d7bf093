/** Asks every liar every question with every kind of trust, and judges the answers leaf by leaf. */
import { Hash32 } from "@plumbline/codec"
import { EthClient, ProvenEthClient, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { Transport } from "@plumbline/jsonrpc-core"
import type { Verdict } from "@plumbline/verdict"
import { Cause, Effect, Exit, Layer } from "effect"

import { isObject, type Json } from "../../json.ts"
import { type Difference, firstFalse } from "../../leaves.ts"
import type { Liar } from "./liar.ts"
import { keyOf, type Node, quantity, remembered, transportTo } from "./node.ts"
import { type Question, questionsOf } from "./questions.ts"
import type { World } from "./world.ts"

/**
 * The source of trust. In the quorum, the liar is one of the nodes, and a second node tells the same lies. In the quorum
 * of liars, these two nodes are enough.
 */
export const TRUSTS = ["none", "pinned head", "pinned parent", "operator", "quorum", "quorum of liars"] as const
export type Trust = (typeof TRUSTS)[number]

/** The counts of the answers' outcomes. */
export interface Tally {
  /** Number of liars that had something to lie about, summed over all worlds. */
  lies: number
  /** Number of questions whose answers the lies changed. */
  answers: number
  refuted: number
  /** Number of answers that do not have the form that the method promises. */
  malformed: number
  /** Number of readings whose answers do not belong together, as if the chain had moved. */
  moved: number
  /** Number of questions for which the node answered with an error, or for which too few nodes agreed. */
  failed: number
  claimed: number
  /** Number of accepted answers in which every leaf that is not claimed is true. */
  true: number
  readonly false: Array<False>
}

/** A lie that passed. */
export interface False extends Difference {
  readonly world: string
  readonly liar: string
  readonly trust: Trust
  readonly client: string
  readonly question: string
}

export const tally = (): Tally => ({
  lies: 0,
  answers: 0,
  refuted: 0,
  malformed: 0,
  moved: 0,
  failed: 0,
  claimed: 0,
  true: 0,
  false: []
})

export const summary = (what: string, counts: Tally): string => {
  const { answers, claimed, failed, lies, malformed, moved, refuted } = counts
  return (
    `${what}: ${lies} lies, ${answers} answers, ${refuted} refuted, ${malformed} malformed, ${moved} moved, ` +
    `${failed} failed, ${claimed} claimed, ${counts.true} true, ${counts.false.length} false leaves`
  )
}

/** Provides the trust. Some of the nodes that it asks may be the liar. */
const trustOf = (world: World, trust: Trust, liar: Node): Layer.Layer<TrustedBlock.TrustedBlock> => {
  const honest = { name: "honest", transport: transportTo(world.node) }
  const lying = { name: "lying", transport: transportTo(liar) }
  const again = { ...lying, name: "lying too" }
  switch (trust) {
    case "none":
      return TrustedBlock.layerNone
    case "pinned head":
      return TrustedBlock.layerPinned(Hash32.fromHexUnsafe(world.headHash))
    case "pinned parent":
      return TrustedBlock.layerPinned(Hash32.fromHexUnsafe(world.parent["hash"] as string))
    case "operator":
      return TrustedBlock.layerOperator(Layer.succeed(Transport.Transport, honest.transport), { accept: true })
    case "quorum": {
      const others = ["second", "third"].map((name) => ({ ...honest, name }))
      return TrustedBlock.layerQuorum([lying, honest, again, ...others], { needed: 3, accept: true })
    }
    case "quorum of liars":
      // not accepted by name: so no client may serve a word of theirs as proven
      return TrustedBlock.layerQuorum([lying, again, honest], { needed: 2 })
  }
}

const CLIENTS = ["verdict", "proven"] as const
type Client = (typeof CLIENTS)[number]

/** Asks one question through a new client. */
const put = (world: World, trust: Trust, client: Client, node: Node, question: Question) =>
  Effect.runPromiseExit(
    Effect.gen(function* () {
      const trusted = yield* TrustedBlock.TrustedBlock
      const eth = yield* Effect.provideService(EthClient.make, Transport.Transport, transportTo(node))
      const asked = client === "verdict" ? VerdictEthClient.make(eth, trusted) : ProvenEthClient.make(eth, trusted)
      return yield* question.ask(asked)
    }).pipe(Effect.provide(trustOf(world, trust, node)))
  )

/**
 * Returns the only fields that an accepted answer may lack without a claim; everything else that a node leaves out is
 * filled in, claimed or refused. Most current nodes do not send totalDifficulty, and no header proves it. The proven
 * client returns no claims, and leaves out the price of blob gas, which is one. For the contract of a failed creation,
 * some nodes send null.
 */
const silentOf = ({ receipts }: World, client: Client): ReadonlyArray<string> => [
  "totalDifficulty",
  ...(client === "proven" ? ["blobGasPrice", "[].blobGasPrice"] : []),
  ...receipts.flatMap(({ status, to }, at) =>
    status === "0x0" && to === null ? ["contractAddress", `[${at}].contractAddress`] : []
  )
]

const rootOf = (method: string): string => (method === "eth_getLogs" ? "logs" : "receipts")

/** Returns the true answer to a question at a block. A tag can mean several blocks, each with its own true answer. */
type Truth = (at?: bigint) => Promise<Json>

const truthOf =
  (world: World, question: Question): Truth =>
  async (at) => {
    const answer = await world.node(question.method, question.params(at === undefined ? "latest" : quantity(at)))
    return question.onlyProven === true && isObject(answer) ? answer["number"]! : answer
  }

/**
 * Returns the first false leaf of an accepted value. If several answers can be true, it compares with the nearest of
 * them.
 */
const judge = async (
  world: World,
  { method, tag }: Question,
  client: Client,
  truth: Truth,
  accepted: { readonly value: unknown; readonly claimed: ReadonlyArray<string>; readonly from: bigint | undefined }
): Promise<Difference | undefined> => {
  const options = { silent: silentOf(world, client), root: rootOf(method) }
  const wrong = firstFalse(accepted.value, await truth(), accepted.claimed, options)
  if (wrong === undefined || tag === undefined || accepted.from === undefined) return wrong
  // the claim `block` names no leaf, so the whole value must be true for one block of the chain
  for (let at = accepted.from; at <= world.head; at++) {
    if (firstFalse(accepted.value, await truth(at), accepted.claimed, options) === undefined) return undefined
  }
  return wrong
}

/** One world, whose honest answers are recorded once. */
export interface Arena {
  readonly world: World
  readonly prepared: ReadonlyArray<Prepared>
  /** The outcomes of honest answers, by client and trust. */
  readonly honest: Tally
}

interface Prepared {
  readonly question: Question
  readonly trust: Trust
  readonly client: Client
  readonly truth: Truth
  /** The calls that an honest node receives. */
  readonly calls: ReadonlyArray<readonly [method: string, params: ReadonlyArray<Json>]>
}

/** Asks the honest node every question: no true answer may be refuted. */
export const prepare = async (world: World, trusts: ReadonlyArray<Trust> = TRUSTS): Promise<Arena> => {
  const honest = tally()
  const prepared: Array<Prepared> = []
  for (const trust of trusts) {
    for (const client of CLIENTS) {
      for (const question of questionsOf(world)) {
        if (question.onlyProven === true && client === "verdict") continue
        const calls = new Map<string, readonly [string, ReadonlyArray<Json>]>()
        const recording: Node = (method, params) => {
          calls.set(keyOf(method, params), [method, params])
          return world.node(method, params)
        }
        const truth = truthOf(world, question)
        const exit = await put(world, trust, client, recording, question)
        await count(honest, world, "none", { question, trust, client, truth, calls: [] }, exit)
        prepared.push({ question, trust, client, truth, calls: [...calls.values()] })
      }
    }
  }
  return { world, prepared, honest }
}

/** Asks one liar every question whose answer its lies change. */
export const attack = async ({ prepared, world }: Arena, liar: Liar, counts: Tally): Promise<void> => {
  if (liar.applies?.(world) === false) return
  const node = remembered(liar.node(world))
  const isTouched = remembered(async (method, params) => {
    const [truth, told] = await Promise.all([settled(world.node(method, params)), settled(node(method, params))])
    return truth !== told
  })
  let touches = false
  for (const one of prepared) {
    const touched = await Promise.all(one.calls.map(([method, params]) => isTouched(method, params)))
    if (!touched.includes(true)) continue
    touches = true
    await count(counts, world, liar.name, one, await put(world, one.trust, one.client, node, one.question))
  }
  if (touches) counts.lies++
}

const settled = (answer: Promise<Json>): Promise<string> =>
  answer.then(
    (json) => JSON.stringify(json),
    (error: unknown) => `error ${String(error)}`
  )

const count = async (
  counts: Tally,
  world: World,
  liar: string,
  { client, question, trust, truth }: Prepared,
  exit: Exit.Exit<unknown, unknown>
): Promise<void> => {
  counts.answers++
  const lied = (difference: Difference): void => {
    counts.false.push({ world: world.name, liar, trust, client, question: question.name, ...difference })
  }
  if (Exit.isFailure(exit)) {
    const reason = exit.cause.reasons.find(Cause.isFailReason)
    if (reason === undefined)
      return lied({ leaf: "defect", expected: "a typed failure", got: Cause.pretty(exit.cause) })
    const error = reason.error as EthClient.Failure
    if (error._tag === "Refuted") counts.refuted++
    else if (error._tag === "Unproven") counts.claimed++
    else if (error.reason._tag === "DecodeError") counts.malformed++
    else if (error.reason._tag === "MovedError") counts.moved++
    else counts.failed++
    return
  }
  const isPinned = trust === "pinned head" || trust === "pinned parent"
  const trusted = trust === "pinned head" ? world.head : world.number - 1n
  if (client === "proven") {
    const from = isPinned ? trusted : undefined
    const wrong = await judge(world, question, client, truth, { value: exit.value, claimed: [], from })
    if (wrong === undefined) counts.true++
    else lied(wrong)
    return
  }
  const verdict = exit.value as Verdict.Verdict<unknown>
  if (verdict._tag === "CLAIMED") {
    counts.claimed++
    return
  }
  const claimed = verdict.claimed.map(({ field }) => field)
  const from = claimed.includes("block") ? 0n : undefined
  const wrong = await judge(world, question, client, truth, { value: verdict.value, claimed, from })
  if (wrong === undefined) counts.true++
  else lied(wrong)
}
