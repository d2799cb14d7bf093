/** Checks of the node itself, of its authentication, and of clients that disconnect. */
import type { CID } from "multiformats/cid"

import type { Check, Given, Target } from "../check.ts"
import { failureOf } from "../check.ts"
import { all, bytesOf, cidOf, digestOf } from "../content.ts"

const kinds = (value: object): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(value)
      .map(([name, each]) => [name, typeof each] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
  )

/** Makes a check that `add`, `cat` and `version` fail with `text` for a client that sends other headers. */
const refused = (
  name: string,
  headersOf: (target: Target) => Readonly<Record<string, string>>,
  text: string
): Check => ({
  name,
  about: "plumbline",
  run: async ({ client, fresh, target }) => {
    const ipfs = client.open({ url: target.url, headers: headersOf(target) })
    return {
      seen: {
        add: await failureOf(() => ipfs.add(fresh("content"))),
        cat: await failureOf(() => bytesOf(ipfs.cat("Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD"))),
        version: await failureOf(() => ipfs.version())
      },
      expected: { add: text, cat: text, version: text }
    }
  }
})

/** Returns the header with a wrong key or a wrong secret. */
const withWrong = (target: Target, part: 0 | 1): Readonly<Record<string, string>> => {
  const [, credentials = ""] = target.headers["authorization"]?.split(" ") ?? []
  const parts = Buffer.from(credentials, "base64").toString().split(":")
  parts[part] = "f".repeat(32)
  return { authorization: `Basic ${Buffer.from(parts.join(":")).toString("base64")}` }
}

/** True if a CID is pinned, directly or through another pin. */
const isPinned = async (ipfs: Given["ipfs"], cid: string): Promise<boolean> =>
  (await failureOf(() => all(ipfs.pin.ls({ paths: [cid] })))) !== `path '${cid}' is not pinned`

/**
 * Reads a file and aborts the request after the first piece. Returns `aborted` if the stream failed, `ended` if it
 * ended.
 */
const abortedCat = async (ipfs: Given["ipfs"], cid: CID): Promise<string> => {
  const controller = new AbortController()
  try {
    for await (const piece of ipfs.cat(cid, { signal: controller.signal })) {
      if (piece.length > 0) controller.abort()
    }
    return "ended"
  } catch {
    return "aborted"
  }
}

/** Yields bytes slowly and without end, until `stop` is aborted. */
const slowly = async function* (first: Uint8Array, stop: AbortSignal): AsyncGenerator<Uint8Array> {
  yield first
  while (!stop.aborted) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    yield first.subarray(0, 100)
  }
}

export const checks: ReadonlyArray<Check> = [
  {
    name: "version: what software runs there",
    run: async ({ ipfs }) => ({
      seen: kinds(await ipfs.version()),
      // the clients add fields that the node did not send
      expected: kinds({ commit: "", golang: "", "ipfs-http-client": "", repo: "", system: "", version: "" })
    })
  },
  {
    name: "id: who the node is",
    run: async ({ ipfs }) => {
      const { addresses, agentVersion, id, protocols, publicKey } = await ipfs.id()
      return {
        seen: [
          String(id).length > 40,
          agentVersion.length > 0,
          publicKey.length > 0,
          Array.isArray(addresses),
          Array.isArray(protocols)
        ],
        expected: [true, true, true, true, true]
      }
    }
  },
  refused("authentication: without credentials", () => ({}), "project id required"),
  refused(
    "authentication: another key",
    (target) => withWrong(target, 0),
    "basic auth failure: invalid project id or project secret"
  ),
  refused(
    "authentication: another secret",
    (target) => withWrong(target, 1),
    "basic auth failure: invalid project id or project secret"
  ),
  {
    name: "an unknown command is an error",
    run: async ({ ipfs }) => ({
      seen: await failureOf(() => ipfs.diag.sys()),
      expected: "404 page not found"
    })
  },
  {
    name: "abort: a download that is given up",
    run: async ({ fresh, ipfs }) => {
      const content = fresh("content", 8_000_000)
      const { cid } = await ipfs.add(content)
      const aborted = await abortedCat(ipfs, cid)
      return {
        seen: { aborted, again: digestOf(await bytesOf(ipfs.cat(cid))) },
        expected: { aborted: "aborted", again: digestOf(content) }
      }
    }
  },
  {
    name: "abort: an upload that is given up leaves no pin",
    run: async ({ fresh, ipfs }) => {
      const before = fresh("before")
      const controller = new AbortController()
      const files = [
        { path: "d/before", content: before },
        { path: "d/endless", content: slowly(fresh("endless", 300_000), controller.signal) }
      ]
      setTimeout(() => controller.abort(), 300)
      const outcome = await failureOf(() => all(ipfs.addAll(files, { signal: controller.signal })))
      return {
        seen: { ended: outcome === "no error", isPinned: await isPinned(ipfs, await cidOf(before)) },
        expected: { ended: false, isPinned: false }
      }
    }
  },
  {
    name: "an upload whose source fails is an error, and leaves no pin",
    run: async ({ fresh, ipfs }) => {
      const before = fresh("before")
      const failing = async function* () {
        yield fresh("first", 300_000)
        throw new Error("the disk is gone")
      }
      const files = [
        { path: "d/before", content: before },
        { path: "d/failing", content: failing() }
      ]
      const outcome = await failureOf(() => all(ipfs.addAll(files)))
      return {
        seen: { ended: outcome === "no error", isPinned: await isPinned(ipfs, await cidOf(before)) },
        expected: { ended: false, isPinned: false }
      }
    }
  },
  {
    name: "50 files added and read at the same time",
    run: async ({ fresh, ipfs }) => {
      const contents = Array.from({ length: 50 }, (_, index) => fresh(`${index}`, 10_000 + index))
      const seen = await Promise.all(
        contents.map(async (content) => digestOf(await bytesOf(ipfs.cat((await ipfs.add(content)).cid))))
      )
      return { seen, expected: contents.map(digestOf) }
    }
  }
]
