/**
 * Compares the hand-written conversions with Effect's interpreter, which runs Schemas of the same shapes without these
 * conversions.
 */
import { assert, describe, it } from "@effect/vitest"
import { Hash32, Quantity, WireObject } from "@plumbline/codec"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

import { Random, runs } from "../support/generators.ts"

/** A value described twice, by this module and for the interpreter, with a function that makes its wire form. */
interface Shape {
  readonly wire: WireObject.Wire<any>
  readonly schema: Schema.Codec<any, any>
  readonly make: (random: Random) => unknown
}

const quantity: WireObject.Wire<typeof Quantity.Quantity> = {
  schema: Quantity.Quantity,
  decode: (value) => (typeof value === "string" ? Quantity.fromHexUnsafe(value) : WireObject.fail()),
  encode: (value) => (typeof value === "bigint" ? Quantity.toHex(value) : WireObject.fail())
}

const hash = `0x${"aB".repeat(32)}`

const leaves: ReadonlyArray<Shape> = [
  { wire: quantity, schema: Quantity.Quantity, make: (random) => Quantity.toHex(random.quantity()) },
  { wire: WireObject.kept(Hash32.Hash32, Hash32.isHash32), schema: Hash32.Hash32, make: () => hash },
  { wire: WireObject.string, schema: Schema.String, make: (random) => random.pick(["", "a", "0x1", "L1"]) },
  { wire: WireObject.number, schema: Schema.Finite, make: (random) => random.pick([0, -1, 0.5, 2 ** 53]) },
  { wire: WireObject.boolean, schema: Schema.Boolean, make: (random) => random.pick([true, false]) },
  {
    wire: WireObject.literals("L1", "L2"),
    schema: Schema.Literals(["L1", "L2"]),
    make: (random) => random.pick(["L1", "L2"])
  }
]

/** A field that may be missing or null. Both mean the same. */
const missable = (schema: Schema.Codec<any, any>): Schema.Codec<any, any> =>
  Schema.optionalKey(Schema.NullOr(schema)).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional((found: Option.Option<unknown>) =>
        Option.filter(found, (value) => value !== null)
      ),
      encode: SchemaGetter.passthrough()
    })
  ) as never

const missableWire = ({ decode, encode, schema }: WireObject.Wire<any>): WireObject.Wire<Schema.Codec<any, any>> => ({
  schema: missable(schema),
  decode: (value) => (value === null ? WireObject.MISSING : decode(value)),
  encode,
  optional: true
})

const MISSING = Symbol("missing")

/** Returns the shape of a field. If the field may be missing, `make` can return `MISSING`. */
const fieldOf = (random: Random, depth: number): Shape => {
  const { make, schema, wire } = shapeOf(random, depth)
  const orMissing = (random: Random) => (random.below(3) === 0 ? MISSING : make(random))
  switch (random.below(4)) {
    case 0:
      return { wire: WireObject.optional(wire), schema: Schema.optionalKey(schema) as never, make: orMissing }
    case 1:
      return {
        wire: missableWire(wire),
        schema: missable(schema),
        make: (random) => (random.below(3) === 0 ? null : orMissing(random))
      }
    default:
      return { make, schema, wire }
  }
}

/** Names out of alphabetical order. */
const NAMES = ["zeta", "alpha", "omega", "beta"]

const shapeOf = (random: Random, depth: number): Shape => {
  if (depth === 0) return random.pick(leaves)
  const kind = random.below(5)
  if (kind === 0) return random.pick(leaves)
  if (kind === 1) {
    const { make, schema, wire } = shapeOf(random, depth - 1)
    return {
      wire: WireObject.array(wire),
      schema: Schema.Array(schema),
      make: (random) => Array.from({ length: random.below(4) }, () => make(random))
    }
  }
  if (kind === 2) {
    const { make, schema, wire } = shapeOf(random, depth - 1)
    return {
      wire: WireObject.nullOr(wire),
      schema: Schema.NullOr(schema),
      make: (random) => (random.below(3) === 0 ? null : make(random))
    }
  }
  return objectOf(random, depth - 1, kind === 3)
}

