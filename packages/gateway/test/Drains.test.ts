/** Whole services that end while they are called. `pnpm drains` ends a hundred of each kind. */
import { assert, describe, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"

import * as Drains from "./support/drains.ts"

describe("a service that is told to end while it is called", () => {
  const cases = [
    ["callers", 200],
    ["callers", 0],
    ["sockets", 1500],
    ["sockets", 100]
  ] as const
  // One after the other, because each has hundreds of clients in this process. If the machine takes the processor away
  // from the service between its last look at the listener and the close, the system resets a connection that the
  // service could not see yet (`Connections.stop`): a defect of the service loses something every time, so three tries
  // are enough.
  it.each(cases)(
    "loses nothing of %s, with %d ms of grace",
    { retry: 2, concurrent: false, timeout: 60_000 },
    async (kind, grace) => {
      const random = Random.make(7)
      for (let run = 0; run < Random.runs(1); run++) {
        const { answered, lost, processed } = await Drains.run(kind, grace, random)
        assert.isAbove(answered, 0)
        assert.strictEqual(lost, 0)
        // Calls without an answer to the client were not executed either.
        assert.strictEqual(processed, answered)
      }
    }
  )
})
