/**
 * The machine-readable description of a server: an OpenRPC document from a method group.
 *
 * Source: OpenRPC 1.3.2, https://spec.open-rpc.org
 */
import type * as JsonSchema from "effect/JsonSchema"

import * as ErrorCode from "../error/ErrorCode.ts"
import * as ErrorObject from "../error/ErrorObject.ts"
import type * as Method from "../method/Method.ts"
import type * as MethodGroup from "../method/MethodGroup.ts"
import type * as Subscription from "../method/Subscription.ts"
import { subscriptionNotFound, timedOut, tooLarge } from "./gethErrors.ts"
import * as JsonSchemas from "./jsonSchemas.ts"
import * as Sources from "./sources.ts"

/** An OpenRPC document. It is a JSON value. */
export interface OpenRpcDocument {
  readonly openrpc: string
  readonly info: OpenRpcInfo
  readonly servers?: ReadonlyArray<OpenRpcServer>
  readonly methods: ReadonlyArray<MethodObject>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema.JsonSchema>>
    readonly errors: Readonly<Record<string, ErrorObject.ErrorObject>>
  }
}

/** The name and version of the service. */
export interface OpenRpcInfo {
  readonly title: string
  readonly version: string
  readonly description?: string
}

/** The address of the service. */
export interface OpenRpcServer {
  readonly url: string
  readonly name?: string
}

/** A method. Members that begin with `x-` have data for which OpenRPC defines no member. */
export interface MethodObject {
  readonly name: string
  readonly summary?: string
  readonly paramStructure: "either" | "by-position"
  readonly params: ReadonlyArray<ContentDescriptor>
  readonly result: ContentDescriptor
  readonly errors: ReadonlyArray<ErrorObject.ErrorObject | { readonly $ref: string }>
  readonly [extension: `x-${string}`]: unknown
}

/** A parameter or a result: its name, and the JSON Schema of its wire form, in draft 7. */
export interface ContentDescriptor {
  readonly name: string
  readonly summary?: string
  readonly required: boolean
  readonly schema: JsonSchema.JsonSchema
}

/** The parts of the document other than the methods. */
export interface OpenRpcOptions extends OpenRpcInfo {
  readonly servers?: ReadonlyArray<OpenRpcServer> | undefined
  /** The subscriptions that a connection to the server offers. */
  readonly subscriptions?: ReadonlyArray<Subscription.Any> | undefined
}

/**
 * Returns the document of a group.
 *
 * Schemas describe the wire form. A schema with an identifier appears once, in the components. A JSON Schema describes
 * the form only: the server may refuse a well-formed parameter for other reasons.
 *
 * `x-cost` is in credits; `x-verification`, `x-cache` and `x-idempotent` are the members of `Method`. OpenRPC does not
 * define subscriptions, so the call that begins them has `x-subscriptions`: a list of the subscriptions with their
 * notifications.
 *
 * ```ts import.meta.vitest
 * import { Method, MethodGroup, OpenRpc } from "@plumbline/jsonrpc-core"
 * import { Schema } from "effect"
 *
 * const Wei = Schema.BigIntFromString.annotate({ identifier: "Wei" })
 * const group = MethodGroup.make(Method.make("double", { params: [Method.param("wei", Wei)], result: Wei, cost: 5 }))
 * const document = OpenRpc.document(group, { title: "Doubler", version: "1.0.0" })
 * document.methods[0]?.params[0]?.schema // => { $ref: "#/components/schemas/Wei" }
 * document.components.schemas // => { Wei: { type: "string", pattern: "^-?\\d+$" } }
 * document.methods[0]?.["x-cost"] // => 5
 * ```
 */
export const document = (group: MethodGroup.Any, options: OpenRpcOptions): OpenRpcDocument => {
  const { description, servers, subscriptions = [], title, version } = options
  const methods = Object.values(group.methods)
  const offers = subscriptions.map((subscription) => ({ subscription, begin: Sources.methodOf(subscription) }))
  const ends = [...new Set(subscriptions.map(({ wire }) => wire.unsubscribe))].map(Sources.unsubscribeOf)
  const described = [...methods, ...offers.map(({ begin }) => begin), ...ends]
  const schemas = JsonSchemas.compile(
    described.flatMap(({ params, result }) => [...params.map(({ schema }) => schema), result])
  )
  return {
    openrpc: "1.3.2",
    info: { title, version, ...(description === undefined ? {} : { description }) },
    ...(servers === undefined ? {} : { servers }),
    methods: [
      ...methods.map((method) => describe(method, schemas)),
      ...[...Map.groupBy(offers, ({ begin }) => begin.name).values()].map((ofName) => describeBegin(ofName, schemas)),
      ...ends.map((method) => describeEnd(method, schemas))
    ],
    components: { schemas: schemas.definitions, errors }
  }
}

