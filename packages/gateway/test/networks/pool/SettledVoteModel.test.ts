/** Tests the vote on settled blocks against a model, with random nodes: honest, lying, silent, slow, and without a block. */
import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import { answerOf, error, hex, type Node, node, pool, quiet } from "../../support/poolNodes.ts"

const KINDS = ["behind", "ahead", "lagging", "null", "silent", "unknown", "flaps", "zero"] as const
type Kind = (typeof KINDS)[number] | "honest"

/** An answer of a node about its settled block: the number, or -1. */
interface Word {
  readonly at: number
  readonly number: number
}

interface Player {
  readonly node: Node
  kind: Kind
  delay: number
  readonly words: Array<Word>
  polls: number
  /** True if the node left a caller without an answer. */
  hasHung: boolean
}

/** The block that the honest nodes call finalized. */
interface Chain {
  finalized: number
  millis: number
}

const player = (model: Model, chain: Chain, random: Random.Random): Player => {
  const numberOf = (): number | undefined => {
    switch (self.kind) {
      case "honest":
        return chain.finalized
      case "lagging":
        return Math.max(0, chain.finalized - 32)
      case "behind":
        return Math.max(0, chain.finalized - 400)
      case "zero":
        return 0
      case "ahead":
        return chain.finalized + 40 + Random.int(random, 1_000_000)
      case "flaps":
        return Math.max(0, chain.finalized + 40 - Random.int(random, 80))
      default:
        return undefined
    }
  }
  const self: Player = {
    kind: "honest",
    delay: 0,
    words: [],
    polls: 0,
    hasHung: false,
    node: node((method, params) => {
      if (method !== "eth_getBlockByNumber") return `"${hex(chain.finalized + 64)}"`
      if (params[0] === "latest") return `{"number":"${hex(chain.finalized + 64)}"}`
      if (params[0] !== "finalized") return `{"number":"${String(params[0])}","by":"number"}`
      // callers ask for whole blocks, and the pool for its votes does not
      const isVote = params[1] === false
      if (isVote) self.polls++
      if (self.kind === "silent") {
        if (!isVote) self.hasHung = true
        return "hangs"
      }
      if (self.kind === "unknown") return error(-32_602, "invalid block tag")
      return Effect.delay(
        Effect.sync(() => {
          const number = numberOf()
          if (isVote) {
            self.words.push({ at: chain.millis, number: number ?? -1 })
            model.count(chain.millis)
          }
          return number === undefined ? "null" : `{"number":"${hex(number)}"}`
        }),
        self.delay
      )
    })
  }
  return self
}

/** The rules of the vote, applied to all words of the nodes. */
class Model {
  readonly players: Array<Player> = []
  /** The highest block agreed on, since the last time that no node held it. */
  floor = -1
  /** The least highest vote after any word since the test began to look for it. */
  held = Infinity
  readonly ever = new Set<number>()
  /** The agreed blocks after each word, since the test emptied the list. */
  readonly history: Array<number | undefined> = []

  /** Returns the words of the nodes that are not older than `age`; -1 for any other node. */
  votes(now: number, age: number): ReadonlyArray<number> {
    return this.players.map(({ words }) => {
      const word = words.at(-1)
      return word !== undefined && now - word.at <= age ? word.number : -1
    })
  }

  /** Returns the agreed block: the highest number that more than half of all nodes support, but not below the floor. */
  agreed(now: number, age: number): number | undefined {
    const votes = this.votes(now, age)
    const able = votes.filter((own) => own >= 0 && votes.filter((other) => other >= own).length * 2 > votes.length)
    if (able.length === 0) return undefined
    return votes.some((own) => own >= this.floor) ? Math.max(this.floor, ...able) : Math.max(...able)
  }

  count(now: number): void {
    this.held = Math.min(this.held, Math.max(...this.votes(now, 30_000)))
    const agreed = this.agreed(now, 30_000)
    this.floor = agreed ?? this.floor
    this.history.push(agreed)
    if (agreed !== undefined) this.ever.add(agreed)
  }
}

