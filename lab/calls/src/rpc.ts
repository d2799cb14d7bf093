/** Asks a node by JSON-RPC over HTTP, without any code of the product. */

/** An answer: a result, or an error as the node gives it. */
export type Answer =
  | { readonly result: any }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: any } }

/** One call of a method. */
export type Request = readonly [method: string, ...params: ReadonlyArray<unknown>]

/** Sends calls as one batch, and returns the answers in the order of the calls. */
export type Send = (requests: ReadonlyArray<Request>) => Promise<ReadonlyArray<Answer>>

/** Returns the sender for a URL. `headers` is called for each batch. */
export const sender =
  (url: string, headers: () => Readonly<Record<string, string>> = () => ({})): Send =>
  async (requests) => {
    const body = JSON.stringify(requests.map(([method, ...params], id) => ({ jsonrpc: "2.0", id, method, params })))
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers() },
      body
    })
    const answers: Array<any> = await response.json()
    if (!Array.isArray(answers)) throw new Error(`not a batch: ${JSON.stringify(answers)}`)
    const byId = new Map(answers.map((answer) => [answer.id, answer]))
    return requests.map((_, id) => byId.get(id))
  }

/** Sends one call, and returns its result. Throws the node's error. */
export const one = async (send: Send, ...request: Request): Promise<any> => {
  const [answer] = await send([request])
  if (answer === undefined || "error" in answer) throw new Error(`${request[0]}: ${JSON.stringify(answer?.error)}`)
  return answer.result
}

/** Sends calls that must all succeed, in batches of 200. */
export const all = async (send: Send, requests: ReadonlyArray<Request>): Promise<void> => {
  for (let at = 0; at < requests.length; at += 200) {
    const part = requests.slice(at, at + 200)
    for (const [index, answer] of (await send(part)).entries()) {
      if ("error" in answer) throw new Error(`${part[index]![0]}: ${JSON.stringify(answer.error)}`)
    }
  }
}