/** A subscription and the method that begins it. */
interface Offer {
  readonly subscription: Subscription.Any
  readonly begin: Method.Any
}

const describe = (method: Method.Any, schemas: JsonSchemas.CompiledSchemas): MethodObject => ({
  name: method.name,
  ...summary(method.doc),
  paramStructure: method.isPositional === true ? "by-position" : "either",
  params: method.params.map((param) => describeParam(param, schemas)),
  result: { name: "result", required: true, schema: schemas.of(method.result) },
  errors: errorsOfCalls,
  "x-cost": method.cost,
  "x-verification": method.verification,
  "x-cache": method.cache,
  "x-idempotent": method.idempotent
})

const describeParam = (
  { doc, name, optional, schema }: Method.AnyParam,
  schemas: JsonSchemas.CompiledSchemas
): ContentDescriptor => ({
  name,
  ...summary(doc),
  required: !optional,
  schema: schemas.of(schema)
})

/**
 * Describes a call that begins several subscriptions. Each parameter accepts every value that one of the subscriptions
 * accepts at that position.
 */
const describeBegin = (offers: ReadonlyArray<Offer>, schemas: JsonSchemas.CompiledSchemas): MethodObject => {
  const lists = offers.map(({ begin }) => begin.params.map((param) => describeParam(param, schemas)))
  const longest = Math.max(...lists.map(({ length }) => length))
  return {
    name: offers[0]!.begin.name,
    summary: "Begins a subscription and gives its id.",
    paramStructure: "by-position",
    params: Array.from({ length: longest }, (_, index) =>
      merge(
        index,
        lists.map((list) => list[index])
      )
    ),
    result: { name: "subscription", required: true, schema: { type: "string" } },
    errors: errorsOfCalls,
    "x-subscriptions": offers.map(({ subscription }) => ({
      name: subscription.name,
      ...summary(subscription.doc),
      params: subscription.params.map((param) => describeParam(param, schemas)),
      notification: subscription.wire.notification,
      item: schemas.of(subscription.item)
    }))
  }
}

const describeEnd = (method: Method.Any, schemas: JsonSchemas.CompiledSchemas): MethodObject => ({
  name: method.name,
  summary: "Ends a subscription.",
  paramStructure: "by-position",
  params: method.params.map((param) => describeParam(param, schemas)),
  result: { name: "result", required: true, schema: schemas.of(method.result) },
  errors: [...errorsOfCalls, subscriptionNotFound]
})

/** Merges the parameters at one position of several lists into one. */
const merge = (index: number, given: ReadonlyArray<ContentDescriptor | undefined>): ContentDescriptor => {
  const there = given.filter((param) => param !== undefined)
  const names = new Set(there.map(({ name }) => name))
  const schemas = new Map(there.map(({ schema }) => [JSON.stringify(schema), schema]))
  const [only] = schemas.values()
  return {
    name: names.size === 1 ? there[0]!.name : `argument${index}`,
    required: there.length === given.length && there.every(({ required }) => required),
    schema: schemas.size === 1 ? only! : { anyOf: [...schemas.values()] }
  }
}

const summary = (doc: string): { readonly summary?: string } => (doc === "" ? {} : { summary: doc })

const errors = {
  ParseError: ErrorObject.parseError(),
  InvalidRequest: ErrorObject.invalidRequest(),
  MethodNotFound: ErrorObject.make(ErrorCode.METHOD_NOT_FOUND),
  InvalidParams: ErrorObject.invalidParams(),
  InternalError: ErrorObject.internalError(),
  RequestTimedOut: timedOut,
  ResponseTooLarge: tooLarge
} satisfies Readonly<Record<string, ErrorObject.ErrorObject>>

/** The errors that a call of any method can return. The other errors concern the packet or an unknown method. */
const errorsOfCalls = (["InvalidParams", "InternalError", "RequestTimedOut", "ResponseTooLarge"] as const).map(
  (name: keyof typeof errors) => ({ $ref: `#/components/errors/${name}` })
)
