import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { type Dispatcher, type ErrorObject, JsonRpcServer, Method, MethodGroup } from "@plumbline/jsonrpc-core"
import { Context, Effect, Result, Schema, SchemaGetter } from "effect"

import * as Contract from "../support/contract.ts"

/** A text in upper case on the wire. Any case is accepted, so the canonical form can differ from the sent form. */
const Shout = Schema.String.pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((text: string) => text.toLowerCase()),
    encode: SchemaGetter.transform((text: string) => text.toUpperCase())
  })
)

const method = Method.make("m", {
  params: [
    Method.param("a", Shout),
    Method.param("b", Schema.NullOr(Shout), { optional: true }),
    Method.param("c", Schema.Struct({ list: Schema.Array(Shout) }), { optional: true })
  ],
  result: Schema.Null
})

const check = (params: unknown): unknown => {
  const result = JsonRpcServer.checkParams(method, params)
  return Result.isSuccess(result) ? result.success : `${result.failure.code} ${result.failure.message}`
}

describe("checkParams", () => {
  it("gives canonical wire parameters", () => {
    assert.deepStrictEqual(check(["x"]), ["X"])
    assert.deepStrictEqual(check(["x", "Yy"]), ["X", "YY"])
    assert.deepStrictEqual(check(["x", "y", { list: ["z"], extra: 1 }]), ["X", "Y", { list: ["Z"] }])
  })

  it("takes names in any order and puts null between", () => {
    assert.deepStrictEqual(check({ c: { list: [] }, a: "x" }), ["X", null, { list: [] }])
    assert.deepStrictEqual(check({ b: "y", a: "x" }), ["X", "Y"])
  })

  it("drops null at the end only where the schema does not take it", () => {
    assert.deepStrictEqual(check(["x", null]), ["X", null])
    assert.deepStrictEqual(check(["x", "y", null]), ["X", "Y"])
    assert.deepStrictEqual(check(["x", undefined, undefined]), ["X"])
  })

  it("words its refusals as geth does", () => {
    assert.strictEqual(check(undefined), "-32602 missing value for required argument 0")
    assert.strictEqual(check(null), "-32602 missing value for required argument 0")
    assert.strictEqual(check([]), "-32602 missing value for required argument 0")
    assert.strictEqual(check([null]), "-32602 missing value for required argument 0")
    assert.strictEqual(check({}), "-32602 missing value for required argument 0")
    assert.strictEqual(check(["x", "y", { list: [] }, 4]), "-32602 too many arguments, want at most 3")
    assert.strictEqual(check("x"), "-32602 non-array args")
    assert.strictEqual(check(7), "-32602 non-array args")
    assert.strictEqual(check([1]), "-32602 invalid argument 0: Expected string")
    assert.strictEqual(check(["x", "y", { list: ["z", 1] }]), "-32602 invalid argument 2: list.1: Expected string")
    assert.strictEqual(check({ a: "x", d: 1 }), "-32602 unknown parameter name, want a, b, c")
  })

  it("decodes an argument a second time only if it has another spelling", () => {
    const decoded: Array<string> = []
    const lower = Method.make("m", {
      params: [
        Method.param(
          "a",
          Schema.String.check(Schema.makeFilter((text) => decoded.push(text) > 0 && /^[a-z]+$/u.test(text)))
        )
      ],
      result: Schema.Null,
      respell: (argument) => (typeof argument === "string" ? argument.toLowerCase() : argument)
    })
    assert.isTrue(Result.isFailure(JsonRpcServer.checkParams(lower, ["x1"])))
    assert.deepStrictEqual(decoded, ["x1"])
    assert.isTrue(Result.isFailure(JsonRpcServer.checkParams(lower, ["Y1"])))
    assert.deepStrictEqual(decoded, ["x1", "Y1", "y1"])
  })

  it("takes no names where the protocol has none, and reads an argument in another spelling of the protocol", () => {
    const text = Schema.String.check(Schema.isPattern(/^[a-z]+$/u))
    const lower = Method.make("m", {
      params: [Method.param("a", text), Method.param("b", Schema.Array(text), { optional: true })],
      result: Schema.Null,
      isPositional: true,
      respell: (argument) => JSON.parse(JSON.stringify(argument).toLowerCase())
    })
    const said = (params: unknown) => {
      const result = JsonRpcServer.checkParams(lower, params)
      return Result.isSuccess(result) ? result.success : result.failure.message
    }
    assert.strictEqual(said({ a: "x" }), "non-array args")
    assert.strictEqual(said({}), "non-array args")
    assert.deepStrictEqual(said(["x", ["Y"]]), ["x", ["y"]])
    // the error is about the argument that the caller wrote
    assert.strictEqual(said(["X1"]), said(["x1"]))
    assert.match(String(said(["x", ["y", "Z1"]])), /^invalid argument 1: 1: /u)
  })

  it("never shows the value, and of names from outside no more than a line", () => {
    const table = Method.make("m", {
      params: [Method.param("table", Schema.Record(Schema.String, Schema.Number))],
      result: Schema.Null
    })
    const refused = JsonRpcServer.checkParams(table, [{ [`a\n\u0000b${"c".repeat(5000)}`]: "hunter2" }])
    assert(Result.isFailure(refused))
    assert.match(refused.failure.message, /^invalid argument 0: a bc{197}\.\.\.: Expected number$/)
  })

  it("does not follow names into prototypes", () => {
    for (const name of ["__proto__", "constructor", "toString"]) {
      assert.strictEqual(
        check(JSON.parse(`{"a":"x","${name}":{"b":"y"}}`)),
        "-32602 unknown parameter name, want a, b, c"
      )
    }
    assert.deepStrictEqual(check(Object.create({ a: "inherited" })), "-32602 missing value for required argument 0")
  })

  it("gives parameters that it accepts as they are", () => {
    for (const params of [["x"], ["x", null], ["x", "y", { list: ["z"] }], { c: { list: ["q"] }, a: "x" }]) {
      const once = check(params)
      assert.deepStrictEqual(check(once), once)
    }
  })
})

