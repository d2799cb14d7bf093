/** What every store of projects must do; run over each of them. */
import { assert, describe, it } from "@effect/vitest"
import { ApiKeys, type ApiKeysError, Project } from "@plumbline/gateway"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"

export interface Issued {
  readonly key: string
  readonly secret: string
  readonly project: Project.Project
}

export const issue = (id: string): Issued => {
  const { key, secret } = ApiKeys.generate()
  return {
    key: Redacted.value(key),
    secret: Redacted.value(secret),
    project: Project.make({ id, name: `project ${id}`, key, secret })
  }
}

/** `make` gives an empty store each time. */
export const suite = (
  name: string,
  make: Effect.Effect<Layer.Layer<ApiKeys.ApiKeys, ApiKeysError.ApiKeysError>, never, Scope.Scope>
) => {
  const store = Effect.flatMap(make, Layer.build).pipe(Effect.map((context) => Context.get(context, ApiKeys.ApiKeys)))

  describe(`ApiKeys ${name}`, () => {
    it.live("finds a project by its key, and none by any other", () =>
      Effect.gen(function* () {
        const keys = yield* store
        const [a, b] = [issue("a"), issue("b")]
        assert.isUndefined(yield* keys.lookup(a.key))
        yield* keys.save(a.project)
        yield* keys.save(b.project)
        assert.deepStrictEqual(yield* keys.lookup(a.key), a.project)
        assert.deepStrictEqual(yield* keys.lookup(b.key), b.project)
        for (const wrong of ["", a.secret, a.key.toUpperCase(), a.key.slice(1), `${a.key}0`, a.project.keyHash]) {
          assert.isUndefined(yield* keys.lookup(wrong))
        }
      }).pipe(Effect.scoped)
    )

    it.live("replaces a project, with its key", () =>
      Effect.gen(function* () {
        const keys = yield* store
        const [before, after] = [issue("a"), issue("a")]
        yield* keys.save(before.project)
        yield* keys.save(after.project)
        assert.isUndefined(yield* keys.lookup(before.key))
        assert.deepStrictEqual(yield* keys.lookup(after.key), after.project)
        assert.deepStrictEqual(yield* keys.list, [after.project])
      }).pipe(Effect.scoped)
    )

    it.live("removes a project, and does nothing for one that is not there", () =>
      Effect.gen(function* () {
        const keys = yield* store
        const [a, b] = [issue("a"), issue("b")]
        yield* keys.save(a.project)
        yield* keys.save(b.project)
        yield* keys.remove("a")
        yield* keys.remove("nobody")
        assert.isUndefined(yield* keys.lookup(a.key))
        assert.deepStrictEqual(yield* keys.list, [b.project])
      }).pipe(Effect.scoped)
    )

    it.live("does not give one key to two projects", () =>
      Effect.gen(function* () {
        const keys = yield* store
        const a = issue("a")
        yield* keys.save(a.project)
        const error = yield* Effect.flip(keys.save({ ...a.project, id: "b" }))
        assert.deepStrictEqual<unknown>(error.reason, { _tag: "Taken", id: "a" })
        assert.deepStrictEqual(yield* keys.list, [a.project])
      }).pipe(Effect.scoped)
    )

    it.live("loses none of many changes at once", () =>
      Effect.gen(function* () {
        const keys = yield* store
        const all = Array.from({ length: 20 }, (_, index) => issue(String(index)))
        yield* Effect.forEach(all, ({ project }) => keys.save(project), { concurrency: "unbounded" })
        const found = yield* Effect.forEach(all, ({ key }) => keys.lookup(key))
        assert.deepStrictEqual(
          found,
          all.map(({ project }) => project)
        )
      }).pipe(Effect.scoped)
    )
  })
}