const objectOf = (random: Random, depth: number, open: boolean): Shape => {
  const names = NAMES.filter(() => random.below(2) === 0)
  // At least one field, because Struct without fields accepts any value except null, and returns it unchanged.
  if (names.length === 0 && !open) names.push("alpha")
  const fields = names.map((name) => [name, fieldOf(random, depth)] as const)
  const wires = Object.fromEntries(fields.map(([name, { wire }]) => [name, wire]))
  const struct = Schema.Struct(Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])))
  return {
    wire: (open ? WireObject.object : WireObject.struct)("It", wires),
    schema: open
      ? Schema.StructWithRest(struct, [Schema.Record(Schema.String, Schema.Unknown)]).annotate({ identifier: "It" })
      : struct.annotate({ identifier: "It" }),
    make: (random) => {
      const made = fields.map(([name, { make }]) => [name, make(random)] as const)
      if (random.below(2) === 0) made.splice(random.below(made.length + 1), 0, ["more", { deep: [null] }])
      return Object.fromEntries(made.filter(([, value]) => value !== MISSING))
    }
  }
}

const edges: ReadonlyArray<unknown> = [
  [null, undefined, true, 0, -0, NaN, 1n, -1n, "", "0x", "0x1", "0x01", "L1", hash, `${hash}0`],
  [[], [null], ["0x1"], [1n], {}, { zeta: "0x1" }, { alpha: null, beta: undefined }, new Date(0), () => 0]
].flat()

/** Returns the value with one change: a different value at one place, or one field added or removed. */
const changed = (random: Random, value: unknown): unknown => {
  if (random.below(3) === 0 || typeof value !== "object" || value === null) return random.pick(edges)
  if (Array.isArray(value)) {
    const at = random.below(value.length + 1)
    return [...value.slice(0, at), changed(random, value[at]), ...value.slice(at + 1)]
  }
  const name = random.pick([...NAMES, "more", "constructor", "__proto__"])
  const copy: Record<string, unknown> = { ...value }
  if (random.below(4) === 0) delete copy[name]
  else {
    const inside = changed(random, copy[name])
    Object.defineProperty(copy, name, { value: inside, enumerable: true, configurable: true, writable: true })
  }
  return copy
}

/** Returns the outcome of a Schema: the decoded value, or the fault. */
const said = (outcome: Result.Result<unknown, Schema.SchemaError>): unknown =>
  Result.isSuccess(outcome) ? { becomes: outcome.success } : outcome.failure.message

describe("shapes at random", () => {
  it("decode and encode as the interpreter does, and say the same of what is wrong", () => {
    const random = new Random(15)
    const seen = { taken: 0, refused: 0 }
    for (let shape = 0; shape < runs(60); shape++) {
      const { make, schema, wire } = objectOf(random, 3, random.below(3) > 0)
      const [decode, encode] = [Schema.decodeUnknownResult(wire.schema), Schema.encodeUnknownResult(wire.schema)]
      const theirs = { decode: Schema.decodeUnknownResult(schema), encode: Schema.encodeUnknownResult(schema) }
      for (let run = 0; run < 20; run++) {
        const valid = make(random)
        const wired = run % 2 === 0 ? valid : changed(random, valid)
        const decoded = theirs.decode(wired)
        assert.deepStrictEqual(said(decode(wired)), said(decoded))
        if (Result.isFailure(decoded)) {
          seen.refused++
          assert.deepStrictEqual(said(encode(wired)), said(theirs.encode(wired)))
          continue
        }
        seen.taken++
        for (const value of [decoded.success, changed(random, decoded.success)]) {
          assert.deepStrictEqual(said(encode(value)), said(theirs.encode(value)))
        }
      }
    }
    assert.isAbove(Math.min(seen.taken, seen.refused), runs(60))
  })

  it("are converted by hand if the Schema takes them, and are refused otherwise", () => {
    const random = new Random(16)
    for (let shape = 0; shape < runs(60); shape++) {
      const { make, schema, wire } = objectOf(random, 2, true)
      const decode = Schema.decodeUnknownResult(schema)
      for (let run = 0; run < 10; run++) {
        const valid = make(random)
        assert.deepStrictEqual(wire.decode(valid), Result.getOrThrow(decode(valid)))
        const other = changed(random, valid)
        if (Result.isFailure(decode(other))) assert.throws(() => wire.decode(other))
      }
    }
  })
})

