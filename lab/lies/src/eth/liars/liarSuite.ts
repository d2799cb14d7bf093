/** Asks every liar every question with every kind of trust, and judges the answers leaf by leaf. */
import { Hash32 } from "@plumbline/codec"
import { TrustedBlock } from "@plumbline/eth-methods"
import { Transport } from "@plumbline/jsonrpc-core"
import { Layer } from "effect"

import { isObject, type Json } from "../../json.ts"
import { type Difference, firstFalse } from "../../leaves.ts"
import type { Liar } from "./liar.ts"
import { keyOf, type Node, quantity, remembered, transportTo } from "./node.ts"
import { type Question, questionsOf } from "./questions.ts"
import * as Reader from "./reader.ts"
import type { World } from "./world.ts"

/**
 * The source of trust. In the quorum, the liar is one of the nodes, and a second node tells the same lies. In the quorum
 * of liars, these two nodes are enough.
 */
export const TRUSTS = ["none", "pinned head", "pinned parent", "operator", "quorum", "quorum of liars"] as const
export type Trust = (typeof TRUSTS)[number]

/** The counts of the answers' outcomes. */
export interface Tally extends Counts {
  /** Number of liars that had something to lie about, summed over all worlds. */
  lies: number
  /** The outcomes at readers that keep answers, after the node has become honest. */
  readonly afterwards: Counts
}

/** The counts of outcomes. */
export interface Counts {
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
  readonly reader: string
  readonly question: string
}

export const tally = (): Tally => ({ lies: 0, ...none(), afterwards: none() })

