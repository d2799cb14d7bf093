import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { ApiKeys, Project } from "@plumbline/gateway"
import { Context, Effect, Layer, Redacted } from "effect"

import { issue, suite } from "./ApiKeysSuite.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(path.join(os.tmpdir(), "plumbline-keys-"))),
  (folder) => Effect.promise(() => fs.rm(folder, { recursive: true, force: true }))
)

suite("in memory", Effect.succeed(ApiKeys.layerMemory()))
suite(
  "in a file",
  Effect.map(folder, (folder) => ApiKeys.layerFile(path.join(folder, "projects.json")))
)

const open = (file: string) =>
  Effect.map(Layer.build(ApiKeys.layerFile(file)), (context) => Context.get(context, ApiKeys.ApiKeys))

describe("generated keys", () => {
  it("have 128 bits in 32 lower-case digits, never twice, and do not print", () => {
    const issued = Array.from({ length: 100 }, () => ApiKeys.generate())
    const texts = issued.flatMap(({ key, secret }) => [Redacted.value(key), Redacted.value(secret)])
    for (const text of texts) assert.match(text, /^[0-9a-f]{32}$/u)
    assert.strictEqual(new Set(texts).size, 200)
    assert.strictEqual(JSON.stringify(issued[0]), '{"key":"<redacted>","secret":"<redacted>"}')
  })

  it("leave a project that cannot be turned back into them", () => {
    const { key, project, secret } = issue("a")
    const text = JSON.stringify(project)
    assert.notInclude(text, key)
    assert.notInclude(text, secret)
    assert.strictEqual(project.keyStart, key.slice(0, 4))
  })

  it("are looked up by SHA-256", () => {
    // FIPS 180-2, appendix B.1.
    assert.strictEqual(Project.digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  })
})

describe("projects in a file", () => {
  it.live("are there after a restart, without keys and for their owner only", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "projects.json")
      const { key, project, secret } = issue("a")
      yield* Effect.scoped(Effect.flatMap(open(file), (keys) => keys.save(project)))
      assert.deepStrictEqual(yield* Effect.flatMap(open(file), (keys) => keys.lookup(key)), project)
      const text = yield* Effect.promise(() => fs.readFile(file, "utf8"))
      assert.notInclude(text, key)
      assert.notInclude(text, secret)
      const { mode } = yield* Effect.promise(() => fs.stat(file))
      assert.strictEqual(mode & 0o777, 0o600)
      assert.deepStrictEqual(yield* Effect.promise(() => fs.readdir(path.dirname(file))), ["projects.json"])
    }).pipe(Effect.scoped)
  )

  it.live("that were written before there were cards have none", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "projects.json")
      const { key, project } = issue("a")
      yield* Effect.scoped(Effect.flatMap(open(file), (keys) => keys.save({ ...project, card: true })))
      assert.isTrue((yield* Effect.flatMap(open(file), (keys) => keys.lookup(key)))?.card)
      const text = yield* Effect.promise(() => fs.readFile(file, "utf8"))
      assert.include(text, ',"card":true')
      yield* Effect.promise(() => fs.writeFile(file, text.replace(',"card":true', "")))
      assert.deepStrictEqual(yield* Effect.flatMap(open(file), (keys) => keys.lookup(key)), project)
    }).pipe(Effect.scoped)
  )

  it.live("that are damaged stop the service, and stay as they are", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "projects.json")
      yield* Effect.scoped(Effect.flatMap(open(file), (keys) => keys.save(issue("a").project)))
      const good = yield* Effect.promise(() => fs.readFile(file, "utf8"))
      const damaged = [
        "",
        "null",
        "[]",
        good.slice(0, -1),
        good.slice(0, good.length / 2),
        good.replace('"version":1', '"version":2'),
        good.replace('"secretRequired":false', '"secretRequired":0'),
        good.replace(/"keyHash":"../u, '"keyHash":"'),
        good.replace('"id":"a"', '"id":""'),
        good.replace('"projects":', '"project":'),
        good.replace(/\[(.*)\]/u, "[$1,$1]")
      ]
      for (const text of damaged) {
        yield* Effect.promise(() => fs.writeFile(file, text))
        const error = yield* Effect.flip(Effect.scoped(open(file)))
        assert.strictEqual(error.reason._tag, "Damaged", text)
        assert.strictEqual(yield* Effect.promise(() => fs.readFile(file, "utf8")), text)
      }
    }).pipe(Effect.scoped)
  )

  it.live("that cannot be read or written are an error, and not an empty store", () =>
    Effect.gen(function* () {
      const here = yield* folder
      const unreadable = yield* Effect.flip(Effect.scoped(open(here)))
      assert.deepStrictEqual<unknown>(unreadable.reason, { _tag: "Unreadable", path: here, code: "EISDIR" })
      const nowhere = path.join(here, "no", "folder", "projects.json")
      const keys = yield* open(nowhere)
      const { key, project } = issue("a")
      const unwritable = yield* Effect.flip(keys.save(project))
      assert.deepStrictEqual<unknown>(unwritable.reason, { _tag: "Unwritable", path: nowhere, code: "ENOENT" })
      assert.strictEqual(unwritable.message, `${nowhere} cannot be written (ENOENT)`)
      // What is not on the disk is not there.
      assert.isUndefined(yield* keys.lookup(key))
    }).pipe(Effect.scoped)
  )
})