describe("object", () => {
  const event = WireObject.object("Event", { from: WireObject.string, at: quantity, gone: missableWire(quantity) })
  const decode = Schema.decodeUnknownSync(event.schema)

  it("keeps other fields and the order of all, both ways", () => {
    const sent = { later: { deep: [1] }, at: "0x7", more: null, from: "0x1" }
    const decoded = decode(sent)
    assert.deepStrictEqual(Object.entries(decoded), [
      ["later", { deep: [1] }],
      ["at", 7n],
      ["more", null],
      ["from", "0x1"]
    ])
    assert.strictEqual(JSON.stringify(Schema.encodeSync(event.schema)(decoded)), JSON.stringify(sent))
  })

  it("leaves out a field whose conversion returns MISSING", () => {
    assert.deepStrictEqual(Object.keys(decode({ gone: null, at: "0x7", from: "" })), ["at", "from"])
  })

  it("does not touch its input", () => {
    const sent = Object.freeze({ at: "0x7", from: "", gone: null })
    decode(sent)
    assert.deepStrictEqual(sent, { at: "0x7", from: "", gone: null })
  })

  it("decodes an object after others of the same fields as it decodes it alone", () => {
    const describe_ = () =>
      WireObject.object("Again", { at: quantity, gone: missableWire(quantity), from: WireObject.string })
    const inherited = Object.assign(Object.create({ at: "0x1" }) as object, { from: "a" })
    const sent: ReadonlyArray<unknown> = [
      { at: "0x1", from: "a", other: "b" },
      { at: "0x2", from: "b", other: 7 },
      { from: "b", at: "0x2", other: 7 },
      { at: "0x2", from: "b" },
      { at: "0x2", from: "b", other: 7, more: 8 },
      { at: "0x2", from: undefined, other: 7 },
      { at: undefined, from: "b", other: 7 },
      { at: "2", from: "b", other: 7 },
      { at: "0x2", gone: null, from: "b" },
      { at: "0x2", gone: "0x3", from: "b" },
      { at: "0x2", gone: undefined, from: "b" },
      inherited,
      JSON.parse('{"at":"0x1","from":"a","__proto__":{"polluted":true}}'),
      JSON.parse('{"at":"0x3","from":"c","__proto__":{"polluted":true}}'),
      { other: 1, from: "c" }
    ]
    const outcome = (wire: WireObject.Wire<any>, value: unknown) => {
      const result = Schema.decodeUnknownResult(wire.schema)(value)
      return Result.isSuccess(result) ? Object.entries(result.success as object) : String(result.failure)
    }
    for (const first of sent) {
      for (const second of sent) {
        const shared = describe_()
        outcome(shared, first)
        assert.deepStrictEqual(outcome(shared, second), outcome(describe_(), second))
        assert.deepStrictEqual(outcome(shared, first), outcome(describe_(), first))
      }
    }
  })

  it("reads no inherited field, be it that every object has it", () => {
    const wire = WireObject.object("Polluted", { at: quantity, from: missableWire(WireObject.string) })
    const decodePolluted = Schema.decodeUnknownSync(wire.schema)
    decodePolluted({ at: "0x1" })
    const prototype = Object.prototype as unknown as Record<string, unknown>
    try {
      prototype["from"] = "everywhere"
      assert.deepStrictEqual(Object.entries(decodePolluted({ at: "0x1" })), [["at", 1n]])
    } finally {
      delete prototype["from"]
    }
  })

  it("decodes by the copy that is given, and remembers no shape of many or long names", () => {
    let copies = 0
    const wire = WireObject.object("Copied", { at: quantity }, (value) => {
      copies++
      return { ...value }
    })
    const decodeCopied = Schema.decodeUnknownSync(wire.schema)
    const sent = { at: "0x1", ["n".repeat(65)]: 1 }
    for (let i = 0; i < 3; i++) assert.deepStrictEqual(decodeCopied(sent), { ...sent, at: 1n })
    assert.strictEqual(copies, 3)
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`n${i}`, i]))
    for (let i = 0; i < 3; i++) assert.deepStrictEqual(decodeCopied({ ...many, at: "0x1" }), { ...many, at: 1n })
    assert.deepStrictEqual(Schema.encodeSync(wire.schema)({ at: 1n }), { at: "0x1" })
  })

  it("gives no answer another prototype", () => {
    const decoded = decode(JSON.parse('{"__proto__":{"polluted":true},"at":"0x7","from":""}'))
    assert.strictEqual(Object.getPrototypeOf(decoded), Object.prototype)
    assert.isFalse("polluted" in decoded)
    assert.include(Object.keys(decoded), "__proto__")
  })

  it.effect("can be generated, and what is generated survives the round trip", () =>
    Effect.gen(function* () {
      const check = yield* Arbitrary.checkEffect(
        Arbitrary.schema(event.schema),
        (value) =>
          Effect.sync(() => {
            const wire: unknown = Schema.encodeSync(event.schema)(value)
            assert.deepStrictEqual(Schema.encodeSync(event.schema)(decode(wire)), wire)
            return true
          }),
        { runs: runs(50) }
      )
      assert.strictEqual(check._tag, "Passed", Arbitrary.formatCheckFailure(check))
    })
  )

  it("tells JSON Schema its wire form", () => {
    const { definitions } = Schema.toJsonSchemaDocument(event.schema)
    assert.deepStrictEqual(definitions["Event"]?.["required"], ["from", "at"])
  })
})

