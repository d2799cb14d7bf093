/**
 * A node in front of a true node. It forwards calls, and changes one answer with the given lie.
 *
 * Each lie has its own URL, so that tests that run at the same time do not get each other's lies. The true node is
 * asked each question once, and its answers are kept.
 */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"

/** A changed answer to one method. `change` gets its own copy of the true answer, and returns the answer to send. */
export interface Lie {
  readonly method: string
  readonly change: (result: any, ask: Ask, params: ReadonlyArray<any>) => unknown
}

/** Asks the true node. */
export type Ask = (method: string, params: ReadonlyArray<unknown>) => Promise<any>

/** A node that lies on request. */
export interface LyingNode {
  /** The URL of a node that tells the truth. */
  readonly url: string
  /** Returns the URL of a node that tells these lies. */
  readonly telling: (...lies: ReadonlyArray<Lie>) => string
  readonly ask: Ask
  readonly close: () => Promise<void>
}

/** An error object that is the answer. */
class NodeError extends Error {
  readonly error: unknown
  constructor(method: string, error: unknown) {
    super(`${method}: ${JSON.stringify(error)}`)
    this.error = error
  }
}

/** Answers with an error object, as a change of a lie. */
export const refuse = (error: { readonly code: number; readonly message: string }): never => {
  throw new NodeError("refused", error)
}

/** Starts a lying node in front of the node at a URL. */
export const start = async (upstream: string): Promise<LyingNode> => {
  const answers = new Map<string, Promise<unknown>>()
  const lies: Array<ReadonlyArray<Lie>> = []

  const forward = async (method: string, params: ReadonlyArray<unknown>): Promise<unknown> => {
    const response = await fetch(upstream, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    })
    const answer = await response.json()
    if (answer.error !== undefined) throw new NodeError(method, answer.error)
    return answer.result
  }
  const ask: Ask = async (method, params) => {
    const key = JSON.stringify([method, params])
    const asked = answers.get(key) ?? forward(method, params)
    answers.set(key, asked)
    const answer = await asked
    // a receipt may still come
    if (answer === null) answers.delete(key)
    return structuredClone(answer)
  }

  const server = createServer(async (request, response) => {
    const told = lies[Number(request.url?.slice("/lie/".length))] ?? []
    const resultOf = async (method: string, params: ReadonlyArray<any>) => {
      const truth = await ask(method, params)
      const lie = told.find((one) => one.method === method)
      return lie === undefined ? truth : lie.change(truth, ask, params)
    }
    const answer = ({ id, method, params }: any) =>
      resultOf(method, params).then(
        (result) => ({ jsonrpc: "2.0", id, result }),
        (error: unknown) => {
          if (error instanceof NodeError) return { jsonrpc: "2.0", id, error: error.error }
          throw error
        }
      )
    const packet: unknown = JSON.parse(await textOf(request))
    const answers = await (Array.isArray(packet) ? Promise.all(packet.map(answer)) : answer(packet))
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify(answers))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    url: `${url}/truth`,
    telling: (...told) => `${url}/lie/${lies.push(told) - 1}`,
    ask,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

/** Reads the body of a request. */
export const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString("utf8")
}
