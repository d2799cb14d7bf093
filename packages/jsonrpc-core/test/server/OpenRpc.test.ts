import { assert, describe, it } from "@effect/vitest"
import * as Published from "@open-rpc/meta-schema"
import { JsonRpcServer, Method, MethodGroup, OpenRpc, Subscription } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"
import { Ajv } from "ajv"
import draft7 from "ajv/dist/refs/json-schema-draft-07.json" with { type: "json" }
import { Arbitrary, Effect, Result, Schema } from "effect"

import * as Contract from "../support/contract.ts"
import * as RandomJson from "../support/randomJson.ts"

/**
 * Validates documents with ajv and the meta schema that OpenRPC publishes. This meta schema refers to draft 7 of JSON
 * Schema by other ids, so draft 7 is added under these ids.
 */
const judge = (() => {
  const $ref = { type: "string", format: "uri-reference" }
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true })
  for (const $id of ["https://meta.json-schema.tools", "https://meta.json-schema.tools/"]) {
    const definitions = { ...draft7.definitions, JSONSchemaObject: { properties: { $ref } } }
    ajv.addMetaSchema({ ...draft7, $id, definitions })
  }
  // The library's types do not describe its only export.
  return ajv.compile((Published as unknown as { readonly openrpcDocument: object }).openrpcDocument)
})()

const complaints = (document: unknown): unknown => (judge(document) ? [] : judge.errors)

interface Tree {
  readonly name: string
  readonly branches: ReadonlyArray<Tree>
}
const Tree = Schema.Struct({
  name: Schema.String,
  branches: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
}).annotate({ identifier: "Tree" })

const Hash = Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{8}$/u)).annotate({ identifier: "Hash" })

/** Schemas that a JSON Schema describes exactly, one of each kind. */
const exact = {
  text: Schema.String,
  number: Schema.Finite,
  integer: Schema.Int,
  flag: Schema.Boolean,
  nothing: Schema.Null,
  anything: Schema.Unknown,
  nullable: Schema.NullOr(Schema.Int),
  literals: Schema.Literals(["latest", "safe", 1]),
  short: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(3)),
  small: Schema.Finite.check(Schema.isBetween({ minimum: -1, maximum: 1 })),
  hash: Hash,
  hashes: Schema.Array(Hash).check(Schema.isMaxLength(2)),
  pair: Schema.Tuple([Schema.String, Schema.Finite]),
  headed: Schema.TupleWithRest(Schema.Tuple([Schema.String]), [Schema.Boolean]),
  table: Schema.Record(Schema.String, Schema.Finite),
  members: Schema.Struct({
    id: Schema.Finite,
    result: Schema.optionalKey(Schema.String),
    error: Schema.optional(Schema.NullOr(Schema.Boolean))
  }),
  open: Schema.StructWithRest(Schema.Struct({ id: Schema.Finite }), [Schema.Record(Schema.String, Schema.Unknown)]),
  either: Schema.Union([Schema.Struct({ id: Schema.Finite }), Schema.Array(Schema.Finite)]),
  tree: Tree
}

interface Sums {
  readonly sum: number
  readonly parts: ReadonlyArray<Sums>
}
const Sums = Schema.Struct({
  sum: Schema.Number,
  parts: Schema.Array(Schema.suspend((): Schema.Codec<Sums> => Sums))
}).annotate({ identifier: "Sums" })

/**
 * Schemas with numbers that JSON cannot write, such as NaN. A JSON Schema still describes them exactly, because no text
 * stands for such a number.
 */
const numbers = {
  float: Schema.Number,
  floats: Schema.Array(Schema.Number),
  floatPair: Schema.Tuple([Schema.Number, Schema.Number]),
  floatTable: Schema.Record(Schema.String, Schema.Number),
  floatMember: Schema.Struct({ id: Schema.Number }),
  perhapsFloat: Schema.UndefinedOr(Schema.NullOr(Schema.Number)),
  later: Schema.suspend((): Schema.Codec<number> => Schema.Number),
  sums: Sums
}

/** Schemas whose JSON Schema accepts more than the decoder, but never less. */
const looser = {
  numberInText: Schema.NumberFromString,
  wei: Schema.BigIntFromString,
  date: Schema.DateFromString
}

const methods = Object.entries<Method.JsonCodec>({ ...exact, ...numbers, ...looser }).map(([name, schema]) =>
  Method.make(name, { params: [Method.param("value", schema)], result: schema })
)
const document = OpenRpc.document(MethodGroup.make(...methods), { title: "All", version: "1" })

/** Returns ajv's verdict on a parameter or result, according to the document. */
const verdict = (() => {
  const ajv = new Ajv({ strict: false })
  ajv.addSchema(document, "openrpc")
  const of = (path: string): ((value: unknown) => boolean) => ajv.compile({ $ref: `openrpc#${path}` })
  return new Map(
    document.methods.map(({ name }, index) => {
      const param = of(`/methods/${index}/params/0/schema`)
      const result = of(`/methods/${index}/result/schema`)
      return [
        name,
        (value: unknown): boolean => {
          assert.strictEqual(param(value), result(value))
          return param(value)
        }
      ]
    })
  )
})()

