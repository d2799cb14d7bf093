/**
 * Checks that each client package runs in a browser. It bundles the whole package, prints the size, and runs a smoke
 * program over the public interface in a realm without Node's globals. With `--chromium <path>`, it runs the program in
 * that browser instead, and also tests the light client's store in IndexedDB there.
 */
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { parseArgs } from "node:util"

import { bundle, NotForBrowsers } from "./bundle.ts"
import * as Chromium from "./chromium.ts"
import * as Realm from "./realm.ts"
import * as Store from "./store.ts"

const { chromium } = parseArgs({ options: { chromium: { type: "string" } } }).values

const packages = [
  "codec",
  "merkle-trie",
  "redaction",
  "jsonrpc-core",
  "eth-methods",
  "second-chain-methods",
  "storage-layout",
  "ipfs-client",
  "proof-bundle",
  "provider",
  "tamper",
  "beacon-light-client",
  "verified-calls",
  "ens",
  "contracts",
  "op-stack"
]
const smoke = path.join(import.meta.dirname, "smoke")

let failed = false
for (const name of packages) {
  try {
    const whole = await bundle(`export * from "@plumbline/${name}"`, smoke)
    const program = await bundle(readFileSync(path.join(smoke, `${name}.ts`), "utf8"), smoke, "smoke")
    const task: Realm.Task = { code: program.code, name: "smoke", entry: "run" }
    const report = await (chromium === undefined ? Realm.run(task) : Chromium.run(chromium, task))
    const size = `${(whole.min / 1000).toFixed(1)} kB minified, ${(whole.gzip / 1000).toFixed(1)} kB gzip, with effect`
    if (report._tag === "Done") console.log(`ok    ${name}: ${size}; ${report.said}`)
    else {
      failed = true
      console.log(`FAIL  ${name}: ${report.why}`)
    }
  } catch (error) {
    if (!(error instanceof NotForBrowsers)) throw error
    failed = true
    console.log(`FAIL  ${name}: ${error.message}`)
  }
}
if (chromium !== undefined) {
  try {
    console.log(`ok    the light client's store: ${await Store.check(chromium)}`)
  } catch (error) {
    failed = true
    console.log(`FAIL  the light client's store: ${String(error)}`)
  }
}
process.exitCode = failed ? 1 : 0
