/** Asks a node by JSON-RPC over HTTP, one call to a request, and keeps the verdict of a proxy. */
export interface Answered {
  readonly result: any
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } | undefined
  /** The header `Plumbline-Verdict`; null if the node is no proxy. */
  readonly verdict: string | null
}

/** Returns a function that makes a call. It waits and asks again where the service's limit refuses it for a moment. */
export const asking =
  (url: string) =>
  async (method: string, params: ReadonlyArray<unknown>): Promise<Answered> => {
    for (;;) {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      })
      if (response.status === 429) {
        await new Promise((resolve) => setTimeout(resolve, 200))
        continue
      }
      const { error, result }: any = await response.json()
      return { result, error, verdict: response.headers.get("plumbline-verdict") }
    }
  }
