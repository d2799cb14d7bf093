/**
 * The replay: three nodes, of which two tell the same composed lie and the honest one is flooded. Each lie is read in
 * every way, and each accepted answer is judged leaf by leaf against the honest node.
 */
import type { Node } from "@plumbline/lies/src/eth/liars/node.ts"
import { type Question, questionsOf } from "@plumbline/lies/src/eth/liars/questions.ts"
import type { World } from "@plumbline/lies/src/eth/liars/world.ts"
import { type Difference, firstFalse } from "@plumbline/lies/src/leaves.ts"
import * as Random from "@plumbline/seeded/Random"
import { Effect, type Scope } from "effect"

import * as ComposedLie from "./composedLie.ts"
import type { Scene } from "./scene.ts"
import * as Stage from "./stage.ts"
import * as VirtualClock from "./virtualClock.ts"
import * as Ways from "./ways.ts"

/** A read that went wrong, with its lie. */
export interface Attacked {
  readonly way: string
  readonly world: string
  readonly question: string
  readonly parts: ReadonlyArray<string>
  /** The number of the draw, counted from 0. */
  readonly draw: number
}

/** A lie that passed as proven. */
export interface Passed extends Attacked, Difference {}

/** The counts of one way in one scene. */
export interface Tally {
  readonly scene: string
  readonly way: string
  readonly isProven: boolean
  /** Lies that the way heard: at least one answer to its calls was false. */
  told: number
  /** Reads whose answer the way accepted although it is false. */
  accepted: number
  /** Reads that ended with the true answer. */
  honest: number
  /** Reads that ended without an accepted answer, although the honest node has it. */
  unanswered: number
  /** The time until the true answers, all together, and the longest. */
  millis: number
  longest: number
  /** Reads about what does not exist, or what no proof can tell, which ended without an accepted answer. */
  open: number
  /** Lies that were found, by check. */
  checks: ReadonlyMap<string, number>
  /** True answers by the kind of their verdict's anchor. */
  readonly anchors: Map<string, number>
  /** Calls to the nodes in the steady part, and the reads of it that were answered truly. */
  readonly steady: { calls: number; requests: number; reads: number; answered: number }
}

/** The result of one scene. */
export interface Replayed {
  readonly tallies: ReadonlyArray<Tally>
  readonly passed: ReadonlyArray<Passed>
  /** Reads of the ways that prove which ended without an answer, although the honest node has it. */
  readonly unanswered: ReadonlyArray<Attacked & { readonly why: ReadonlyArray<string> }>
}

/** The size and the seed of a run. */
export interface Options {
  /** Number of composed lies that each proving way must have heard. The ways that prove take turns. */
  readonly lies: number
  /** Number of reads for the count of calls. */
  readonly reads: number
  readonly seed: number
  readonly onProgress?: (told: number) => void
}

/** The time at which each run starts, in milliseconds since 1970. */
const START = Date.UTC(2026, 3, 18)

/** Longer than the longest rest of a node that lied, so that the liars are asked first again. */
const AWAKE = 40 * 60_000

/** The most tries of a read. The pause before the next one doubles, from one second to half a minute. */
const TRIES = 12
const pauseAfter = (tries: number): number => Math.min(30_000, 1000 * 2 ** (tries - 1))

/** The number of steady reads for which the nodes tell the same lie. */
const SAME = 25