describe("struct", () => {
  it("drops other fields, and orders those that it has", () => {
    const point = WireObject.struct("Point", { x: quantity, y: missableWire(quantity) })
    const decode = Schema.decodeUnknownSync(point.schema)
    assert.deepStrictEqual(Object.entries(decode({ z: 1, y: "0x2", x: "0x1" })), [
      ["x", 1n],
      ["y", 2n]
    ])
    assert.deepStrictEqual<unknown>(decode({ x: "0x1", y: null }), { x: 1n })
  })
})

describe("objectIf", () => {
  const isOpen = (value: unknown) => typeof value === "object" && value !== null && !Object.hasOwn(value, "hash")
  const open = WireObject.objectIf("Open", { at: quantity }, isOpen, "no hash")
  const interpreted = Schema.StructWithRest(Schema.Struct({ at: Quantity.Quantity }), [
    Schema.Record(Schema.String, Schema.Unknown)
  ])
    .annotate({ identifier: "Open" })
    .check(Schema.makeFilter(isOpen, { expected: "no hash" }))
    .annotate({ identifier: "Open" })

  it("takes what the interpreter takes, and says the same of what is wrong", () => {
    for (const value of [{ at: "0x1" }, { at: "0x1", hash }, { at: 1 }, { hash }, null, [], { at: "0x1", more: 1 }]) {
      assert.deepStrictEqual(
        said(Schema.decodeUnknownResult(open.schema)(value)),
        said(Schema.decodeUnknownResult(interpreted)(value))
      )
    }
    for (const value of [{ at: 1n }, { at: 1n, hash }, { at: "0x1" }, null]) {
      assert.deepStrictEqual(
        said(Schema.encodeUnknownResult(open.schema)(value)),
        said(Schema.encodeUnknownResult(interpreted)(value))
      )
    }
  })
})

describe("oneOf", () => {
  const on = WireObject.object("On", { state: WireObject.literals("on"), since: quantity })
  const off = WireObject.object("Off", { state: WireObject.literals("off") })
  const lamp = WireObject.oneOf(Schema.Union([on.schema, off.schema]), (value) => (value?.state === "on" ? on : off))

  it("takes both forms, each way", () => {
    for (const [wire, domain] of [
      [
        { state: "on", since: "0x7" },
        { state: "on", since: 7n }
      ],
      [{ state: "off" }, { state: "off" }]
    ]) {
      assert.deepStrictEqual(Schema.decodeUnknownSync(lamp.schema)(wire), domain)
      assert.deepStrictEqual(Schema.encodeUnknownSync(lamp.schema)(domain), wire)
    }
  })

  it("says what is wrong with the form that was chosen", () => {
    for (const value of [{ state: "on" }, { state: "on", since: 7 }, { state: "dim" }, null, "on"]) {
      const chosen = (value as { readonly state?: unknown } | null)?.state === "on" ? on : off
      assert.deepStrictEqual(
        said(Schema.decodeUnknownResult(lamp.schema)(value)),
        said(Schema.decodeUnknownResult<Schema.Codec<unknown>>(chosen.schema)(value))
      )
    }
  })
})

