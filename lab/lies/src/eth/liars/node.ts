/** Nodes as functions, honest or not, and the transport to them. */
import { JsonRpcError, RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { Middleware, Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as TransportModule from "@plumbline/jsonrpc-core/transport/Transport"
import { Effect } from "effect"

import { isList, isObject, type Json, type JsonObject } from "../../json.ts"

export type Params = ReadonlyArray<Json>

/** A node as a function. For an error object of the node, the promise rejects with a `RemoteError`. */
export type Node = (method: string, params: Params) => Promise<Json>

export const keyOf = (method: string, params: Params): string => `${method} ${JSON.stringify(params)}`

/**
 * Returns a node that remembers answers, so that each question is asked once. The answers are shared and must not be
 * changed.
 */
export const remembered = (node: Node): Node => {
  const known = new Map<string, Promise<Json>>()
  return (method, params) => {
    const key = keyOf(method, params)
    const answer = known.get(key) ?? node(method, params)
    known.set(key, answer)
    return answer
  }
}

export const transportTo = (node: Node): Transport["Service"] => {
  const call: Transport["Service"]["call"] = ({ method, params }) =>
    Effect.tryPromise({
      try: () => node(method, params as Params),
      catch: (error) => {
        if (!(error instanceof RemoteError)) throw error
        return new JsonRpcError({ method, reason: error })
      }
    })
  return { call, callAll: TransportModule.oneByOne(call) }
}

/** Returns the node behind a middleware. */
export const through = (node: Node, middleware: Middleware): Node => {
  const { call } = middleware(transportTo(node))
  return (method, params) =>
    Effect.runPromise(Effect.mapError(call({ method, params }), ({ reason }) => reason)) as Promise<Json>
}

/** Returns the error of a node that refuses a question. */
export const refusal = (code: number, message: string): RemoteError => new RemoteError({ code, message })

export const object = (json: Json | undefined): JsonObject => {
  if (!isObject(json)) throw new Error("not an object")
  return json
}

export const list = (json: Json | undefined): ReadonlyArray<Json> => {
  if (!isList(json)) throw new Error("not a list")
  return json
}

export const text = (json: Json | undefined): string => {
  if (typeof json !== "string") throw new Error("not a text")
  return json
}

export const quantity = (value: bigint | number): string => `0x${value.toString(16)}`