describe("the vote on the finalized block", () => {
  it.effect("keeps its promises beside any mix of nodes", () =>
    Effect.gen(function* () {
      for (let seed = 1; seed <= Random.runs(20); seed++) yield* game(seed)
    }).pipe(quiet)
  )
})

const game = (seed: number) =>
  Effect.gen(function* () {
    const random = Random.make(seed)
    const chain: Chain = { finalized: Random.chance(random, 0.2) ? 0 : 10_000, millis: 0 }
    const model = new Model()
    const { players } = model
    for (let count = 3 + Random.int(random, 5); count > 0; count--) players.push(player(model, chain, random))
    const liars = Random.int(random, Math.ceil(players.length / 2))
    const isReversed = Random.chance(random, 0.5)
    const isHonestMajority = Random.chance(random, 0.7)
    const deal = () => {
      for (const [index, each] of players.entries()) {
        each.kind =
          isHonestMajority && (isReversed ? index < players.length - liars : index >= liars)
            ? Random.chance(random, 0.3)
              ? "lagging"
              : "honest"
            : Random.pick(random, KINDS)
        each.delay = Random.pick(random, [0, 0, 20, 300, 1500, 5000])
      }
    }
    deal()
    const upstream = yield* pool(
      players.map(({ node }) => node),
      { pulse: "2 seconds", watch: "1 minute" }
    )
    const pass = Effect.fnUntraced(function* (millis: number) {
      for (let left = millis; left > 0; left -= 100) {
        chain.millis += 100
        yield* TestClock.adjust(100)
      }
    })
    yield* TestClock.adjust(0)
    let given = -1
    for (let read = 0; read < 60; read++) {
      if (Random.chance(random, 0.15)) chain.finalized += 32
      if (Random.chance(random, 0.1)) deal()
      yield* pass(Random.pick(random, [0, 100, 100, 900, 900, 3000, 12_000, 40_000]))
      const begun = chain.millis
      // a vote may become too old within the resolution of the test
      const expected = () => [29_800, 30_200].map((age) => model.agreed(chain.millis, age))
      model.history.length = 0
      model.history.push(...expected())
      const fiber = yield* Effect.forkChild(answerOf(upstream.call("eth_getBlockByNumber", ["finalized", true])), {
        startImmediately: true
      })
      yield* TestClock.adjust(0)
      while (fiber.pollUnsafe() === undefined && chain.millis - begun < 60_000) {
        yield* pass(100)
        model.history.push(...expected())
      }
      const answer = String(yield* Fiber.join(fiber))
      const told = /"number":"(0x[0-9a-f]+)","by"/u.exec(answer)?.[1]
      const label = `seed ${seed}, read ${read}: ${answer}, ${JSON.stringify(players.map(({ delay, kind, words }) => [kind, delay, words.at(-1)]))}, floor ${model.floor}`
      const took = chain.millis - begun
      // the agreed block of a moment of the call; without one, the node's answer to the tag
      const number = told === undefined ? undefined : Number(told)
      // a node that is asked again holds what it held before, until it answers
      const isHeld =
        number !== undefined &&
        model.ever.has(number) &&
        model.history.some((least) => least !== undefined && number > least) &&
        players.some(({ words }) => (words.at(-1)?.number ?? -1) >= number)
      if (isHeld) model.floor = number
      else assert.include(model.history, number, label)
      if (number === undefined) continue
      if (isHonestMajority) assert.isAtMost(number, chain.finalized, `a lie: ${label}`)
      // it went back only after a moment at which no node was known to hold it
      const held = Math.min(model.held, Math.max(...model.votes(chain.millis, 29_800)))
      if (number < given) assert.isBelow(held, given, `back: ${label}`)
      given = number
      model.held = Infinity
      // calls by number are answered at once, and the wait for votes is bounded
      assert.isAtMost(took, 1000, `late: ${label}`)
    }
    for (const [index, { faults, state }] of upstream.health!().entries()) {
      if (!players[index]!.hasHung) assert.deepStrictEqual([faults, state], [0, "up"], `seed ${seed}, node ${index}`)
    }
    for (const { polls } of players) assert.isAtMost(polls, chain.millis / 2000 + 1, `seed ${seed}`)
  }).pipe(Effect.scoped)