const none = (): Counts => ({
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
      return TrustedBlock.layerNone()
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

/**
 * Returns the only fields that an accepted answer may lack without a claim; everything else that a node leaves out is
 * filled in, claimed or refused. Most current nodes do not send totalDifficulty, and no header proves it. The proven
 * client returns no claims, and leaves out the price of blob gas, which is one. For the contract of a failed creation,
 * some nodes send null.
 */
const silentOf = ({ receipts }: World, { isBare }: Reader.Reader): ReadonlyArray<string> => [
  "totalDifficulty",
  ...(isBare === true ? ["blobGasPrice", "[].blobGasPrice"] : []),
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
  reader: Reader.Reader,
  truth: Truth,
  accepted: { readonly value: unknown; readonly claimed: ReadonlyArray<string>; readonly from: bigint | undefined }
): Promise<Difference | undefined> => {
  const options = { silent: silentOf(world, reader), root: rootOf(method) }
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
  readonly ways: ReadonlyArray<Way>
  /** The outcomes of honest answers, by reader and trust. */
  readonly honest: Tally
}

/** A reader with one kind of trust, and the questions that it is asked. */
interface Way {
  readonly reader: Reader.Reader
  readonly trust: Trust
  readonly prepared: ReadonlyArray<Prepared>
}

interface Prepared {
  readonly question: Question
  readonly truth: Truth
  /** The calls that an honest node receives. */
  readonly calls: ReadonlyArray<readonly [method: string, params: ReadonlyArray<Json>]>
}

/** The readers, the kinds of trust and the questions of an arena. */
export interface Options {
  /** Default: the readers of the library. */
  readonly readers?: ReadonlyArray<Reader.Reader>
  /** Default: all. */
  readonly trusts?: ReadonlyArray<Trust>
  /** True to ask each method only once. Default: with every kind of parameters. */
  readonly isBrief?: boolean
}

const isFirst = ({ method }: Question, at: number, all: ReadonlyArray<Question>): boolean =>
  all.findIndex((other) => other.method === method) === at

/** Asks the honest node every question: no true answer may be refuted. */
export const prepare = async (
  world: World,
  { readers = Reader.ofLibrary, isBrief = false, trusts = TRUSTS }: Options = {}
): Promise<Arena> => {
  const honest = tally()
  const ways: Array<Way> = []
  for (const trust of trusts) {
    for (const reader of readers) {
      const prepared: Array<Prepared> = []
      const questions = questionsOf(world)
        .filter((one) => (one.onlyProven !== true || reader.isBare === true) && reader.takes?.(one) !== false)
        .filter((one, at, all) => !isBrief || isFirst(one, at, all))
      for (const question of questions) {
        const calls = new Map<string, readonly [string, ReadonlyArray<Json>]>()
        const recording: Node = (method, params) => {
          calls.set(keyOf(method, params), [method, params])
          return world.node(method, params)
        }
        const truth = truthOf(world, question)
        const opened = await reader.open(recording, trustOf(world, trust, recording))
        const outcome = await opened.ask(question)
        await opened.close()
        await count(honest, world, "none", { reader, trust }, { question, truth, calls: [] }, outcome)
        prepared.push({ question, truth, calls: [...calls.values()] })
      }
      ways.push({ reader, trust, prepared })
    }
  }
  return { world, ways, honest }
}

/**
 * Asks one liar every question whose answer its lies change. A reader that keeps answers is asked twice, and once more
 * after the node has become honest: it must not have kept a lie.
 */
export const attack = async ({ ways, world }: Arena, liar: Liar, counts: Tally): Promise<void> => {
  if (liar.applies?.(world) === false) return
  const lying = remembered(liar.node(world))
  const isTouched = remembered(async (method, params) => {
    const [truth, told] = await Promise.all([settled(world.node(method, params)), settled(lying(method, params))])
    return truth !== told
  })
  let touches = false
  for (const way of ways) {
    const { reader, prepared, trust } = way
    const touched: Array<Prepared> = []
    for (const one of prepared) {
      const all = await Promise.all(one.calls.map(([method, params]) => isTouched(method, params)))
      if (all.includes(true)) touched.push(one)
    }
    if (touched.length === 0) continue
    touches = true
    let isHonest = false
    const node: Node = (method, params) => (isHonest ? world.node(method, params) : lying(method, params))
    const opened = await reader.open(node, trustOf(world, trust, node))
    for (const one of touched) {
      for (let times = reader.keeps === true ? 2 : 1; times > 0; times--) {
        await count(counts, world, liar.name, way, one, await opened.ask(one.question))
      }
    }
    isHonest = true
    for (const one of reader.keeps === true ? touched : []) {
      await count(counts.afterwards, world, liar.name, way, one, await opened.ask(one.question))
    }
    await opened.close()
  }
  if (touches) counts.lies++
}

const settled = (answer: Promise<Json>): Promise<string> =>
  answer.then(
    (json) => JSON.stringify(json),
    (error: unknown) => `error ${String(error)}`
  )

const count = async (
  counts: Counts,
  world: World,
  liar: string,
  { reader, trust }: Pick<Way, "reader" | "trust">,
  { question, truth }: Prepared,
  outcome: Reader.Outcome
): Promise<void> => {
  counts.answers++
  const lied = (difference: Difference): void => {
    counts.false.push({ world: world.name, liar, trust, reader: reader.name, question: question.name, ...difference })
  }
  switch (outcome._tag) {
    case "Broken":
      return lied({ leaf: "outcome", expected: "an answer, or a failure with its reason", got: outcome.detail })
    case "Accepted": {
      const { claimed, value } = outcome
      const isPinned = trust === "pinned head" || trust === "pinned parent"
      const trusted = trust === "pinned head" ? world.head : world.number - 1n
      const from =
        reader.isBare === true ? (isPinned ? trusted : undefined) : claimed.includes("block") ? 0n : undefined
      const wrong = await judge(world, question, reader, truth, { value, claimed, from })
      if (wrong === undefined) counts.true++
      else lied(wrong)
      return
    }
    default:
      counts[COUNT[outcome._tag]]++
  }
}

const COUNT = {
  Refuted: "refuted",
  Malformed: "malformed",
  Moved: "moved",
  Failed: "failed",
  Claimed: "claimed"
} as const
