/**
 * Makes the prepared state: compiles contracts/*.sol, plays the story of story.ts on an empty anvil, and writes
 *
 * - state/state.json, which anvil loads, with the state after every block (`--preserve-historical-states`);
 * - state/layouts/*.json, the storage layouts of the contracts;
 * - state/chain.json, the data behind the module PreparedState. Its keys are PUBLIC TEST KEYS.
 *
 * Two runs write the same bytes: keys, nonces, fees, gas and timestamps are fixed, signatures are deterministic (RFC
 * 6979), the compiler leaves its metadata out, and anvil's prevrandao is the same after each start. A test makes the
 * chain again and compares. New versions of anvil or solc may change the hashes; then run this again and review the
 * changes.
 *
 * There are no blob transactions: anvil 1.7.1 hashes a blob transaction of a block with its sidecar, which gives a
 * wrong transactionsRoot.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import { Effect } from "effect"

import * as Chain from "./chain.ts"
import { compile } from "./compile.ts"

const root = path.resolve(import.meta.dirname, "..")
const artifacts = compile()
const { index, state } = await Effect.runPromise(Chain.play(artifacts))

const layouts = path.join(root, "state/layouts")
rmSync(layouts, { recursive: true, force: true })
mkdirSync(layouts, { recursive: true })
for (const { name, storageLayout } of artifacts.values()) {
  writeFileSync(path.join(layouts, `${name}.json`), `${JSON.stringify(storageLayout, null, 2)}\n`)
}
writeFileSync(path.join(root, "state/state.json"), `${state}\n`)

const data = path.join(root, "state/chain.json")
writeFileSync(data, `${JSON.stringify(index)}\n`)
execFileSync(path.resolve(root, "../../node_modules/.bin/oxfmt"), [data, layouts], { stdio: "inherit" })

const { blocks } = index
console.log(`${blocks.length} blocks, head ${blocks.at(-1)?.hash}, ${Math.round(state.length / 1000)} kB of state`)