/** Runs one scene. */
export const run = Effect.fnUntraced(function* (
  scene: Scene,
  { lies, onProgress, reads, seed }: Options
): Effect.fn.Return<Replayed, unknown, Scope.Scope> {
  const random = Random.make(seed)
  const clock = VirtualClock.make(START)
  const stage = Stage.make(scene, seed, clock)
  const ways = yield* Effect.provideContext(
    Effect.all([
      Ways.gateway(scene, stage.nodes),
      Ways.library(scene, stage.nodes),
      Ways.vote(scene, stage.nodes),
      Ways.first(scene, stage.nodes)
    ]),
    stage.readers
  )
  const tallies = ways.map((way): Tally => emptyTally(scene, way))
  const passed: Array<Passed> = []
  const unanswered: Array<Replayed["unanswered"][number]> = []
  const asked = yield* Effect.promise(() => answerable(scene, stage, ways))

  /** Reads in one way, again and again until there is an answer. */
  const read = async (at: number, question: Asked, most: number): Promise<Read> => {
    const way = ways[at]!
    const begun = clock.currentTimeMillisUnsafe()
    const why: Array<string> = []
    for (let tries = 1; ; tries++) {
      const outcome = await stage.settle(way.ask(question.question))
      if (outcome._tag === "Accepted") {
        const { anchor } = outcome
        return { millis: clock.currentTimeMillisUnsafe() - begun, why, anchor, ...judge(scene, question, way, outcome) }
      }
      why.push(outcome.why)
      if (tries === most) return { millis: 0, why, anchor: undefined, isTrue: undefined, wrong: undefined }
      clock.advance(pauseAfter(tries))
    }
  }

  for (let draw = 0; tallies.some(({ isProven, told }) => isProven && told < lies); draw++) {
    const world = Random.pick(random, scene.worlds)
    const lie = yield* Effect.promise(() => ComposedLie.draw(world, random))
    const question = yield* Effect.promise(() => touched(world, lie.node, asked.get(world)!, random))
    stage.tell(world, lie.node)
    const turn = tallies.filter(({ isProven, told }) => isProven && told < lies)
    for (const [at, way] of ways.entries()) {
      const tally = tallies[at]!
      if (way.isProven && tally !== turn[draw % turn.length]) continue
      clock.advance(AWAKE)
      stage.heard = false
      const isSure = question.sure.has(way.name)
      const { anchor, isTrue, millis, why, wrong } = yield* Effect.promise(() => read(at, question, isSure ? TRIES : 1))
      if (stage.heard) tally.told++
      const { parts } = lie
      const attacked = { way: way.name, world: world.name, question: question.question.name, parts, draw }
      if (isTrue === undefined) {
        tally[isSure ? "unanswered" : "open"]++
        if (isSure && way.isProven) unanswered.push({ ...attacked, why })
      } else if (isTrue) {
        tally.honest++
        tally.millis += millis
        tally.longest = Math.max(tally.longest, millis)
        if (anchor !== undefined) tally.anchors.set(anchor, (tally.anchors.get(anchor) ?? 0) + 1)
      } else {
        tally.accepted++
        if (way.isProven) passed.push({ ...attacked, ...wrong! })
      }
    }
    onProgress?.(tallies.reduce((sum, { isProven, told }) => sum + (isProven ? told : 0), 0))
  }

  for (const [at, way] of ways.entries()) {
    const { steady } = tallies[at]!
    // each way hears the same lies and asks the same questions
    const drawn = Random.make(seed)
    clock.advance(AWAKE)
    for (let n = 0; n < reads; n++) {
      const world = scene.worlds[Math.floor(n / SAME) % scene.worlds.length]!
      if (n % SAME === 0) stage.tell(world, (yield* Effect.promise(() => ComposedLie.draw(world, drawn))).node)
      const sure = asked.get(world)!.filter(({ sure }) => ways.every(({ name }) => sure.has(name)))
      const before = way.cost()
      const { isTrue } = yield* Effect.promise(() => read(at, Random.pick(drawn, sure), TRIES))
      const after = way.cost()
      steady.calls += after.calls - before.calls
      steady.requests += after.requests - before.requests
      steady.reads++
      if (isTrue === true) steady.answered++
      clock.advance(1000)
    }
  }
  for (const [at, way] of ways.entries()) tallies[at]!.checks = new Map(way.lies())
  return { tallies, passed, unanswered }
})

const emptyTally = ({ name }: Scene, { isProven, name: way }: Ways.Way): Tally => ({
  scene: name,
  way,
  isProven,
  told: 0,
  accepted: 0,
  honest: 0,
  unanswered: 0,
  millis: 0,
  longest: 0,
  open: 0,
  checks: new Map(),
  anchors: new Map(),
  steady: { calls: 0, requests: 0, reads: 0, answered: 0 }
})

