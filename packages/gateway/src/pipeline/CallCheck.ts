/**
 * Checks calls before they go to a node: the method must be in the group, and the parameters are put in canonical form.
 *
 * Nodes are lenient in different ways (anvil accepts a hash without `0x`, decimal indices and slots of 33 bytes). The
 * service applies the same strict rules for all nodes, and never passes on the caller's own bytes.
 */
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Method from "@plumbline/jsonrpc-core/method/Method"
import type * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import type * as Dispatcher from "@plumbline/jsonrpc-core/server/Dispatcher"
import * as JsonRpcServer from "@plumbline/jsonrpc-core/server/JsonRpcServer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import type { Feeds } from "../networks/Feeds.ts"

/**
 * Returns the canonical parameters of a call, or the error to answer: -32601 for a method that is not in the group,
 * -32602 for invalid parameters. With `feeds`, the two methods for subscriptions are known too. `method` is the method
 * in the group, if the caller has already looked it up.
 *
 * ```ts import.meta.vitest
 * import { CallCheck } from "@plumbline/gateway"
 * import { MethodGroup } from "@plumbline/jsonrpc-core"
 *
 * const call = { method: "eth_<b>mine", params: [] }
 * const checked = CallCheck.check(MethodGroup.make(), call)
 * checked._tag === "Failure" && checked.failure.message // => "the method eth_?b?mine does not exist/is not available"
 * ```
 */
export const check = (
  methods: MethodGroup.Any,
  call: Pick<Dispatcher.DispatchedCall, "method" | "params">,
  feeds?: Feeds,
  method: Method.Any | undefined = methods.get(call.method)
): Result.Result<ReadonlyArray<unknown>, ErrorObject.ErrorObject> => {
  if (feeds !== undefined) {
    if (call.method === feeds.subscribe) return Result.map(feeds.check(call.params), ({ params }) => params)
    if (call.method === feeds.unsubscribe) return JsonRpcServer.checkParams(unsubscribe, call.params)
  }
  return method === undefined
    ? Result.fail(ErrorObject.methodNotFound(printable(call.method)))
    : JsonRpcServer.checkParams(method, call.params)
}

/** The check for the method that ends a subscription. It is the same for every network, so the name does not matter. */
const unsubscribe = Method.make("unsubscribe", {
  params: [Method.param("subscription", Schema.String)],
  result: Schema.Boolean,
  isPositional: true
})

/** Returns a caller's method name in a form that is safe to repeat in a page, a log or a terminal. */
const printable = (name: string): string => {
  const text = name.slice(0, MAX_PRINTED).replaceAll(/[^A-Za-z0-9_.-]/gu, "?")
  return name.length > MAX_PRINTED ? `${text}...` : text
}

const MAX_PRINTED = 64
