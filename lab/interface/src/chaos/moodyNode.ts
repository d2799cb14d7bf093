/** A node on a port of this machine, in front of a true node, that misbehaves on request. */
import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

import { HistoryChain } from "@plumbline/devnet"
import { JsonRpcError, type Transport } from "@plumbline/jsonrpc-core"
import type { Lie } from "@plumbline/tamper"
import { Tamper } from "@plumbline/tamper"
import { Effect, Result } from "effect"

import { node as history } from "../clients/historyNode.ts"
import { today } from "../integrity/provingGateway.ts"
import { question, type Question } from "./checkedLoad.ts"

/** The behaviour of a node. `tell` is a lie of the catalogue. */
export type Mood = "well" | "hung" | "limiting" | { readonly tell: Lie.Lie }

export interface Node {
  readonly url: string
  mood: Mood
  /** Returns the number of calls that the node received. */
  readonly asked: () => number
  /** Returns the number of lies that the node told. */
  readonly told: () => number
}

/** The transport to the history chain itself, which always answers truly. */
export const truth: Transport.Transport["Service"] = today(history)

/** Seconds that a limiting node names in `Retry-After`. */
export const RETRY_AFTER = 1

/** Bytes of an answer with the fault `huge`: more than the service accepts. */
const HUGE = 64 * 1024 * 1024

/** A call as it is sent. A body may be a list of calls. */
interface Asked {
  readonly id: unknown
  readonly method: string
  readonly params?: ReadonlyArray<unknown>
}

/** Starts a node in front of another node. It ends with the scope. */
export const start = (behind: Transport.Transport["Service"] = truth) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      let asked = 0
      let told = 0
      const node = { mood: "well" as Mood }
      const server = createServer(async (request, response) => {
        const body: Asked | ReadonlyArray<Asked> = JSON.parse(await text(request))
        const calls = Array.isArray(body) ? (body as ReadonlyArray<Asked>) : [body as Asked]
        asked += calls.length
        const { mood } = node
        if (mood === "hung") return
        if (mood === "limiting") {
          response.writeHead(429, { "retry-after": String(RETRY_AFTER) }).end("too many requests")
          return
        }
        const fault = mood !== "well" && mood.tell.how._tag === "Line" ? mood.tell.how.fault : undefined
        const through =
          mood === "well" || fault !== undefined ? behind : Tamper.make(mood.tell, { onTold: () => told++ })(behind)
        const answers = await Promise.all(
          calls.map(async ({ id, method, params = [] }) => {
            const answer = await Effect.runPromise(Effect.result(through.call({ method, params })))
            return message(fault === "wrong-id" ? `not ${String(id)}` : id, answer)
          })
        )
        if (fault !== undefined) told++
        send(response, fault, JSON.stringify(Array.isArray(body) ? answers : answers[0]))
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const opened: Node & { readonly server: Server } = Object.assign(node, {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        asked: () => asked,
        told: () => told,
        server
      })
      return opened
    }),
    ({ server }) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

const message = (id: unknown, answer: Result.Result<unknown, JsonRpcError.JsonRpcError>): object => {
  if (Result.isSuccess(answer)) return { jsonrpc: "2.0", id, result: answer.success }
  const { reason } = answer.failure
  const error =
    reason instanceof JsonRpcError.RemoteError
      ? { code: reason.code, message: reason.message, ...(reason.data === undefined ? {} : { data: reason.data }) }
      : { code: -32_603, message: "internal error" }
  return { jsonrpc: "2.0", id, error }
}

const send = (response: ServerResponse, fault: Lie.ConnectionFault | undefined, text: string): void => {
  const head = { "content-type": fault === "html" ? "text/html" : "application/json" }
  switch (fault) {
    case "slow":
      return
    case "html":
      response.writeHead(200, head).end("<!doctype html><title>Welcome</title><p>Please log in.")
      return
    case "cut":
      response.writeHead(200, { ...head, "content-length": Buffer.byteLength(text) })
      response.write(text.slice(0, text.length / 2), () => response.destroy())
      return
    case "huge":
      // JSON allows white space before a value, so the answer is valid, but too large.
      response.writeHead(200, head)
      response.on("error", () => undefined)
      response.write(Buffer.alloc(HUGE, " "))
      response.end(text)
      return
    default:
      response.writeHead(200, head).end(text)
  }
}

const { accounts, contracts, head } = HistoryChain
const hex = (number: number): string => `0x${number.toString(16)}`

/** Returns calls about the history chain that a proof can check, each with the true answer. */
export const questions = async (): Promise<ReadonlyArray<Question>> => {
  const at = hex(head.number - 1)
  const block = HistoryChain.blocks.findLast(({ transactions }) => transactions.length > 1)!
  const calls: ReadonlyArray<readonly [method: string, params: ReadonlyArray<unknown>]> = [
    ["eth_getBalance", [accounts[0]!.address, at]],
    ["eth_getBalance", [accounts[1]!.address, hex(head.number)]],
    ["eth_getTransactionCount", [accounts[0]!.address, at]],
    ["eth_getStorageAt", [contracts.counter.address, "0x0", at]],
    ["eth_getCode", [contracts.token.address, at]],
    ["eth_getBlockByNumber", [hex(block.number), true]],
    ["eth_getBlockByHash", [block.hash, false]],
    ["eth_getTransactionByHash", [block.transactions[0]!.hash]],
    ["eth_getTransactionReceipt", [block.transactions[0]!.hash]],
    ["eth_getLogs", [{ fromBlock: hex(head.number - 4), toBlock: at }]]
  ]
  return Promise.all(
    calls.map(async ([method, params]) =>
      question(method, params, await Effect.runPromise(truth.call({ method, params })))
    )
  )
}

/** Returns the part of a configuration that names these nodes. `settings` are settings of the network. */
export const networks = (nodes: ReadonlyArray<Node>, settings: object = {}): object => ({
  networks: {
    main: {
      chainId: HistoryChain.chainId,
      upstreams: nodes.map(({ url }, index) => ({ url, name: `node-${index}` })),
      tryTimeout: "1s",
      timeout: "5s",
      cooldown: "1s",
      ...settings
    }
  }
})
