import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

import { assert, it } from "@effect/vitest"

import "../support/shared.ts"

/** A program that opens the chain, calls it, and prints every module that was loaded. */
const PROGRAM = `
import { registerHooks } from "node:module"
const loaded = new Set()
registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context)
    loaded.add(found.url)
    return found
  }
})
const { Effect } = await import("effect")
const { History } = await import("@plumbline/devnet")
const node = await Effect.runPromise(History.make)
await Effect.runPromise(node.call("eth_getBlockByNumber", ["0x5", true]))
await Effect.runPromise(node.call("eth_getProof", ["0x${"00".repeat(20)}", ["0x0"], "earliest"]))
console.log(JSON.stringify([...loaded]))
`

it("the chain is served without what made it: no ethereumjs, no viem, no solc", () => {
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", PROGRAM], {
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
    encoding: "utf8"
  })
  const loaded: ReadonlyArray<string> = JSON.parse(output)
  assert.isTrue(loaded.includes(new URL("../../src/history/historyArchive.ts", import.meta.url).href))
  const packages = loaded
    .filter((url) => url.includes("/node_modules/"))
    .map((url) => url.split("/node_modules/").at(-1)!)
  assert.isTrue(packages.some((name) => name.startsWith("effect/")))
  for (const name of packages) assert.notMatch(name, /^(?:@ethereumjs|ethers|ox|solc|viem)\//u)
})
