import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Method, MethodGroup } from "@plumbline/jsonrpc-core"
import { Schema } from "effect"

const a = Method.make("a", { params: [], result: Schema.String })
const b = Method.make("b", {
  params: [Method.param("x", Schema.Number), Method.param("y", Schema.NumberFromString, { optional: true })],
  result: Schema.NullOr(Schema.String),
  doc: "A method.",
  cost: 80,
  verification: "proven",
  cache: "block"
})

describe("Method", () => {
  it("is careful where nothing is said", () => {
    assert.deepStrictEqual(
      { doc: a.doc, cost: a.cost, verification: a.verification, cache: a.cache },
      { doc: "", cost: 1, verification: "claimed", cache: "none" }
    )
    assert.deepStrictEqual(
      { doc: b.doc, cost: b.cost, verification: b.verification, cache: b.cache },
      { doc: "A method.", cost: 80, verification: "proven", cache: "block" }
    )
  })

  it("knows its arguments and its result", () => {
    expectTypeOf<Method.Args<typeof a>>().toEqualTypeOf<[]>()
    expectTypeOf<Method.Args<typeof b>>().toEqualTypeOf<[argument: number, argument?: number | undefined]>()
    expectTypeOf<Method.Result<typeof b>>().toEqualTypeOf<string | null>()
    expectTypeOf(b.name).toEqualTypeOf<"b">()
    expectTypeOf(b.params[1].name).toEqualTypeOf<"y">()
    assert.deepStrictEqual(
      b.params.map(({ name, optional }) => [name, optional]),
      [
        ["x", false],
        ["y", true]
      ]
    )
  })
})

describe("MethodGroup", () => {
  it("finds its methods and nothing else", () => {
    const group = MethodGroup.make(a, b)
    expectTypeOf(group.methods.b).toEqualTypeOf<typeof b>()
    assert.strictEqual(group.get("a"), a)
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "c", ""]) {
      assert.isUndefined(group.get(name))
      assert.isFalse(name in group.methods)
    }
    assert.deepStrictEqual(Object.keys(group.methods), ["a", "b"])
  })

  it("takes any name", () => {
    const proto = Method.make("__proto__", { params: [], result: Schema.String })
    const group = MethodGroup.make(proto)
    assert.strictEqual(group.get("__proto__"), proto)
    assert.deepStrictEqual(Object.keys(group.methods), ["__proto__"])
  })

  it("merges, and refuses two methods of one name", () => {
    const group = MethodGroup.merge(MethodGroup.make(a), MethodGroup.make(a, b))
    expectTypeOf(group.methods.a).toEqualTypeOf<typeof a>()
    expectTypeOf(group.methods.b).toEqualTypeOf<typeof b>()
    assert.deepStrictEqual(Object.keys(group.methods), ["a", "b"])
    assert.throws(() => MethodGroup.make(a, { ...a }), /two different methods are called a/)
  })
})
