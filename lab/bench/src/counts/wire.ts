/** A `fetch` to a node in this process that counts requests, calls and bytes. */

/** The counts of requests, calls and bytes. */
export interface Counts extends Readonly<Record<string, number>> {
  /** HTTP requests. */
  readonly trips: number
  /** Calls in the requests. A batch has several. */
  readonly calls: number
  /** Bytes of the bodies of requests. */
  readonly up: number
  /** Bytes of the bodies of answers. */
  readonly down: number
}

const NONE: Counts = { trips: 0, calls: 0, up: 0, down: 0 }

/** Returns a `fetch` that `handle` answers, and a function that runs a task and counts the traffic of this `fetch`. */
export const counting = (handle: (request: string) => Promise<Uint8Array | undefined>) => {
  let counts = NONE
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    const text = typeof init?.body === "string" ? init.body : Buffer.from(init?.body as Uint8Array).toString()
    const request: unknown = JSON.parse(text)
    const answer = (await handle(text)) ?? new Uint8Array(0)
    counts = {
      trips: counts.trips + 1,
      calls: counts.calls + (Array.isArray(request) ? request.length : 1),
      up: counts.up + Buffer.byteLength(text),
      down: counts.down + answer.length
    }
    return new Response(Buffer.from(answer), { headers: { "content-type": "application/json" } })
  }
  return {
    fetch: fetch as typeof globalThis.fetch,
    count: async (run: () => Promise<unknown>): Promise<Counts> => {
      counts = NONE
      await run()
      return counts
    }
  }
}
