/** The connections to nodes against undici alone: the same answers and the same errors, whatever a node sends. */
import { assert, describe, it } from "@effect/vitest"
import * as Seeded from "@plumbline/seeded/Random"

import { AnswerHeads, accept } from "../../../src/networks/plainHttp/answerHead.ts"
import { cut, messageParts, mutate } from "../../support/mutate.ts"
import { type Answer, play } from "./answers.ts"
import { GOOD, STAYS, vectors } from "./answerVectors.ts"

/** Plays the answers to some requests over both. Returns what differs, and the number of answers that undici read. */
const compare = async (answers: ReadonlyArray<Answer>) => {
  const [plain, undici] = await Promise.all([play("plain", answers), play("undici", answers)])
  const isSame = JSON.stringify(plain.heard) === JSON.stringify(undici.heard)
  return { handedOver: plain.handedOver, difference: isSame ? undefined : { answers, plain, undici } }
}

describe("an answer", () => {
  it.each(vectors)("of %s is the same over both", async (_, answer) => {
    for (const answers of [[answer], [STAYS, answer]]) {
      assert.isUndefined((await compare(answers)).difference)
    }
  })

  it("is given to undici only if it is unusual", async () => {
    const taken = await Promise.all(vectors.map(([, answer]) => compare([answer])))
    const names = vectors.filter((_, index) => taken[index]!.handedOver === 0).map(([name]) => name)
    assert.deepStrictEqual(names, USUAL)
  })
})

const USUAL: ReadonlyArray<string> = [
  "a length",
  "no body",
  "a body behind its head",
  "chunks",
  "two chunks",
  "chunks in pieces",
  "a chunk of ten",
  "an encoding",
  "the end of the connection",
  "the end of the connection, too early",
  "keep-alive",
  "keep-alive for a second",
  "an end in the body",
  "an end without a byte",
  "a broken connection",
  "a connection that breaks in the body",
  "a connection that breaks in a chunk",
  "Too Many Requests",
  "an empty reason",
  "more behind the answer",
  "more behind the chunks"
]

describe("random changes of good answers", () => {
  it("are the same over both", async () => {
    const random = Seeded.make(SEED)
    const runs = Seeded.sized(5000)
    let taken = 0
    for (let run = 0; run < runs; run += AT_ONCE) {
      const answers = Array.from({ length: AT_ONCE }, () => {
        const text = mutate(random, Seeded.pick(random, seeds), parts)
        const answer = Seeded.chance(random, 0.3) ? cut(random, text) : [text]
        return Seeded.chance(random, 0.5) ? [answer] : [STAYS, answer]
      })
      for (const { difference, handedOver } of await Promise.all(answers.map(compare))) {
        assert.isUndefined(difference, `PLUMBLINE_SEED=${SEED}`)
        taken += 1 - handedOver
      }
    }
    assert.isAbove(taken, runs / 10)
  }, 240_000)

  it("have the same head after another one as alone", () => {
    const random = Seeded.make(SEED)
    const heads = new AnswerHeads()
    let taken = 0
    const runs = Seeded.sized(200_000)
    for (let run = 0; run < runs; run++) {
      const text = mutate(random, Seeded.pick(random, seeds), parts)
      const end = text.indexOf("\r\n\r\n")
      const found = heads.find(Buffer.from(text, "latin1"))
      assert.deepStrictEqual(found?.head, end === -1 ? undefined : accept(text.slice(0, end + 2)), text)
      if (found !== undefined) taken++
    }
    assert.isAbove(taken, runs / 4)
  })
})

const AT_ONCE = 10
const SEED = Number(process.env["PLUMBLINE_SEED"] ?? 20_261_129)

const OK = "HTTP/1.1 200 OK\r\n"
const seeds = [
  GOOD,
  GOOD,
  `${OK}Content-Type: application/json\r\nDate: Sun, 29 Nov 2026 12:00:00 GMT\r\nContent-Length: 10\r\n\r\n0123456789`,
  `${OK}content-length: 2\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n{}`,
  `HTTP/1.1 503 No\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\n{}`,
  `${OK}Transfer-Encoding: chunked\r\nVary: a\r\n\r\n5\r\n01234\r\nA\r\n0123456789\r\n0\r\n\r\n`,
  `${OK}Connection: close\r\nContent-Length: 2\r\n\r\n{}`
]

const parts = [
  ...messageParts,
  "Keep-Alive: timeout=1\r\n",
  "Trailer: X\r\n",
  "HTTP/1.1 100 Continue\r\n\r\n",
  "0\r\n\r\n",
  GOOD
]
