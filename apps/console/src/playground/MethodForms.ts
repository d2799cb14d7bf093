/**
 * The methods of a network, as the playground shows them. They come from the same tables as the clients and the
 * service.
 */
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"
import type * as Method from "@plumbline/jsonrpc-core/method/Method"
import type * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import * as OpenRpc from "@plumbline/jsonrpc-core/server/OpenRpc"
import * as Starknet from "@plumbline/second-chain-methods/methods/Starknet"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as SchemaForms from "./SchemaForms.ts"

/** The set of methods that a network speaks. */
export type MethodSet = "eth" | "starknet"

/** A parameter: its form, and the check that clients make. */
export interface FormParameter {
  readonly name: string
  readonly doc: string
  readonly required: boolean
  readonly form: SchemaForms.SchemaForm
  /** Returns the reason why a JSON value is not valid for this parameter; undefined if it is valid. */
  readonly mistake: (value: unknown) => string | undefined
}

/** A method. */
export interface DescribedMethod {
  readonly name: string
  readonly doc: string
  readonly topic: string
  /** The cost of a call, in credits. */
  readonly cost: number
  readonly verification: Method.Verification
  /** True if the method only reads, so that a call may be repeated. */
  readonly reads: boolean
  readonly params: ReadonlyArray<FormParameter>
}

const describe = (group: MethodGroup.Any, topicOf: (name: string) => string): ReadonlyArray<DescribedMethod> => {
  const document = OpenRpc.document(group, { title: "methods", version: "1" })
  return Object.values<Method.Any>(group.methods).map((method, at) => ({
    name: method.name,
    doc: method.doc,
    topic: topicOf(method.name),
    cost: method.cost,
    verification: method.verification,
    reads: method.idempotent,
    params: method.params.map((param, position): FormParameter => {
      const decode = Schema.decodeUnknownResult(param.schema)
      return {
        name: param.name,
        doc: param.doc,
        required: !param.optional,
        form: SchemaForms.formOf(document.methods[at]!.params[position]!.schema, document.components.schemas),
        mistake: (value) => {
          const read = decode(value)
          return Result.isSuccess(read) ? undefined : read.failure.message.split("\n")[0]
        }
      }
    })
  }))
}

/** The topics of methods, by patterns of their names. The first pattern that matches counts. */
const TOPICS: ReadonlyArray<readonly [RegExp, string]> = [
  [/Receipt|Logs/u, "Receipts and logs"],
  [/Transaction(?!Count)|BlockTransactionCount/u, "Transactions"],
  [/Block(?:By|With)|Uncle|blockNumber|blockHash/u, "Blocks"],
  [/Balance|Code|Count|Storage|Proof|Nonce|ClassHash/u, "Accounts and storage"],
  [/call$|estimateGas|createAccessList|simulate/u, "Calls"],
  [/gas|fee|Fee|Priority/u, "Fees"]
]

const topicOf = (name: string): string => TOPICS.find(([pattern]) => pattern.test(name))?.[1] ?? "The node"

/** The tables, each made at its first use. */
const made = new Map<MethodSet, ReadonlyArray<DescribedMethod>>()

/** Returns the methods of a kind of network. */
export const of = (kind: MethodSet): ReadonlyArray<DescribedMethod> => {
  const known = made.get(kind) ?? describe(kind === "eth" ? EthMethods.group : Starknet.group, topicOf)
  made.set(kind, known)
  return known
}

/** Returns the methods whose name or description holds every word of a text. */
export const search = (methods: ReadonlyArray<DescribedMethod>, text: string): ReadonlyArray<DescribedMethod> => {
  const words = text.toLowerCase().split(/\s+/u)
  return methods.filter(({ doc, name, topic }) => {
    const all = `${name} ${topic} ${doc}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
}
