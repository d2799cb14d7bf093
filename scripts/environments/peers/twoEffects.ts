/**
 * A program with two copies of Effect: its own, and one that a library brings. Our packages must use the program's
 * copy. Effects, results and streams of the other copy must work with them. A secret must not, because only the copy
 * that made a `Redacted` can open it. Schemas are left out, because their internals differ between releases of Effect.
 */
import { globSync } from "node:fs"
import * as path from "node:path"

import * as Place from "../place.ts"

/** The other copy. */
const OTHER = "4.0.5"

/** A library that has Effect as a dependency where it should be a peer. */
const LIBRARY = `import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
export const url = Redacted.make("https://node.example/v3/key")
export const wait = (value) => Effect.as(Effect.yieldNow, value)
export const around = (effect) => Effect.timeout(Effect.retry(effect, { times: 2 }), "5 seconds")
export const bytes = Stream.make(new TextEncoder().encode("hello world"))
export const success = Result.succeed(7)
export { Effect }
`

const PROGRAM = `import * as Other from "other"
import { EthClient } from "@plumbline/eth-methods"
import { Cid, FileCid } from "@plumbline/ipfs-client"
import { HttpTransport } from "@plumbline/jsonrpc-core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

if (Other.Effect === Effect) throw new Error("there is one Effect only")
const asked = []
const fetch = async (url, init) => {
  asked.push(String(url instanceof Request ? url.url : url))
  const { id } = JSON.parse(await new Request(url, init).text())
  return new Response(JSON.stringify({ jsonrpc: "2.0", id, result: "0x2a" }))
}
const eth = EthClient.layer().pipe(Layer.provide(HttpTransport.layer({ url: "https://node.example/v3/key", fetch })))
const read = EthClient.EthClient.use((eth) => eth.blockNumber)
const ours = await Effect.runPromise(Effect.provide(Effect.flatMap(Other.wait(1n), (one) => Effect.map(read, (n) => n + one)), eth))
if (ours !== 43n) throw new Error("the program's Effect read " + ours)
const theirs = await Other.Effect.runPromise(Other.around(Effect.provide(read, eth)))
if (theirs !== 42n) throw new Error("the other Effect read " + theirs)
if (asked.some((url) => url !== "https://node.example/v3/key")) throw new Error("asked " + asked)
// a copy of Effect keeps its secrets to itself: the other copy's are refused, and not shown
const secret = EthClient.layer().pipe(Layer.provide(HttpTransport.layer({ url: Other.url, fetch })))
const refused = await Effect.runPromise(Effect.provide(read, secret)).then(() => "", (error) => String(error.stack))
if (!refused.includes("redacted") || refused.includes("v3/key")) throw new Error("a secret of the other copy: " + refused)
const { cid } = await Effect.runPromise(FileCid.ofStream(Other.bytes))
if (Cid.toText(cid) !== "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD") throw new Error("a stream did not hash")
if ((await Effect.runPromise(Effect.fromResult(Other.success))) !== 7) throw new Error("a result")
console.log("mixed")
`

export const twoEffects: Place.Environment = {
  name: "two-effects",
  about: "two copies of Effect",
  isFast: true,
  run: async (place) => {
    await Place.begin(place)
    const manifest = {
      name: "other",
      version: "1.0.0",
      type: "module",
      main: "index.js",
      dependencies: { effect: OTHER }
    }
    Place.write(place, "other/package.json", JSON.stringify(manifest))
    Place.write(place, "other/index.js", LIBRARY)
    const packed = await Place.run(place, "npm", "pack", "./other", "--silent")
    await Place.npmInstall(place)
    const [, install] = await Place.timed(() =>
      Place.run(place, "npm", "install", "--no-audit", "--no-fund", "--prefer-offline", `./${packed}`)
    )
    const copies = globSync("**/node_modules/effect/package.json", { cwd: path.join(place.folder, "node_modules") })
    const own = globSync("effect/package.json", { cwd: path.join(place.folder, "node_modules") })
    const found = [...own, ...copies].join(", ")
    if (found !== "effect/package.json, other/node_modules/effect/package.json") throw new Error(`copies: ${found}`)
    Place.writePrograms(place)
    Place.write(place, "mixed.js", PROGRAM)
    const { program, said } = await Place.runMain(place, process.execPath)
    if ((await Place.run(place, process.execPath, "mixed.js")) !== "mixed") throw new Error("the copies do not mix")
    return { installed: Place.sizeOf(place), install, program, said: `${said}, and the copies mix` }
  }
}
