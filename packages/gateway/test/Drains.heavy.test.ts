/** Whole services that are ended while clients call them. `pnpm lab drains` ends a hundred services of each kind. */
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
  // The cases run one after another, because each has hundreds of clients in this process. A failure can have an
  // outside cause: if the machine stops the process between its last look at the listener and the close, the system
  // resets a connection that the service has not seen yet (`Connections.stop`). A bug of the service loses something
  // every time, so three tries are enough.
  it.each(cases)(
    "loses nothing of %s, with %d ms of grace",
    { retry: 2, concurrent: false, timeout: 60_000 },
    async (kind, grace) => {
      const random = Random.make(7)
      for (let run = 0; run < Random.runs(1); run++) {
        const { answered, lost, processed } = await Drains.run(kind, grace, random)
        assert.isAbove(answered, 0)
        assert.strictEqual(lost, 0)
        // Calls whose client got no answer were not executed either.
        assert.strictEqual(processed, answered)
      }
    }
  )
})