describe("bySchema", () => {
  const plain = WireObject.bySchema(Schema.Struct({ x: Schema.FiniteFromString }))
  const text = WireObject.string
  const either = WireObject.oneOf(Schema.Union([text.schema, plain.schema]), (value) =>
    typeof value === "string" ? text : plain
  )

  it("makes a plain Schema a form of others, each way, with its own faults", () => {
    assert.deepStrictEqual(Schema.decodeUnknownSync(either.schema)({ x: "1" }), { x: 1 })
    assert.deepStrictEqual(Schema.encodeUnknownSync(either.schema)({ x: 1 }), { x: "1" })
    assert.strictEqual(Schema.decodeUnknownSync(either.schema)("1"), "1")
    assert.deepStrictEqual(
      said(Schema.decodeUnknownResult(either.schema)({ x: 1 })),
      said(Schema.decodeUnknownResult(plain.schema)({ x: 1 }))
    )
  })

  it("keeps its faults in an optional field of a wire object and of a plain Schema", () => {
    const optional = WireObject.optional(either)
    for (const schema of [
      WireObject.object("Around", { optional }).schema,
      WireObject.struct("Cut", { optional }).schema,
      Schema.Struct({ optional: optional.schema })
    ]) {
      assert.deepStrictEqual(Schema.decodeUnknownSync(schema)({}), {})
      assert.deepStrictEqual(Schema.encodeUnknownSync(schema)({}), {})
      assert.deepStrictEqual(Schema.decodeUnknownSync(schema)({ optional: { x: "1" } }), { optional: { x: 1 } })
      assert.deepStrictEqual(Schema.encodeUnknownSync(schema)({ optional: { x: 1 } }), { optional: { x: "1" } })
      const wrong = Schema.decodeUnknownResult(schema)({ optional: {} })
      assert.include(Result.isFailure(wrong) ? wrong.failure.message : "", 'Missing key\n  at ["optional"]["x"]')
    }
  })
})

describe("install", () => {
  it("leaves it to the object around to say that it lacks a field", () => {
    const inner = WireObject.object("Inner", {})
    const outer = Schema.decodeUnknownResult(WireObject.object("Outer", { inner }).schema)({})
    assert.strictEqual(Result.isFailure(outer) && outer.failure.message, 'Missing key\n  at ["inner"]')
  })

  it("shows the interpreter the part that is wrong, and no more", () => {
    const seen: Array<unknown> = []
    const interpreted = Schema.Array(Schema.Finite)
    const areNumbers = (value: unknown) => Array.isArray(value) && value.every((item) => Number.isFinite(item))
    const numbers = WireObject.install(
      WireObject.kept(Schema.Array(Schema.Finite), areNumbers),
      (value) => {
        seen.push(value)
        return interpreted
      },
      (value) => (Array.isArray(value) ? value.filter((item) => !Number.isFinite(item)).slice(0, 1) : value)
    )
    const decode = Schema.decodeUnknownResult(numbers.schema)
    assert.deepStrictEqual(decode([1, 2, 3]), Result.succeed([1, 2, 3]))
    assert.deepStrictEqual(seen, [])
    assert.deepStrictEqual(said(decode([1, 2, "x", 3, "y"])), said(Schema.decodeUnknownResult(interpreted)(["x"])))
    assert.deepStrictEqual(seen, [["x"]])
  })

  it("lets the interpreter convert what the conversion refuses without need", () => {
    const shy = WireObject.install(
      { schema: Schema.Struct({ at: Quantity.Quantity }), decode: WireObject.fail, encode: WireObject.fail },
      () => Schema.Struct({ at: Quantity.Quantity })
    )
    assert.deepStrictEqual(Schema.decodeUnknownSync(shy.schema)({ at: "0x7" }), { at: 7n })
    assert.deepStrictEqual(Schema.encodeSync(shy.schema)({ at: 7n }), { at: "0x7" })
  })
})

describe("of", () => {
  it("gives back the conversions of a Schema, and throws where none are installed", () => {
    const { decode, encode, schema } = WireObject.object("Empty", {})
    assert.deepStrictEqual(WireObject.of(schema), { decode, encode, schema })
    assert.throws(() => WireObject.of(Schema.String), "no wire Schema")
  })
})
