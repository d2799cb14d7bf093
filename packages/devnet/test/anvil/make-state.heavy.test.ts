import { readdirSync, readFileSync } from "node:fs"

import { assert, it } from "@effect/vitest"
import { Effect } from "effect"

import { play } from "../../scripts/chain.ts"
import { compile } from "../../scripts/compile.ts"
import { PreparedState } from "../../src/index.ts"
import "../support/shared.ts"

it.live("the sources still make the committed state, to the byte", () =>
  Effect.gen(function* () {
    const artifacts = compile()
    const { index, state } = yield* play(artifacts)
    assert.strictEqual(index.blocks.at(-1)?.hash, PreparedState.head.hash)
    const record = readFileSync(new URL("../../state/chain.json", import.meta.url), "utf8")
    assert.deepStrictEqual({ ...index }, JSON.parse(record))
    assert.isTrue(state === readFileSync(PreparedState.stateFile, "utf8").trimEnd(), "state/state.json is another")
    const layouts = new URL("../../state/layouts/", import.meta.url)
    assert.deepStrictEqual(readdirSync(layouts).sort(), [...artifacts.keys()].map((name) => `${name}.json`).sort())
    for (const { name, storageLayout } of artifacts.values()) {
      assert.deepStrictEqual(JSON.parse(readFileSync(new URL(`${name}.json`, layouts), "utf8")), storageLayout)
    }
  })
)