const onWire = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? "null")

describe("OpenRpc.document", () => {
  it("is an OpenRPC document by the meta schema that OpenRPC publishes", () => {
    assert.deepStrictEqual(complaints(document), [])
    assert.deepStrictEqual(complaints(OpenRpc.document(Contract.group, { title: "T", version: "1" })), [])
    assert.deepStrictEqual(complaints(OpenRpc.document(MethodGroup.make(), { title: "Empty", version: "0" })), [])
  })

  it("is judged by a judge that refuses", () => {
    for (const broken of [
      { ...document, openrpc: "9.9.9" },
      { ...document, info: {} },
      { ...document, more: 1 },
      { ...document, methods: [{ ...document.methods[0], params: [{ schema: {} }] }] },
      { ...document, methods: [{ ...document.methods[0], result: { name: "r", schema: { type: "hex" } } }] },
      { ...document, components: { ...document.components, schemas: { A: { pattern: 1 } } } }
    ]) {
      assert.notDeepEqual(complaints(onWire(broken)), [])
    }
  })

  it.effect.each(Object.entries<Method.JsonCodec>({ ...exact, ...looser }))(
    "takes what the schema gives: %s",
    ([name, schema]) =>
      Effect.gen(function* () {
        const values = yield* Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: Random.runs(100), seed: name })
        assert.isNotEmpty(values)
        for (const value of values) {
          const encoded = onWire(Schema.encodeUnknownSync(schema)(value))
          assert.isTrue(verdict.get(name)!(encoded), JSON.stringify(encoded))
        }
      })
  )

  it.effect.each(Object.entries<Method.JsonCodec>({ ...exact, ...numbers }))(
    "judges any JSON as the schema does: %s",
    ([name, schema]) =>
      Effect.gen(function* () {
        const random = Random.make(name.length * 1009)
        const given = yield* Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 50, seed: name })
        const verdicts = new Set<boolean>()
        for (let run = 0; run < Random.runs(500); run++) {
          // Written and parsed again, because 1e999 is a number in JSON but Infinity in JavaScript.
          const value = onWire(
            random() < 0.5
              ? JSON.parse(RandomJson.jsonText(random))
              : changed(random, onWire(Random.pick(random, given)))
          )
          const accepted = Result.isSuccess(Schema.decodeUnknownResult(schema)(value))
          assert.strictEqual(verdict.get(name)!(value), accepted, JSON.stringify(value))
          verdicts.add(accepted)
        }
        assert.deepStrictEqual(verdicts, new Set(schema === Schema.Unknown ? [true] : [true, false]))
      })
  )

  it("says what a method says of itself", () => {
    const method = Method.make("m", {
      params: [
        Method.param("a", Hash, { doc: "the first" }),
        Method.param("b", Schema.NullOr(Hash), { optional: true })
      ],
      result: Schema.Array(Hash),
      doc: "Does m.",
      cost: 7,
      verification: "partial",
      cache: "block",
      idempotent: false
    })
    const { components, methods } = OpenRpc.document(MethodGroup.make(method), { title: "T", version: "1" })
    const positional = OpenRpc.document(MethodGroup.make({ ...method, isPositional: true }), {
      title: "T",
      version: "1"
    })
    assert.strictEqual(positional.methods[0]?.paramStructure, "by-position")
    const hash = { $ref: "#/components/schemas/Hash" }
    assert.deepStrictEqual(methods[0], {
      name: "m",
      summary: "Does m.",
      paramStructure: "either",
      params: [
        { name: "a", summary: "the first", required: true, schema: hash },
        { name: "b", required: false, schema: { anyOf: [hash, { type: "null" }] } }
      ],
      result: { name: "result", required: true, schema: { type: "array", items: hash } },
      errors: ["InvalidParams", "InternalError", "RequestTimedOut", "ResponseTooLarge"].map((name) => ({
        $ref: `#/components/errors/${name}`
      })),
      "x-cost": 7,
      "x-verification": "partial",
      "x-cache": "block",
      "x-idempotent": false
    })
    assert.deepStrictEqual(components.schemas, { Hash: { type: "string", pattern: "^0x[0-9a-f]{8}$" } })
  })

  it("has the codes of the specification and those that the server itself answers with", () => {
    assert.deepStrictEqual(
      Object.entries(document.components.errors).map(([name, { code }]) => [name, code]),
      [
        ["ParseError", -32700],
        ["InvalidRequest", -32600],
        ["MethodNotFound", -32601],
        ["InvalidParams", -32602],
        ["InternalError", -32603],
        ["RequestTimedOut", -32002],
        ["ResponseTooLarge", -32003]
      ]
    )
  })

  it("leaves data alone that looks like a reference", () => {
    const example = { $ref: "#/definitions/Hash" }
    const schema = Schema.Unknown.annotate({ examples: [example] })
    const { methods } = OpenRpc.document(MethodGroup.make(Method.make("m", { params: [], result: schema })), {
      title: "T",
      version: "1"
    })
    assert.deepStrictEqual(methods[0]!.result.schema, { examples: [example] })
  })

  it("keeps two schemas of one name apart", () => {
    const other = Schema.Boolean.annotate({ identifier: "Hash" })
    const { components, methods } = OpenRpc.document(
      MethodGroup.make(Method.make("m", { params: [Method.param("a", Hash)], result: other })),
      { title: "T", version: "1" }
    )
    const { params, result } = methods[0]!
    assert.notDeepEqual(params[0]!.schema, result.schema)
    assert.lengthOf(Object.keys(components.schemas), 2)
  })

  it("describes subscriptions where OpenRPC has no word for them", () => {
    const heads = Subscription.make("eth", "heads", { params: [], item: Hash, doc: "New heads." })
    const logs = Subscription.make("eth", "logs", {
      params: [Method.param("filter", Schema.Struct({ address: Hash }))],
      item: Schema.String
    })
    const own = Subscription.make("own", "ticks", {
      params: [Method.param("every", Schema.Int)],
      item: Schema.Int,
      wire: { subscribe: "own_tick", prefix: [], unsubscribe: "eth_unsubscribe" }
    })
    const described = OpenRpc.document(MethodGroup.make(), {
      title: "T",
      version: "1",
      subscriptions: [heads, logs, own]
    })
    assert.deepStrictEqual(complaints(described), [])
    const [eth, tick, end] = described.methods
    assert.deepStrictEqual(
      described.methods.map(({ name }) => name),
      ["eth_subscribe", "own_tick", "eth_unsubscribe"]
    )
    const filter = {
      type: "object",
      properties: { address: { $ref: "#/components/schemas/Hash" } },
      required: ["address"]
    }
    assert.deepStrictEqual(
      eth!.params.map(({ name, required }) => [name, required]),
      [
        ["subscription", true],
        ["filter", false]
      ]
    )
    assert.deepStrictEqual(eth!.params[0]!.schema, {
      anyOf: [
        { type: "string", enum: ["heads"] },
        { type: "string", enum: ["logs"] }
      ]
    })
    assert.deepInclude(eth!.params[1]!.schema, filter)
    const [offer] = eth!["x-subscriptions"] as ReadonlyArray<unknown>
    assert.deepStrictEqual(offer, {
      name: "heads",
      summary: "New heads.",
      params: [],
      notification: "eth_subscription",
      item: { $ref: "#/components/schemas/Hash" }
    })
    assert.deepStrictEqual(
      tick!.params.map(({ name }) => name),
      ["every"]
    )
    assert.deepInclude(end!.errors, { code: -32000, message: "subscription not found" })
  })

  it.effect("is what rpc.discover answers with, when asked for", () =>
    Effect.gen(function* () {
      const options = { title: "T", version: "1", description: "D", servers: [{ url: "https://node.example" }] }
      const discover = OpenRpc.document(Contract.group, options)
      const { handle } = Contract.makeServer({ discover })
      const ask = (params: string) =>
        Effect.map(handle(`{"jsonrpc":"2.0","id":1,"method":"rpc.discover"${params}}`), (bytes) =>
          JSON.parse(new TextDecoder().decode(bytes))
        )
      const { result } = yield* ask("")
      assert.deepStrictEqual(complaints(result), [])
      assert.deepStrictEqual(result.info, { title: "T", version: "1", description: "D" })
      assert.deepStrictEqual(result, onWire(discover))
      assert.deepStrictEqual(yield* ask(',"params":[]'), { jsonrpc: "2.0", id: 1, result })
      assert.strictEqual((yield* ask(',"params":[1]')).error.code, -32602)
      const silent = yield* Contract.makeServer().handle('{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}')
      assert.include(new TextDecoder().decode(silent), "-32601")
    })
  )

  it("is refused where the group has the name already", () => {
    const group = MethodGroup.make(Method.make("rpc.discover", { params: [], result: Schema.Null }))
    assert.throws(() => JsonRpcServer.make(group, { "rpc.discover": () => Effect.succeed(null) }, { discover: {} }))
  })
})

/** Returns a value with one change: a member or element is removed, added or replaced. */
const changed = (random: Random.Random, value: unknown): unknown => {
  const other = (): unknown =>
    random() < 0.2 ? Random.pick(random, ["NaN", "Infinity", "-Infinity"]) : JSON.parse(RandomJson.jsonText(random, 1))
  if (random() < 0.2) return other()
  if (Array.isArray(value)) {
    const at = Random.int(random, value.length + 1)
    return value.toSpliced(at, Random.int(random, 2), ...(random() < 0.5 ? [other()] : []))
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).filter(() => random() < 0.8)
    const extra = random() < 0.5 ? [[Random.pick(random, ["id", "result", "error", "x"]), other()]] : []
    return Object.fromEntries([...members.map(([name, member]) => [name, changed(random, member)]), ...extra])
  }
  return random() < 0.5 ? value : other()
}
