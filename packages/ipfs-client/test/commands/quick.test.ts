/** Compares quick decoders with their Schemas: both return the same value, or the quick decoder returns none. */
import { assert, describe, it } from "@effect/vitest"
import { type Command, IpfsApi } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Result, SchemaParser } from "effect"

const V0 = "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD"
const V1 = "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"

const link = { Name: "a", Hash: V1, Size: 3, Type: 2, Target: "" }

/** Lines as nodes send them, by command. Quick decoders read the `usual` lines without the Schema. */
const lines: Readonly<Record<string, readonly [usual: ReadonlyArray<unknown>, others: ReadonlyArray<unknown>]>> = {
  add: [
    [
      { Name: "a", Hash: V0, Size: "19" },
      { Name: "", Hash: V1, Size: 19 },
      { Name: "a", Bytes: 262_144 }
    ],
    [{ Name: "a", Hash: V0, Size: "19", Mode: "0644", Mtime: 5, MtimeNsecs: 7 }, { Name: "a" }]
  ],
  "block/put": [[{ Key: V1, Size: 5 }], [{ Key: V1 }]],
  "dag/put": [[{ Cid: { "/": V1 } }], [{ Cid: V1 }]],
  "dag/import": [
    [{ Root: { Cid: { "/": V0 }, PinErrorMsg: "" } }],
    [{ Stats: { BlockCount: 2, BlockBytesCount: "9" } }, { Root: { Cid: { "/": V0 }, PinErrorMsg: "" }, Stats: {} }]
  ],
  ls: [
    [
      { Objects: [{ Hash: V0, Links: [link, { Name: "b", Hash: V0, Size: "0", Type: 1 }] }] },
      { Objects: [{ Hash: V0, Links: [{ ...link, Mode: 0, ModTime: "0001-01-01T00:00:00Z" }] }] },
      { Objects: [] }
    ],
    [
      { Objects: null },
      { Objects: [{ Hash: V0, Links: null }] },
      { Objects: [{ Hash: V0, Links: [{ ...link, Mode: 420 }] }] },
      { Objects: [{ Hash: V0, Links: [{ ...link, ModTime: "2026-11-28T15:11:34.5Z" }] }] }
    ]
  ],
  "pin/add": [
    [{ Pins: [V0, V1] }, { Pins: [] }],
    [{ Progress: 5, Bytes: 9 }, { Pins: null }]
  ],
  "pin/ls": [
    [
      { Cid: V0, Type: "recursive" },
      { Cid: V1, Type: "direct", Name: "n" }
    ],
    [{ Cid: V0, Type: `indirect through ${V1}` }, { Keys: { [V0]: { Type: "direct" } } }, {}]
  ]
}

const commands = Object.values<Command.AnyCommand>(IpfsApi.commands).filter(({ answer }) => answer.kind === "lines")

/** Values that replace a line or a member of a line. */
const STRANGE = [null, true, -1, 1.5, 2 ** 53, "", "12", "x", V0.slice(1), `${V0}1`, V1.slice(0, -1), {}, [], [V0], -0]

const NAMES = ["Name", "Hash", "Size", "Bytes", "Mode", "Type", "Cid", "Pins", "Root", "Stats", "Keys", "/", "Links"]

/** Returns the value with one member changed, removed or added. */
const changed = (random: Random.Random, value: unknown): unknown => {
  if (typeof value !== "object" || value === null || random() < 0.2) return Random.pick(random, STRANGE)
  if (Array.isArray(value)) {
    return value.length === 0 ? [Random.pick(random, STRANGE)] : value.with(0, changed(random, value[0]))
  }
  const name = Random.pick(random, [...Object.keys(value), Random.pick(random, NAMES)])
  const { [name]: member, ...rest } = value as Record<string, unknown>
  const choice = random()
  return choice < 0.3
    ? rest
    : { ...rest, [name]: choice < 0.5 ? Random.pick(random, STRANGE) : changed(random, member) }
}

describe("the quick decoder of a line", () => {
  it("is there for each command that answers in lines, except those that programs rarely read", () => {
    const rare = ["block/rm", "cid/base32", "cid/format", "dag/stat", "pin/verify", "refs", "refs/local"]
    assert.deepStrictEqual(commands.map(({ name }) => name).sort(), [...Object.keys(lines), ...rare].sort())
  })

  for (const { answer, name } of commands) {
    if (answer.kind !== "lines" || answer.quick === undefined) continue
    const [usual, others] = lines[name]!
    const decode = SchemaParser.decodeUnknownResult(answer.schema)

    it(`of ${name} gives what the Schema gives, of the usual forms and of what is near them`, () => {
      for (const value of usual) {
        assert.deepStrictEqual(answer.quick?.(value), Result.getOrThrow(decode(value)))
        assert.isDefined(answer.quick?.(value))
      }
      const random = Random.make(13)
      const all = [...usual, ...others]
      for (let run = 0; run < 3000; run++) {
        let value = Random.pick(random, all)
        for (let i = Random.int(random, 3); i >= 0; i--) value = changed(random, value)
        const quick = answer.quick?.(value)
        if (quick === undefined) continue
        assert.deepStrictEqual(Result.getOrUndefined(decode(value)), quick, JSON.stringify(value))
      }
    })
  }
})
