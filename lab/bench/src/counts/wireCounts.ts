/** A `fetch` to a node in this process that counts requests, calls and bytes. */

/** The counts of requests, calls and bytes. */
export interface Counts extends Readonly<Record<string, number>> {
  /** Times that a request was sent while none was under way: how often the client waited for the node. */
  readonly waits: number
  /** HTTP requests. */
  readonly trips: number
  /** Calls in the requests. A batch has several. */
  readonly calls: number
  /** Bytes of the bodies of requests. */
  readonly up: number
  /** Bytes of the bodies of answers. */
  readonly down: number
}

const NONE: Counts = { waits: 0, trips: 0, calls: 0, up: 0, down: 0 }

/** Returns a `fetch` that `handle` answers, and a function that runs a task and counts the traffic of this `fetch`. */
export const counting = (handle: (request: string) => Promise<Uint8Array | undefined>) => {
  let counts = NONE
  let [underWay, waits] = [0, 0]
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    const text = typeof init?.body === "string" ? init.body : Buffer.from(init?.body as Uint8Array).toString()
    const request: unknown = JSON.parse(text)
    if (underWay++ === 0) waits++
    const answer = (await handle(text).finally(() => underWay--)) ?? new Uint8Array(0)
    counts = {
      waits,
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
      waits = 0
      await run()
      return counts
    }
  }
}
