/** A packet that waits for a turn: what keeps the service running, and what an interruption does meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Exit } from "effect"

import { InFlight } from "../../src/http/inFlight.ts"
import type { CallPacket } from "../../src/pipeline/callPackets.ts"
import { StepScheduler } from "../../src/pipeline/stepScheduler.ts"
import { WaitingPacket } from "../../src/pipeline/waitingPacket.ts"

const packet = { items: [] } as unknown as CallPacket

/** A packet whose turn comes when the test says so, and the events of its work. */
const waiting = (step: () => CallPacket | undefined) => {
  let turn: (() => void) | undefined
  const turns = new StepScheduler(
    () => 0,
    (callback) => (turn = callback)
  )
  const set = new InFlight<object>()
  const events: Array<unknown> = []
  const work = new WaitingPacket<string>({
    turns,
    project: "p1",
    job: { step },
    sets: [set],
    begin: (_, end) => {
      events.push(["begun", set.size])
      return {
        interruptUnsafe: () => {
          events.push("interrupted")
          end.succeeded("left")
        }
      }
    },
    end: {
      succeeded: (answer) => events.push(Exit.succeed(answer)),
      failed: (cause) => events.push(Exit.failCause(cause))
    }
  })
  return { events, set, turn: () => turn!(), work }
}

describe("a packet that waits for its turn", () => {
  it("keeps the service running until its calls have begun", () => {
    const { events, set, turn } = waiting(() => packet)
    assert.deepStrictEqual([set.size, events], [1, []])
    turn()
    assert.deepStrictEqual([set.size, events], [0, [["begun", 1]]])
  })

  it("hands an interruption on to its calls, now or when they begin", () => {
    const early = waiting(() => packet)
    early.work.interruptUnsafe()
    assert.deepStrictEqual(early.events, [])
    early.turn()
    const late = waiting(() => packet)
    late.turn()
    late.work.interruptUnsafe()
    for (const { events } of [early, late]) {
      assert.deepStrictEqual(events, [["begun", 1], "interrupted", Exit.succeed("left")])
    }
  })

  it("ends with the defect of its reading, and keeps nothing running then", () => {
    const { events, set, turn } = waiting(() => {
      throw new Error("unreadable")
    })
    turn()
    const [exit] = events as ReadonlyArray<Exit.Exit<string>>
    assert.isTrue(Exit.isFailure(exit!) && Cause.hasDies(exit.cause))
    assert.deepStrictEqual([events.length, set.size], [1, 0])
  })
})
