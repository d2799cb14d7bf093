import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"

import * as DataFolder from "../../src/home/DataFolder.ts"

it.effect("the data folder comes from the variables, else from the home, and a user can be without a home", () =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    const of = (plumbline: string | undefined, xdg: string | undefined, home: string | undefined) =>
      DataFolder.usualOf(path, { plumbline: Option.fromUndefinedOr(plumbline), xdg: Option.fromUndefinedOr(xdg) }, home)
    assert.strictEqual(of("/data", "/xdg", "/users/a"), "/data")
    assert.strictEqual(of(undefined, "/xdg", "/users/a"), "/xdg/plumbline")
    assert.strictEqual(of(undefined, "xdg", "/users/a"), "/users/a/.local/share/plumbline")
    assert.strictEqual(of("/data", undefined, undefined), "/data")
    assert.isUndefined(of(undefined, "xdg", undefined))
  }).pipe(Effect.provide(NodeServices.layer))
)