describe("JsonRpcServer", () => {
  it("asks for each handler, with its parameters and result", () => {
    const group = MethodGroup.make(method, Method.make("n", { params: [], result: Schema.NumberFromString }))
    expectTypeOf<Parameters<JsonRpcServer.Handlers<typeof group, never>["m"]>>().toEqualTypeOf<
      [
        argument: string,
        argument?: string | null | undefined,
        argument?: { readonly list: ReadonlyArray<string> } | undefined
      ]
    >()
    expectTypeOf<ReturnType<JsonRpcServer.Handlers<typeof group, never>["n"]>>().toEqualTypeOf<
      Effect.Effect<number, ErrorObject.ErrorObject>
    >()
    // @ts-expect-error: there is no handler of n
    JsonRpcServer.make(group, { m: () => Effect.succeed(null) })
    // @ts-expect-error: the result of n is a number
    JsonRpcServer.make(group, { m: () => Effect.succeed(null), n: () => Effect.succeed("1") })
    expectTypeOf<Effect.Effect<never, string>>().not.toExtend<
      ReturnType<JsonRpcServer.Handlers<typeof group, never>["n"]>
    >()
  })

  it("needs what its handlers and its hook need", () => {
    class A extends Context.Service<A, number>()("test/A") {}
    class B extends Context.Service<B, number>()("test/B") {}
    class C extends Context.Service<C, number>()("test/C") {}
    const n = Method.make("n", { params: [], result: Schema.Number })
    const o = Method.make("o", { params: [], result: Schema.Number })
    const server = JsonRpcServer.make(
      MethodGroup.make(n, o),
      { n: () => Effect.service(A), o: () => Effect.service(B) },
      { onDefect: () => Effect.asVoid(Effect.service(C)) }
    )
    expectTypeOf(server).toEqualTypeOf<Dispatcher.Dispatcher<A | B | C>>()
    expectTypeOf(Contract.makeServer()).toEqualTypeOf<Dispatcher.Dispatcher<never>>()
  })

  it.effect("encodes results with their schema", () =>
    Effect.gen(function* () {
      const group = MethodGroup.make(Method.make("n", { params: [], result: Schema.NumberFromString }))
      const { handle } = JsonRpcServer.make(group, { n: () => Effect.succeed(7) })
      const answer = yield* handle('{"jsonrpc":"2.0","id":1,"method":"n"}')
      assert.strictEqual(new TextDecoder().decode(answer), '{"jsonrpc":"2.0","id":1,"result":"7"}')
    })
  )

  it.effect("tells the hook which result is wrong and where, without the value", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const { handle } = Contract.makeServer({
        onDefect: (cause, call) => Effect.sync(() => void told.push(call.method, String(cause)))
      })
      yield* handle('{"jsonrpc":"2.0","id":1,"method":"bad_result"}')
      assert.strictEqual(told[0], "bad_result")
      assert.include(told[1], "bad_result")
    })
  )
})