/** A question with its true answer, and the ways that have an answer to it if all nodes are honest. */
interface Asked {
  readonly question: Question
  readonly truth: unknown
  readonly world: World
  readonly sure: ReadonlySet<string>
}

interface Read {
  /** The time until the answer. */
  readonly millis: number
  /** The errors of the tries before the answer. */
  readonly why: ReadonlyArray<string>
  readonly anchor: string | undefined
  /** Undefined if there is no answer. */
  readonly isTrue: boolean | undefined
  readonly wrong: Difference | undefined
}

/**
 * Draws a question. In four of five cases it is one whose own answer the lie changes, if ten draws find one; otherwise the
 * lie may change only what proves the answer, or nothing.
 */
const touched = async (world: World, lie: Node, asked: ReadonlyArray<Asked>, random: Random.Random): Promise<Asked> => {
  let drawn = Random.pick(random, asked)
  if (Random.chance(random, 0.2)) return drawn
  for (let tries = 0; tries < 10; tries++) {
    const { method, params } = drawn.question
    const [told, truth] = await Promise.all(
      [lie, world.node].map((node) => Stage.settled(node(method, params("latest"))))
    )
    if (told !== truth) return drawn
    drawn = Random.pick(random, asked)
  }
  return drawn
}

/** Asks every question while all nodes are honest. A way that has an answer then must have it under attack, too. */
const answerable = async (
  scene: Scene,
  stage: Stage.Stage,
  ways: ReadonlyArray<Ways.Way>
): Promise<ReadonlyMap<World, ReadonlyArray<Asked>>> => {
  const found = new Map<World, ReadonlyArray<Asked>>()
  for (const world of scene.worlds) {
    const all: Array<Asked> = []
    stage.tell(world, undefined)
    for (const question of questionsOf(world).filter(({ onlyProven }) => onlyProven !== true)) {
      const truth = await world.node(question.method, question.params("latest")).catch(() => REFUSED)
      if (truth === REFUSED) continue
      const sure = new Set<string>()
      for (const way of ways) {
        const outcome = await stage.settle(way.ask(question))
        if (outcome._tag !== "Accepted") continue
        sure.add(way.name)
        const { wrong } = judge(scene, { question, truth, world }, way, outcome)
        if (wrong !== undefined) {
          throw new Error(`${way.name}, ${question.name}: ${wrong.leaf} is ${wrong.got}, not ${wrong.expected}`)
        }
      }
      all.push({ question, truth, world, sure })
    }
    found.set(world, all)
  }
  return found
}

const REFUSED = Symbol("refused")

/** Compares an accepted answer with the true one. */
const judge = (
  { uncovered }: Scene,
  { question, truth, world }: Pick<Asked, "question" | "truth" | "world">,
  { isProven }: Ways.Way,
  { claimed, value }: Extract<Ways.Outcome, { readonly _tag: "Accepted" }>
): Pick<Read, "isTrue" | "wrong"> => {
  const root = question.method === "eth_getLogs" ? "logs" : "receipts"
  const silent = isProven
    ? [
        "totalDifficulty",
        ...["", "[].", "transactions[]."].flatMap((of) => uncovered.map((name) => of + name)),
        ...failed(world)
      ]
    : []
  const wrong = firstFalse(isProven ? withoutEmptyRoot(value) : value, truth, claimed, { silent, root })
  return { isTrue: wrong === undefined, wrong }
}

/** Returns receipts without the root `0x`, by which some nodes say that a receipt has none (see `Receipt.root`). */
const withoutEmptyRoot = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutEmptyRoot)
  if (typeof value !== "object" || value === null || !("root" in value) || value.root !== "0x") return value
  const { root: _, ...rest } = value
  return rest
}

/** The contract of a failed creation: no hash covers it, and some nodes send null. */
const failed = ({ receipts }: World): ReadonlyArray<string> =>
  receipts.flatMap(({ status, to }, at) =>
    status === "0x0" && to === null ? ["contractAddress", `[${at}].contractAddress`] : []
  )
